//===- slim_memory.h - Pages of classes, and what threads have touched -----------===//
//
// SlimState: a thread notes its plain accesses in memory of its own (shadow/footprint.h), and
// commits them to the pages' classes (shadow/class_page.h) before its clock changes, when the
// memory changes hands, and at the end. Atomics are checked at once.
//
// The discipline of verifiedft.txt, section 5, with the page as `sx`:
//
//   field               | write                             | read
//   --------------------+-----------------------------------+------------------------------------
//   Root[page]          | holding PoolLock: from null to a  | anyone, at any time; to use the page,
//                       | page; holding the page's lock: to | again with its lock held
//                       | null                              |
//   SlimPage::Classes   | holding the page's lock           | holding the page's lock
//   SlimPage::Next      | holding PoolLock                  | holding PoolLock
//   Thread::Touched     | its thread; others while the      | its thread; others while the world is
//                       | world is stopped                  | stopped; touches(), at any time: then
//                       |                                   | the answer is about some moment
//   Thread::Pending,    | its thread; others while the      | its thread; others while the world is
//   Stamping            | world is stopped                  | stopped
//
// A SlimPage that was dropped is used again as one: whoever has waited for the lock of a page that
// is gone finds that the root no longer has it.
//
// A page whose granules have hardly any history in common, or that has an atomic object, becomes one
// of granules (fine_memory.h) until its memory changes hands as a whole, or is accessed as a whole
// and alike then. Where hardly any accesses come together, they are pending as singles, and what a
// thread frees meanwhile it need not check. The page is in one of the two tables of roots: it comes
// into the one before it leaves the other, and no page of classes is made where there is one of
// granules.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_RUNTIME_SLIM_MEMORY_H
#define PHOTOFINISH_RUNTIME_SLIM_MEMORY_H

#include "runtime/fine_memory.h"
#include "runtime/thread.h"

namespace photofinish::rt {

struct SlimPage {
  SpinLock Lock;
  SlimPage *Next = nullptr; ///< while nobody has it
  LiveClasses Classes;
};

class SlimMemory {
public:
  explicit constexpr SlimMemory(FineMemory &Fine) : Fine(Fine) {}
  /// False if there is no room for it.
  bool initialise();

  /// Notes a plain access of T's. What is pending may have to be committed to make room.
  void add(Thread &T, uintptr_t Address, size_t Bytes, bool IsWrite, const LivePlace &Place,
           FoundRaces &Found);
  void add(Thread &T, const Elements &E, bool IsWrite, const LivePlace &Place, FoundRaces &Found);
  /// The same for a range of a page of which T has noted nothing, as most are. False, and nothing
  /// done, if it is something else.
  bool noteRange(Thread &T, uintptr_t Address, size_t Bytes, bool IsWrite, const LivePlace &Place);
  /// Checks an atomic access of T's.
  template <class StampFn>
  void accessAtomically(Thread &T, uintptr_t Address, size_t Bytes, AccessKind Kind,
                        StampFn &&StampOf, FoundRaces &Found);
  /// Commits what T has pending.
  void commit(Thread &T, FoundRaces &Found);
  /// If some of it is on the range.
  void commitRange(Thread &T, uintptr_t Address, size_t Bytes, FoundRaces &Found) {
    if (T.Touched && !T.Pending.isEmpty() && T.Touched->touches(Address, Bytes))
      commit(T, Found);
  }
  /// The range is no longer what T has touched.
  static void forgetTouched(Thread &T, uintptr_t Address, size_t Bytes) {
    if (T.Touched)
      T.Touched->forget(Address, Bytes);
  }

  /// May another thread than T have an access to the range pending?
  bool isTouchedByOthers(const Thread &T, uintptr_t Address, size_t Bytes) const;
  /// T is over.
  void release(Thread &T);

  /// T frees a small block, and what it has noted of it goes. False if there is more to do: some of
  /// the block may have been checked by then.
  bool freeShortly(Thread &T, uintptr_t Address, size_t Bytes, Stamp S);
  /// As FineMemory's.
  void accessAndDrop(Thread &T, uintptr_t Address, size_t Bytes, Stamp S, FoundRaces &Found,
                     bool IsFreed);
  template <class Fn> void forEachTouched(uintptr_t Address, size_t Bytes, Fn &&Visit) {
    uintptr_t End = Address + Bytes;
    for (uintptr_t Page = Address & ~(PageBytes - 1); (Page = nextTouched(Page, End)) < End;
         Page += PageBytes) {
      uintptr_t From = Page < Address ? Address : Page;
      uintptr_t To = Page + PageBytes < End ? Page + PageBytes : End;
      Visit(From, To - From);
    }
  }
  /// The bytes are fresh memory, which T has got. Whoever noted an access to them has committed it.
  void forget(Thread &T, uintptr_t Address, size_t Bytes) PF_NO_ANALYSIS;

  /// Its stamps are kept. The world is stopped.
  void keep(Stamps::Collection &C) PF_NO_ANALYSIS {
    for (SlimPage *Page : AllPages)
      Page->Classes.keep(C, TheStamps);
  }

