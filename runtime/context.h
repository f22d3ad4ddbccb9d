//===- context.h - Where an access came from -------------------------------------------===//
//
// A cell has room for a word about each access it remembers (detector/cell.h: Note), and a
// report wants the site, the whole call stack, and the locks held. So that word has two numbers:
//
//   63                   32 31                    0
//  +-----------------------+-----------------------+
//  | context, with locks   | site                  |   Note
//  +-----------------------+-----------------------+
//
// Contexts are the nodes of a tree: a caller's context and one more call; at the end, perhaps, a
// set of locks. Nothing is ever forgotten, so that the stack of an access is there however long ago
// it was. A site's number is made of its address, with nothing to look up.
//
// Instrumented functions keep a stack of frames (abi.h). Making a node of it is put off until
// an access has to be remembered, and every frame keeps the node that was made of it and
// those below: while a frame is there, it is made once.
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

/// Sites as numbers. They lie in the program and its libraries: in few windows of 2 GiB of the
/// address space.
class SiteNumbers {
public:
  uint32_t of(const pf_site *Site) {
    auto Address = reinterpret_cast<uintptr_t>(Site);
    auto Window = uint32_t(Address >> WindowShift) + 1;
    uint32_t I = 0;
    while (Windows[I].load(std::memory_order_relaxed) != Window)
      if (++I == MaxWindows)
        I = add(Window);
    return I << (WindowShift - 2) | uint32_t(Address % WindowBytes / 4);
  }
  /// Null for 0, which is no site's number.
  const pf_site *at(uint32_t Number) const {
    if (!Number)
      return nullptr;
    uintptr_t Window = Windows[Number >> (WindowShift - 2)].load(std::memory_order_relaxed) - 1;
    return reinterpret_cast<const pf_site *>(Window << WindowShift |
                                             uintptr_t(Number) % (WindowBytes / 4) * 4);
  }

private:
  static constexpr unsigned WindowShift = 31;
  static constexpr uintptr_t WindowBytes = uintptr_t(1) << WindowShift;
  static constexpr uint32_t MaxWindows = 8;
  static_assert(alignof(pf_site) == 4);

  /// Of a new window.
  uint32_t add(uint32_t Window);

  SpinLock Lock;                             // adding
  std::atomic<uint32_t> Windows[MaxWindows]; // which they are, from 1 on; 0: none yet
};

class Contexts {
public:
  void initialise(uint64_t MaxNodes);

  /// The note of an access at Site.
  Note noteFor(ContextId Context, const pf_site *Site) {
    return uint64_t(Context) << 32 | Sites.of(Site);
  }
  /// The same context with locks held.
  ContextId withLocks(ContextId Context, LockSetId Locks) {
    return Nodes.intern(Context, LocksKey, Locks);
  }
  /// The calls that a thread has made lately. Most are made again, and the tree is far away: it
  /// belongs to all threads, and is as large as the program's behaviour.
  struct Calls {
    struct Call {
      uint64_t ReturnAddress;
      ContextId Caller, Context;
    };
    static constexpr size_t Count = 1024;
    Call Of[Count];
  };
  /// The context of a thread with these frames (the innermost is End[-1]).
  ContextId contextOf(pf_frame *Begin, pf_frame *End, Calls &Known) {
    if (Begin == End)
      return 0;
    return End[-1].context ? End[-1].context : internFrames(Begin, End, Known);
  }

  /// Where the access was; null for a note that has none.
  const pf_site *siteOf(Note N) const { return Sites.at(uint32_t(N)); }
  /// The same access, at another site.
  Note withSite(Note N, const pf_site *Site) { return N >> 32 << 32 | Sites.of(Site); }
  LockSetId locksOf(Note N) const {
    const InternTable::Node &Last = Nodes[uint32_t(N >> 32)];
    return Last.Key == LocksKey ? Last.Extra : 0;
  }
  /// The calls that it was made in.
  ContextId callsOf(Note N) const {
    auto Context = ContextId(N >> 32);
    return Nodes[Context].Key == LocksKey ? Nodes[Context].Parent : Context;
  }
  ContextId parentOf(ContextId C) const { return Nodes[C].Parent; }
  uint64_t returnAddressOf(ContextId C) const { return Nodes[C].Key; }
  /// The calls below were not kept.
  bool isCutOff(ContextId C) const { return C && Nodes[C].Key == CutOffKey; }
  uint64_t size() const { return Nodes.size(); }

  InternTable Nodes;

private:
  // No return addresses.
  static constexpr uint64_t CutOffKey = 1, LocksKey = 2;
  static constexpr unsigned KeptWhenFull = 8;

  ContextId internFrames(pf_frame *Begin, pf_frame *End, Calls &Known);

  uint64_t MaxNodes = 0;
  SiteNumbers Sites;
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
