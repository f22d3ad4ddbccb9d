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
  void access(const Operation &Op, bool IsWrite);
  void check(const Operation &Op, bool IsWrite);
  /// Whatever else the thread does; accesses are passed over.
  void synchronize(const Operation &Op);
  /// Nothing comes any more.
  void finish();

  const std::vector<Violation> &violations() const { return Violations; }

private:
  /// Of one byte and thread. Times are numbers of releases, so that equal ones have none between
  /// them; 0 is never.
  struct Byte {
    uint64_t Checked = 0, CheckedAsWrite = 0;
    uint64_t Accessed = 0, Written = 0;
  };
  struct Open {
    bool Read = false, Write = false;
    SiteId ReadSite = 0, WriteSite = 0;
  };
  struct Thread {
    uint64_t Releases = 1;
    std::unordered_map<uint64_t, Byte> Bytes;
    std::unordered_map<uint64_t, Open> OpenAccesses, OpenChecks;
  };

  Thread &thread(ThreadId T);
  void acquire(ThreadId T);
  void complain(ThreadId T, bool IsCheck, const std::unordered_map<uint64_t, Open> &Opened);
  void forget(uint64_t Address, uint64_t Size);

  std::vector<Thread> Threads;
  std::vector<Violation> Violations;
};

/// For the user, in one line.
std::string describe(const PlacementVerifier::Violation &V, const SymbolTable &Symbols);

} // namespace photofinish

#endif // PHOTOFINISH_TRACE_PLACEMENT_VERIFIER_H