  /// For stats: what pages look like now.
  struct Sizes {
    uint64_t PagesOf[3] = {}; ///< with 1 class, 2 to 4, more
    uint64_t FinePages = 0;   ///< of granules
  };
  Sizes measure() PF_NO_ANALYSIS;
  /// What there is for a range that lies in a page, and for all memory but FineMemory's.
  CellCount count(uintptr_t Address, size_t Bytes) PF_NO_ANALYSIS;
  CellCount countAll() PF_NO_ANALYSIS;
  uint64_t numPages() const { return Pages.load(std::memory_order_relaxed); }
  uint64_t peakPages() const { return PeakPages.load(std::memory_order_relaxed); }

private:
  static constexpr uintptr_t PageBytes = LiveClasses::PageBytes;
  static_assert(PageBytes == PF_PAGE_BYTES);
  static constexpr uintptr_t AddressEnd = uintptr_t(1) << 47;

  std::atomic<SlimPage *> &entryOf(uintptr_t Address) const {
    return Root[Address >> PF_PAGE_SHIFT & PF_ROOT_MASK];
  }
  SlimPage *findPage(uintptr_t Address) const {
    return entryOf(Address).load(std::memory_order_acquire); // its contents were written before
  }
  /// The page of an address, with its lock held; null if it is one of granules.
  SlimPage *lockPage(uintptr_t Address) PF_NO_ANALYSIS;
  /// Leaves a page that was changed.
  void unlockPage(SlimPage *Page, uintptr_t Address) PF_NO_ANALYSIS;
  /// The same, and it is one of granules from now on.
  void unlockAsGranules(SlimPage *Page, uintptr_t Address, bool IsDeferred) PF_NO_ANALYSIS;
  /// Checks Elements, or a set of whole granules, of the page at Start, which come from one place.
  template <class Accessed>
  void access(Thread &T, uintptr_t Start, const Accessed &E, bool IsWrite, Stamp S,
              FoundRaces &Found) PF_NO_ANALYSIS;
  void commitSingle(Thread &T, uintptr_t Address, uint32_t Bytes, bool IsWrite,
                    const LivePlace &Place, FoundRaces &Found);
  auto adding(Thread &T, bool IsWrite, const LivePlace &Place, FoundRaces &Found);
  auto evicting(Thread &T, FoundRaces &Found);
  LiveFootprints &touchedBy(Thread &T);
  void recycle(SlimPage *Page);
  void publish(SlimPage *Page, uintptr_t Address);
  /// The page is one of classes again, if its granules are all alike.
  void rejoin(uintptr_t Address);
  SlimPage *makePage(uintptr_t Address);
  SlimPage *takePage() PF_REQUIRES(PoolLock);
  void drop(Thread &T, uintptr_t Page) PF_NO_ANALYSIS;
  /// Checks what T accesses of a page of granules where that is done at once; false if it is not.
  template <class Accessed>
  bool accessAtOnce(Thread &T, uintptr_t Start, const Accessed &Some, bool IsWrite,
                    const LivePlace &Place, FoundRaces &Found);
  uintptr_t nextTouched(uintptr_t Page, uintptr_t End) const;

  FineMemory &Fine;
  bool UsesAvx2 = false; // constant after initialise()
  std::atomic<SlimPage *> *Root = nullptr;
  SpinLock PoolLock;
  SlimPage *Spares = nullptr; // under PoolLock
  Array<SlimPage *> AllPages; // under PoolLock
  std::atomic<uint64_t> Pages{0}, PeakPages{0};

  // Footprints are never unmapped, so that anyone may look at them; whose thread is over, is used
  // again.
  static constexpr uint32_t MaxTables = 1u << 20;
  LiveFootprints *takeTable();
  std::atomic<LiveFootprints *> *Tables = nullptr;
  std::atomic<uint32_t> NumTables{0};
  Array<LiveFootprints *> SpareTables; // under PoolLock
};

template <class StampFn>
void SlimMemory::accessAtomically(Thread &T, uintptr_t Address, size_t Bytes, AccessKind Kind,
                                  StampFn &&StampOf, FoundRaces &Found) PF_NO_ANALYSIS {
  if (Address < PageBytes || Address + Bytes > AddressEnd)
    return; // the program is about to crash, and does that better than we would
  for (uintptr_t End = Address + Bytes; Address < End;) {
    uintptr_t InGranule = Address % Granule::Bytes, Start = Address - InGranule;
    uintptr_t Here =
        End - Address < Granule::Bytes - InGranule ? End - Address : Granule::Bytes - InGranule;
    uint8_t Mask = Granule::maskOf(InGranule, Here);
    while (!Fine.accessGranuleIfThere(T.committer(), Address, Mask, Kind, StampOf, Found)) {
      SlimPage *Page = lockPage(Address);
      if (!Page)
        continue;
      Page->Classes.accessAtomically(
          T.committer(), Address % PageBytes, Mask, Kind, StampOf,
          [&](uint8_t Raced, Epoch First, Stamp S, AccessKind FirstKind) {
            FineMemory::addRace(Found, Start, Raced, First, S, FirstKind);
          });
      // What atomics did is beside a granule's history, and is alike nowhere else.
      unlockAsGranules(Page, Address, /*IsDeferred=*/false);
      break;
    }
    Address += Here;
  }
}

} // namespace photofinish::rt

#endif // PHOTOFINISH_RUNTIME_SLIM_MEMORY_H
