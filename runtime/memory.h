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
  /// Any other access of T's. NoteOf() is asked at most once, if there is something to remember.
  /// Races are added to Found.
  template <class NoteFn>
  void access(Thread &T, uintptr_t Address, size_t Bytes, AccessKind Kind, NoteFn &&NoteOf,
              FoundRaces &Found) {
    if (!IsSlim)
      return Fine.access(T.State, Address, Bytes, Kind, NoteOf, Found);
    Slim.accessAtomically(T, Address, Bytes, Kind, NoteOf, Found);
  }
  /// The same for bytes of one granule, which nearly all accesses are.
  template <class NoteFn>
  void accessGranule(Thread &T, uintptr_t Address, size_t Bytes, AccessKind Kind, NoteFn &&NoteOf,
                     FoundRaces &Found) {
    Fine.accessGranule(T.State, Address, Granule::maskOf(Address % Granule::Bytes, Bytes), Kind,
                       NoteOf, Found);
  }
  /// Where accesses are deferred: checks one to a whole granule at once, if that is better; false
  /// if not.
  template <class NoteFn>
  bool accessAtOnce(Thread &T, uintptr_t Address, AccessKind Kind, NoteFn &&NoteOf,
                    FoundRaces &Found) {
    return Slim.accessAtOnce(T, Address, Kind, NoteOf, Found);
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
  template <class NoteFn>
  void accessAndDrop(Thread &T, uintptr_t Address, size_t Bytes, NoteFn &&NoteOf, FoundRaces &Found,
                     bool IsFreed) {
    if (IsSlim)
      Slim.accessAndDrop(T, Address, Bytes, NoteOf(), Found, IsFreed);
    else
      Fine.accessAndDrop(T.State, Address, Bytes, NoteOf, Found, IsFreed);
  }
  /// Calls Visit(address, bytes) for the parts of a range whose pages have a shadow.
  template <class Fn> void forEachTouched(uintptr_t Address, size_t Bytes, Fn &&Visit) {
    if (IsSlim)
      Slim.forEachTouched(Address, Bytes, Visit);
    else
      Fine.forEachTouched(Address, Bytes, Visit);
  }
  /// The bytes are fresh memory, says T.
  void forget(Thread &T, uintptr_t Address, size_t Bytes) {
    if (IsSlim)
      Slim.forget(T, Address, Bytes);
    else
      Fine.forget(Address, Bytes);
  }

  SlimMemory::Sizes measure() { return Slim.measure(); }
  /// For stats: shadow pages now, and at most so far, in bytes.
  uint64_t bytes() const {
    return Slim.numPages() * sizeof(SlimPage) + Fine.numPages() * sizeof(LivePage);
  }
  uint64_t peakBytes() const {
    return Slim.peakPages() * sizeof(SlimPage) + Fine.peakPages() * sizeof(LivePage);
  }

private:
  bool IsSlim = false; // constant after initialise()
  FineMemory Fine;
  SlimMemory Slim{Fine};
};

extern LiveMemory TheMemory;

} // namespace photofinish::rt

#endif // PHOTOFINISH_RUNTIME_MEMORY_H
