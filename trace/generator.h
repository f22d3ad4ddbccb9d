//===- generator.h - Random feasible traces --------------------------------===//
//
// Plays a made-up program: threads that lock, sweep arrays, wait for each other
// and publish data through atomics, interleaved operation by operation. Only the
// program's present state is kept (who holds what, where each thread is in its
// loop), so a trace of fifty million operations needs no more memory than one of
// fifty. The same options give the same trace on every machine.
//
// Whether the program is correct is a matter of Discipline. Every object has a
// guard: its own lock, an owning thread, a barrier between phases, a one-time
// initialisation or an atomic flag through which its owner hands it on. A thread
// that keeps to the guards is disciplined; a trace in which all do is race-free:
//
//   GeneratorOptions O;          T0|fork(T1)
//   O.Seed = 7;                  T1|acq(m0)
//   O.Discipline = 100;          T1|w(a0,0,4)
//   Generator G(O);              T1|w(a0,4,4)
//   while (cantFail(G.next(Op))) T0|r(v0,4)
//     ...                        T1|rel(m0)
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_TRACE_GENERATOR_H
#define PHOTOFINISH_TRACE_GENERATOR_H

#include "trace/stream.h"

#include <memory>

namespace photofinish {

namespace program {
class RandomProgram;
} // namespace program

/// The order in which one run of a thread goes through an array
/// (slimstate.txt, section V.A, has a partition for each of them).
enum class Pattern : uint8_t {
  Sweep,  ///< the whole array, ascending; sometimes descending
  Block,  ///< one of Parts equal blocks
  Stride, ///< every Parts-th element, from an offset below Parts on
  Prefix, ///< the first few elements
  Random, ///< irregular single elements
  Mix,    ///< any of the above, chosen anew for each run
};
inline constexpr unsigned NumPatterns = unsigned(Pattern::Mix) + 1;
const char *patternName(Pattern P);

/// How the threads other than T0 come to run.
enum class ThreadModel : uint8_t {
  Present, ///< they are simply there, unordered with T0 (verifiedft.txt, section 2)
  Forked,  ///< T0 forks all of them at the start; joins them at the end
  Dynamic, ///< anybody forks and joins, all along the trace
};

/// Percentages are 0..100; values out of range are brought into it.
struct GeneratorOptions {
  uint64_t Seed = 1;
  uint64_t Operations = 1000; ///< the trace is no longer than this
  bool Finish = true;         ///< give back locks, wake, depart, end and join before the budget is
                              ///< out (the trace is then a little shorter); else just stop
  bool FinishRuns = false;    ///< with Finish: the last run of each thread is made to its end

  unsigned Threads = 4; ///< 1..4096, T0 included; the total over the whole trace
  ThreadModel Model = ThreadModel::Forked;
  unsigned StartExit = 0; ///< percentage of the threads that begin with start and end with exit
  unsigned Burst = 3;     ///< 1..: operations that a thread does on average before another one goes

  unsigned Locks = 3;      ///< 0..4096
  unsigned Nesting = 20;   ///< percentage of critical sections with a second lock
  bool ReadLocks = false;  ///< read-only sections may take their lock shared
  unsigned Conditions = 0; ///< condition variables: wait, wake, notify
  unsigned Barriers = 0;   ///< barriers; the first one separates the phases of phased objects
  unsigned Once = 0;       ///< once-objects
  unsigned Atomics = 0;    ///< atomic variables: all orders, fences, flags that hand objects on

  unsigned Variables = 4;   ///< scalars of 1, 2, 4, 8 and 16 bytes
  bool MixedSizes = true;   ///< partial and overlapping accesses of scalars and atomics
  unsigned Arrays = 1;      ///< allocated by T0 before anything else
  bool Allocated = true;    ///< false: arrays are never allocated, just used, at numeric addresses
  unsigned ArraySize = 32;  ///< elements, 1..
  unsigned ElementSize = 4; ///< bytes, 1..4096
  Pattern ArrayPattern = Pattern::Mix;
  unsigned Parts = 4;       ///< blocks of a Block array, step of a Stride one; 0: varies by run
  unsigned OddAccesses = 0; ///< percentage of array accesses to a part of an element or to several
  unsigned ArrayPercent = 50; ///< percentage of runs that go to arrays rather than to scalars
  unsigned Initialise = 0;    ///< percentage of objects that T0 writes before its first fork
  bool AllocFree = false;     ///< arrays are freed and allocated again along the way

  unsigned AccessPercent = 60; ///< aimed-at percentage of operations that access memory
  unsigned WritePercent = 40;  ///< percentage of plain accesses that write
  bool MixedRuns = true;       ///< a quarter of the runs read and write at random; the others, and
                               ///< all if false, only read or only write
  unsigned Discipline = 70;    ///< 100: race-free; 0: locks are taken at random or not at all

  bool UniqueSites = false;     ///< Site is the operation's index + 1; Sites is then unused
  unsigned Sites = 100;         ///< distinct source locations, 0: none
  unsigned SitesPerPattern = 2; ///< locations that one run of accesses alternates between
};

class Generator final : public TraceSource {
public:
  explicit Generator(const GeneratorOptions &Options);
  ~Generator() override;

  llvm::Expected<bool> next(Operation &Op) override;
  const SymbolTable &symbols() const override;
  std::string position() const override; ///< "operation N"
  double progress() const override;

private:
  std::unique_ptr<program::RandomProgram> Program;
};

/// The whole trace at once, for tests.
Trace generate(const GeneratorOptions &Options);

/// Options for one differential test: 2..6 threads, few objects, 8..120 operations,
/// every feature in some share of the seeds, all levels of discipline, unique sites.
GeneratorOptions randomSmallOptions(uint64_t Seed);

/// A race-free benchmark program that goes through large arrays in one way.
GeneratorOptions patternOptions(Pattern P, uint64_t Operations, unsigned Threads = 8,
                                unsigned ArraySize = 4096, uint64_t Seed = 1);

} // namespace photofinish

#endif // PHOTOFINISH_TRACE_GENERATOR_H
