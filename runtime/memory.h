//===- memory.h - The shadow of the whole address space ------------------===//
//
// What the rest of the runtime knows of it: this thread accesses these bytes; this thread is about
// to synchronize. Behind it is one of two shadows, by mode: a granule for every eight bytes,
// checked at once (fine_memory.h), or footprints and classes (slim_memory.h).
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_RUNTIME_MEMORY_H
#define PHOTOFINISH_RUNTIME_MEMORY_H

#include "runtime/fine_memory.h"
#include "runtime/slim_memory.h"

namespace photofinish::rt {

class LiveMemory {
public:
  void initialise(Mode M);

  /// Accesses are noted, and checked before their thread's clock changes: commit() says so.
  bool isDeferred() const { return IsSlim; }

  /// Where accesses are deferred: a plain access of T's.
  void add(Thread &T, uintptr_t Address, size_t Bytes, bool IsWrite, const LivePlace &Place,
           FoundRaces &Found) {
    Slim.add(T, Address, Bytes, IsWrite, Place, Found);
  }
  void add(Thread &T, const Elements &E, bool IsWrite, const LivePlace &Place, FoundRaces &Found) {
    Slim.add(T, E, IsWrite, Place, Found);
  }
  /// The same for a range, on the short way; false, and nothing done, if it takes the long one.
  bool noteRange(Thread &T, uintptr_t Address, size_t Bytes, bool IsWrite, const LivePlace &Place) {
    return IsSlim && Slim.noteRange(T, Address, Bytes, IsWrite, Place);
  }
  /// Any other access of T's. StampOf() is asked at most once, if there is something to remember.
  /// Races are added to Found.
  template <class StampFn>
  void access(Thread &T, uintptr_t Address, size_t Bytes, AccessKind Kind, StampFn &&StampOf,
              FoundRaces &Found) {
    if (!IsSlim)
      return Fine.access(T.committer(), Address, Bytes, Kind, StampOf, Found);
    Slim.accessAtomically(T, Address, Bytes, Kind, StampOf, Found);
  }
  /// The same for bytes of one granule, which nearly all accesses are.
  template <class StampFn>
  void accessGranule(Thread &T, uintptr_t Address, size_t Bytes, AccessKind Kind, StampFn &&StampOf,
                     FoundRaces &Found) {
    Fine.accessGranule(T.committer(), Address, Granule::maskOf(Address % Granule::Bytes, Bytes),
                       Kind, StampOf, Found);
  }
  /// T's clock is about to change, or T is over.
  void commit(Thread &T, FoundRaces &Found) {
    if (IsSlim)
      Slim.commit(T, Found);
  }
  /// The memory is about to change hands.
  void commitRange(Thread &T, uintptr_t Address, size_t Bytes, FoundRaces &Found) {
    if (!IsSlim || !Bytes)
      return;
    Slim.commitRange(T, Address, Bytes, Found);
    SlimMemory::forgetTouched(T, Address, Bytes);
  }

  /// May another thread than T have noted an access to the range, and not committed it?
  bool isTouchedByOthers(const Thread &T, uintptr_t Address, size_t Bytes) const {
    return IsSlim && Bytes && Slim.isTouchedByOthers(T, Address, Bytes);
  }
  /// T is over.
  void release(Thread &T) {
    if (IsSlim)
      Slim.release(T);
  }

  /// A write of all bytes after which nobody may use them, by free or by unmapping: pages that
  /// lie in the range as a whole give their shadow back. Those that are freed remember it.
  template <class StampFn>
  void accessAndDrop(Thread &T, uintptr_t Address, size_t Bytes, StampFn &&StampOf,
                     FoundRaces &Found, bool IsFreed) {
    if (IsSlim)
      Slim.accessAndDrop(T, Address, Bytes, StampOf(), Found, IsFreed);
    else
      Fine.accessAndDrop(T.committer(), Address, Bytes, StampOf, Found, IsFreed);
  }
  /// T frees a block that is nothing special; false if there is more to do.
  template <class StampFn>
  bool freeShortly(Thread &T, uintptr_t Address, size_t Bytes, StampFn &&StampOf) {
    return IsSlim && Slim.freeShortly(T, Address, Bytes, StampOf());
  }
  /// Calls Visit(address, bytes) for the parts of a range whose pages have a shadow.
  template <class Fn> void forEachTouched(uintptr_t Address, size_t Bytes, Fn &&Visit) {
    if (IsSlim)
      Slim.forEachTouched(Address, Bytes, Visit);
    else
      Fine.forEachTouched(Address, Bytes, Visit);
  }
  /// The bytes are fresh memory, which T has got.
  void forget(Thread &T, uintptr_t Address, size_t Bytes) {
    if (IsSlim)
      return Slim.forget(T, Address, Bytes);
    T.Recent->Checked.forget(Address, Bytes);
    Fine.forget(Address, Bytes, T.Stamping);
  }
  /// Accesses to the page of an address come in order.
  void expectSweep(uintptr_t Address) {
    if (IsSlim)
      Fine.deferLater(Address);
  }

  /// Stamps that nobody has are forgotten. The world is stopped.
  void collect(Stamps::Collection &C) {
    Fine.keep(C);
    Slim.keep(C);
    TheFreedPages.keep(C);
  }
  /// Is there something to do while the world is stopped?
  bool wantsRest() const { return TheStamps.wantsCollection() || Fine.wantsRecycling(); }
  void recycle() { Fine.recycle(); }

  SlimMemory::Sizes measure() { return Slim.measure(); }
  /// For stats: what there is for memory, as it was when it was given back, or now.
  CellCount count();
  /// It is about to be given back.
  void countGone(uintptr_t Address, size_t Bytes);
  /// For stats: shadow pages now, and at most so far, in bytes.
  uint64_t bytes() const {
    return Slim.numPages() * sizeof(SlimPage) + Fine.numPages() * sizeof(FinePage);
  }
  uint64_t peakBytes() const {
    return Slim.peakPages() * sizeof(SlimPage) + Fine.peakPages() * sizeof(FinePage);
  }

private:
  bool IsSlim = false; // constant after initialise()
  SpinLock GoneLock;
  CellCount Gone; // under GoneLock
  FineMemory Fine;
  SlimMemory Slim{Fine};
};

extern LiveMemory TheMemory;

/// Forgets stamps that nobody has and uses pages again that were dropped, if it is time for that.
/// The caller has no locks.
void tidyMemoryNow(Entered &E);
inline void tidyMemory(Entered &E) {
  if (__builtin_expect(TheMemory.wantsRest(), false))
    tidyMemoryNow(E);
}

} // namespace photofinish::rt

#endif // PHOTOFINISH_RUNTIME_MEMORY_H
