//===- context.h - Where an access came from -------------------------------------------===//
//
// A cell has room for four bytes about each access it remembers (detector/cell.h: Note), and a
// report wants the site, the whole call stack, and the locks held. So all of that is one
// number: a node of a tree whose inner nodes are calls and whose leaves are sites with a lock
// set. Nothing is ever forgotten, so that the stack of an access is there however long ago
// it was.
//
// Instrumented functions keep a stack of frames (abi.h). Making a node of it is put off until
// an access has to be remembered, and every frame keeps the node that was made of it and
// those below: within one call of a function it is made once.
//
// Recursion can have very many contexts. Beyond max_contexts only the innermost calls of a
// new one are kept, and a report says so.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_RUNTIME_CONTEXT_H
#define PHOTOFINISH_RUNTIME_CONTEXT_H

#include "abi/abi.h"
#include "detector/cell.h"
#include "runtime/base/intern_table.h"

namespace photofinish::rt {

using ContextId = uint32_t;
using LockSetId = uint32_t;

class Contexts {
public:
  void initialise(uint64_t MaxNodes);

  /// The note of an access at Site.
  Note noteFor(ContextId Context, const pf_site *Site, LockSetId Locks) {
    return Nodes.intern(Context, SiteTag | reinterpret_cast<uintptr_t>(Site), Locks);
  }
  /// The context of a thread with these frames (the innermost is End[-1]).
  ContextId contextOf(pf_frame *Begin, pf_frame *End) {
    if (Begin == End)
      return 0;
    return End[-1].context ? End[-1].context : internFrames(Begin, End);
  }

  /// Where the access was; null for a note that has none.
  const pf_site *siteOf(Note N) const {
    uint64_t Key = Nodes[N].Key;
    return Key & SiteTag ? reinterpret_cast<const pf_site *>(Key & ~SiteTag) : nullptr;
  }
  LockSetId locksOf(Note N) const { return Nodes[N].Extra; }
  ContextId parentOf(ContextId C) const { return Nodes[C].Parent; }
  uint64_t returnAddressOf(ContextId C) const { return Nodes[C].Key; }
  /// The calls below were not kept.
  bool isCutOff(ContextId C) const { return C && Nodes[C].Key == CutOffKey; }
  uint64_t size() const { return Nodes.size(); }

  InternTable Nodes;

private:
  static constexpr uint64_t SiteTag = UINT64_C(1) << 63;
  static constexpr uint64_t CutOffKey = 1; // no return address
  static constexpr unsigned KeptWhenFull = 8;

  ContextId internFrames(pf_frame *Begin, pf_frame *End);

  uint64_t MaxNodes = 0;
};

extern Contexts TheContexts;

/// Sets of held locks.
class LockSets {
public:
  void initialise() { Nodes.initialise(); }
  LockSetId with(LockSetId Set, uintptr_t Lock, uint8_t Kind) {
    return Nodes.intern(Set, Lock, Kind);
  }
  /// Calls Visit(lock, kind) for every lock of the set, the one taken last first.
  template <class Fn> void forEach(LockSetId Set, Fn &&Visit) const {
    for (; Set; Set = Nodes[Set].Parent)
      Visit(Nodes[Set].Key, uint8_t(Nodes[Set].Extra));
  }

  InternTable Nodes;
};

extern LockSets TheLockSets;

} // namespace photofinish::rt

#endif // PHOTOFINISH_RUNTIME_CONTEXT_H
