//===- placement_verifier.h - Are checks where they should be? --------------===//
//
// The theory of check placement (bigfoot.txt, section 2), asked of an execution. Of the events of
// one thread,
//
//   a check covers an access       if it comes before, with no release between, or after, with no
//   acquire a check is legitimate for it   if it comes before, with no acquire between, or after,
//   with no release
//
// Every access has to be covered by a check of its bytes that is at least as strong; every check
// has to be legitimate for an access to each of its bytes that is at least as strong. Then a check
// races if and only if an access does.
//
// What is open when the thread acquires stays open: nothing that comes later can help.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_TRACE_PLACEMENT_VERIFIER_H
#define PHOTOFINISH_TRACE_PLACEMENT_VERIFIER_H

#include "trace/operation.h"
#include "trace/symbols.h"

#include <array>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace photofinish {

class PlacementVerifier {
public:
  struct Violation {
    bool IsCheck; ///< one that is not legitimate; otherwise, an access that is not covered
    bool IsWrite;
    ThreadId Thread;
    uint64_t Address;
    SiteId Site;
  };

  /// Op's memory is accessed, or checked, by its thread.
  void access(const Operation &Op, bool IsWrite) { note(Op, IsWrite, /*IsCheck=*/false); }
  void check(const Operation &Op, bool IsWrite) { note(Op, IsWrite, /*IsCheck=*/true); }
  /// Whatever else the thread does; accesses are passed over.
  void synchronize(const Operation &Op);
  /// Nothing comes any more.
  void finish();

  const std::vector<Violation> &violations() const { return Violations; }

private:
  /// When something last happened, as the number of releases until then, so that equal ones have
  /// none between them; 0 is never.
  struct Times {
    uint32_t AtAll = 0, AsWrite = 0;
  };
  /// Of one byte and thread.
  struct Byte {
    Times Checked, Accessed;
    /// What there is no counterpart for yet: bits of Open.
    uint8_t IsOpen = 0;
  };
  enum Open : uint8_t { ReadAccess = 1, WriteAccess = 2, ReadCheck = 4, WriteCheck = 8 };
  static constexpr uint64_t PageBytes = 4096;
  using Page = std::array<Byte, PageBytes>;

  /// Bytes of which some may be open, and since when it was.
  struct Interval {
    uint64_t Start, End;
    Open Kind;
    SiteId Site;
  };
  struct Thread {
    uint32_t Releases = 1;
    std::unordered_map<uint64_t, std::unique_ptr<Page>> Pages;
    std::vector<Interval> Opened;
  };

  void note(const Operation &Op, bool IsWrite, bool IsCheck);
  Thread &thread(ThreadId T);
  static Byte &byteAt(Thread &T, uint64_t Address);
  /// Calls Visit(Byte &, address) for the bytes that the thread has touched.
  template <class Fn> static void forEachByte(Thread &T, uint64_t Start, uint64_t Size, Fn &&Visit);
  static void open(Thread &T, Byte &B, uint64_t Address, Open Kind, SiteId Site);
  void complain(ThreadId T, const Interval &I, uint64_t Address);
  void acquire(ThreadId T);
  void forget(uint64_t Address, uint64_t Size);

  std::vector<Thread> Threads;
  std::vector<Violation> Violations;
};

/// For the user, in one line.
std::string describe(const PlacementVerifier::Violation &V, const SymbolTable &Symbols);

} // namespace photofinish

#endif // PHOTOFINISH_TRACE_PLACEMENT_VERIFIER_H
