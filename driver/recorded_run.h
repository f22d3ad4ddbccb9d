//===- recorded_run.h - A program's events, while it runs, as a trace ------===//
//
// The runtime of a program that runs with record=FILE sends its events (abi/recording.h) to
// `photofinish record`; here they become operations.
//
// Two things have no counterpart in a trace. Memory can become fresh without an allocation
// (a stack that is used again, mmap): from then on its pages are found at other addresses, with
// the number of their life in bits 48 to 61. And places that are only known as return
// addresses are looked up, so that the trace says file:line:column everywhere.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_DRIVER_RECORDED_RUN_H
#define PHOTOFINISH_DRIVER_RECORDED_RUN_H

#include "abi/recording.h"
#include "report/symbolize.h"
#include "trace/placement_verifier.h"
#include "trace/stream.h"

#include <deque>
#include <map>
#include <unordered_map>

namespace photofinish {

class RecordedRun final : public TraceSource {
public:
  /// Socket is where events come from, and where the program waits for answers.
  explicit RecordedRun(int Socket) : Socket(Socket) {}

  /// The first call tells the program that it can begin.
  llvm::Expected<bool> next(Operation &Op) override;
  const SymbolTable &symbols() const override { return Symbols; }
  std::string position() const override { return "event " + std::to_string(NumEvents); }

  /// Whether the program said that it was over; otherwise it was killed.
  bool isComplete() const { return IsComplete; }
  void answer(char Byte = '.');

  /// Whether checks were where they should be; if not, what is wrong with the first that was not.
  std::optional<std::string> misplaced() const;

private:
  static constexpr uint64_t PageBytes = 4096;

  bool read(void *Data, size_t Bytes);
  llvm::Error handle(const pf_recorded &Event, const std::string &Text);
  void addSite(const pf_recorded &Event, const std::string &Text);
  void addMemory(const Operation &Op);
  /// Calls Visit(piece) for the pieces of Op's memory, each with the number of its life.
  template <class Fn> void forEachPiece(const Operation &Op, Fn &&Visit) const;
  void addJoin(Operation Op);
  llvm::Error startLife(uint64_t Start, uint64_t Bytes);
  uint64_t lifeOf(uint64_t Address) const;
  void add(const Operation &Op);

  int Socket;
  bool HasStarted = false, IsComplete = false, IsOver = false;
  uint64_t NumEvents = 0;
  SymbolTable Symbols;
  Symbolizer Addresses;
  std::deque<Operation> Ready;
  std::vector<SiteId> Sites;                    // by the program's number
  std::unordered_map<uint64_t, uint64_t> Lives; // by page
  std::map<uint64_t, uint64_t> Allocations;     // start, end
  std::vector<bool> HasRun;                     // by thread
  PlacementVerifier Placement;
};

} // namespace photofinish

#endif // PHOTOFINISH_DRIVER_RECORDED_RUN_H
