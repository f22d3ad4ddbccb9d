//===- fine_memory.h - A granule for every eight bytes -------------------===//
//
// A table with an entry for every page that an address of 47 bits can name finds the shadow
// page (shadow/granule.h): a reservation of address space, of which only what is touched
// costs memory. Nothing is assumed about where the program's memory lies.
//
// VerifiedFT-v2's discipline has the page as `sx`: each has a lock; the same-epoch tests run
// without it, everything else with it held.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_RUNTIME_FINE_MEMORY_H
#define PHOTOFINISH_RUNTIME_FINE_MEMORY_H

#include "runtime/base/spin_lock.h"
#include "runtime/found_race.h"
#include "runtime/freed_pages.h"
#include "shadow/elements.h"
#include "shadow/granule.h"

namespace photofinish::rt {

struct LivePage : FinePage {
  SpinLock Lock;
  /// Where others are deferred, accesses to this page are checked at once: too few come together.
  std::atomic<bool> IsImmediate{false};
  uint8_t InARow = 0; ///< under Lock: how often it has looked the other way
  uint16_t Last = 0;  ///< under Lock: the granule that was checked at once last

  /// So many granules were checked together, with the lock held.
  void sawRun(uint64_t Granules) {
    constexpr uint64_t Few = 2;
    see(Granules <= Few && !IsImmediate.load(std::memory_order_relaxed));
  }
  /// One was checked at once, with the lock held.
  void sawOne(uint64_t Address) {
    auto Number = uint16_t(Address % FinePage::Bytes / Granule::Bytes);
    see(Number == Last + 1);
    Last = Number;
  }

private:
  void see(bool IsOtherwise) {
    constexpr uint8_t Often = 16;
    InARow = IsOtherwise ? uint8_t(InARow + 1) : uint8_t(0);
    if (InARow < Often)
      return;
    InARow = 0;
    IsImmediate.store(!IsImmediate.load(std::memory_order_relaxed), std::memory_order_relaxed);
  }
};

class FineMemory {
public:
  /// A memory that remembers nothing checks nothing. False if there is no room for it.
  bool initialise(bool RemembersNothing);

  /// Checks an access and remembers it. NoteOf() is asked at most once, if there is something to
  /// remember. Races are added to Found.
  template <class NoteFn>
  void access(ThreadState &T, uintptr_t Address, size_t Bytes, AccessKind Kind, NoteFn &&NoteOf,
              FoundRaces &Found) {
    forEachPage(Address, Bytes, [&](uint64_t Start, uint64_t Here) {
      LivePage *Page = lockPage(Start);
      if (!Page)
        return;
      Page->visit(Start, Here, [&](Granule &G, uint8_t Mask, uint64_t At) {
        check(T, G, At, Mask, Kind, NoteOf, Found);
      });
      unlockPage(Page);
    });
  }

  /// The same for bytes of one granule, which nearly all accesses are: all of it is inlined.
  template <class NoteFn>
  void accessGranule(ThreadState &T, uintptr_t Address, uint8_t Mask, AccessKind Kind,
                     NoteFn &&NoteOf, FoundRaces &Found) {
    LivePage *Page = lockPage(Address);
    if (!Page)
      return;
    check(T, Page->granuleOf(Address), Address & ~(Granule::Bytes - 1), Mask, Kind, NoteOf, Found);
    unlockPage(Page);
  }

  /// The same where pages have to be made by adopt(): false if there is none.
  template <class NoteFn>
  bool accessGranuleIfThere(ThreadState &T, uintptr_t Address, uint8_t Mask, AccessKind Kind,
                            NoteFn &&NoteOf, FoundRaces &Found) {
    LivePage *Page = lockIfThere(Address);
    if (!Page)
      return false;
    check(T, Page->granuleOf(Address), Address & ~(Granule::Bytes - 1), Mask, Kind, NoteOf, Found);
    Page->sawOne(Address);
    unlockPage(Page);
    return true;
  }

  /// The same for elements of the page at Start, which were accessed before.
  bool accessIfThere(ThreadState &T, uintptr_t Start, const Elements &E, AccessKind Kind, Note N,
                     FoundRaces &Found) {
    LivePage *Page = lockIfThere(Start);
    if (!Page)
      return false;
    auto Check = [&](Granule &G, uint8_t Mask, uint64_t At) __attribute__((always_inline)) {
      checkGranule(
          T, G, Mask, Kind, [&] { return N; },
          [&](uint8_t Raced, Epoch First, Note FirstNote, AccessKind FirstKind) {
            forEachRun(Raced, [&](unsigned From, unsigned Count) {
              Found.push({At + From, Count, First, FirstNote, FirstKind, Kind, N});
            });
          });
    };
    uint64_t InGranule = E.First % Granule::Bytes;
    if (E.isRange() && InGranule + E.span() <= Granule::Bytes)
      Check(Page->granuleOf(E.First), Granule::maskOf(InGranule, E.span()),
            Start + E.First - InGranule);
    else if (E.isRange())
      Page->visit(Start + E.First, E.span(), Check);
    else
      for (uint32_t I = 0; I < E.Count; ++I)
        Page->visit(Start + E.First + uint64_t(E.Stride) * I, E.Size, Check);
    Page->sawRun(E.isRange() ? E.span() / Granule::Bytes : E.Count);
    unlockPage(Page);
    return true;
  }
  bool has(uintptr_t Address) const { return findPage(Address); }
  /// Makes a page of one that others look after until then: Fill(FinePage &) before anyone sees it.
  template <class Fn> void adopt(uintptr_t Address, Fn &&Fill) {
    Locked Guard(PoolLock);
    LivePage *Page = takePage();
    Fill(static_cast<FinePage &>(*Page));
    publish(Page, Address);
  }
  /// The page's bytes are fresh memory; there may be no page.
  void forgetIfThere(uintptr_t Address, size_t Bytes);

  /// A write of all bytes after which nobody may use them, by free or by unmapping: pages that
  /// lie in the range as a whole give their shadow back. Those that are freed remember it.
  template <class NoteFn>
  void accessAndDrop(ThreadState &T, uintptr_t Address, size_t Bytes, NoteFn &&NoteOf,
                     FoundRaces &Found, bool IsFreed) {
    uintptr_t Whole = (Address + FinePage::Bytes - 1) & ~(FinePage::Bytes - 1);
    uintptr_t End = Address + Bytes;
    uintptr_t WholeEnd = End & ~(FinePage::Bytes - 1);
    if (Whole >= WholeEnd)
      return access(T, Address, Bytes, AccessKind::Write, NoteOf, Found);
    access(T, Address, Whole - Address, AccessKind::Write, NoteOf, Found);
    for (uintptr_t Page = Whole; (Page = nextTouched(Page, WholeEnd)) < WholeEnd;
         Page += FinePage::Bytes) {
      access(T, Page, FinePage::Bytes, AccessKind::Write, NoteOf, Found);
      drop(Page);
    }
    if (IsFreed && Covered)
      TheFreedPages.remember(Whole, WholeEnd, T.now(), NoteOf());
    access(T, WholeEnd, End - WholeEnd, AccessKind::Write, NoteOf, Found);
  }

  /// Calls Visit(address, bytes) for the parts of a range whose pages have a shadow.
  template <class Fn> void forEachTouched(uintptr_t Address, size_t Bytes, Fn &&Visit) {
    uintptr_t End = Address + Bytes;
    for (uintptr_t Page = Address & ~(FinePage::Bytes - 1); (Page = nextTouched(Page, End)) < End;
         Page += FinePage::Bytes) {
      uintptr_t From = Page < Address ? Address : Page;
      uintptr_t To = Page + FinePage::Bytes < End ? Page + FinePage::Bytes : End;
      Visit(From, To - From);
    }
  }

  /// The bytes are fresh memory.
  void forget(uintptr_t Address, size_t Bytes);

  /// Adds a race on the bytes Raced of the granule at At.
  static void addRace(FoundRaces &Found, uintptr_t At, unsigned Raced, Epoch First, Note N,
                      AccessKind Kind);

  /// For stats: shadow pages now, and at most so far.
  uint64_t numPages() const { return Pages.load(std::memory_order_relaxed); }
  uint64_t peakPages() const { return PeakPages.load(std::memory_order_relaxed); }

private:
  /// Checks an access to bytes of the granule at At.
  template <class NoteFn>
  static void check(ThreadState &T, Granule &G, uintptr_t At, uint8_t Mask, AccessKind Kind,
                    NoteFn &&NoteOf, FoundRaces &Found) {
    checkGranule(T, G, Mask, Kind, NoteOf,
                 [&](uint8_t Raced, Epoch First, Note N, AccessKind FirstKind) {
                   addRace(Found, At, Raced, First, N, FirstKind);
                 });
  }
  /// The page of an address, with its lock held; null if there can be none.
  inline LivePage *lockPage(uintptr_t Address);
  static void unlockPage(LivePage *Page) PF_NO_ANALYSIS { Page->Lock.unlock(); }
  static inline LivePage *findPage(uintptr_t Address);
  inline LivePage *lockIfThere(uintptr_t Address);
  LivePage *makePage(uintptr_t Address);
  LivePage *takePage() PF_REQUIRES(PoolLock);
  void publish(LivePage *Page, uintptr_t Address) PF_REQUIRES(PoolLock);
  void drop(uintptr_t Page);
  /// The first page from Page on that has a shadow; End if there is none before it.
  uintptr_t nextTouched(uintptr_t Page, uintptr_t End);
  static constexpr uintptr_t AddressEnd = uintptr_t(1) << 47;
  /// Bytes that have a shadow, beginning behind the null page; constant after initialise().
  uintptr_t Covered = AddressEnd - FinePage::Bytes;

  SpinLock PoolLock;
  struct Spare {
    Spare *Next;
  };
  Spare *Spares = nullptr; // under PoolLock: pages that are all zeros but for the link
  char *Fresh = nullptr;   // under PoolLock: what is left of the last mapping
  size_t NumFresh = 0;
  std::atomic<uint64_t> Pages{0}, PeakPages{0};
};

} // namespace photofinish::rt

// Protected: there is one of each, in the executable, and it reaches them directly.
extern "C" {
extern __attribute__((visibility("protected"))) std::atomic<uint64_t> *__pf_shadow_root;
extern __attribute__((visibility("protected"))) char *__pf_shadow_origin;
}

namespace photofinish::rt {

/// The granule of an address, as inlined checks find it; one of zeros if nobody has touched it.
inline Granule &granuleAt(uintptr_t Address) {
  // Acquire: a page's contents were written before it was published.
  uint64_t Offset =
      __pf_shadow_root[Address >> PF_PAGE_SHIFT & PF_ROOT_MASK].load(std::memory_order_acquire);
  return reinterpret_cast<FinePage *>(__pf_shadow_origin + Offset)->granuleOf(Address);
}

/// Is the page of an address one of granules, where accesses are checked at once?
inline bool isImmediate(uintptr_t Address) {
  uint64_t Offset = __pf_shadow_root[Address >> PF_PAGE_SHIFT & PF_ROOT_MASK].load(
      std::memory_order_acquire); // as in granuleAt
  return Offset && reinterpret_cast<LivePage *>(__pf_shadow_origin + Offset)
                       ->IsImmediate.load(std::memory_order_relaxed);
}

inline LivePage *FineMemory::findPage(uintptr_t Address) {
  uint64_t Offset = __pf_shadow_root[Address >> PF_PAGE_SHIFT & PF_ROOT_MASK].load(
      std::memory_order_acquire); // as in granuleAt
  return Offset ? reinterpret_cast<LivePage *>(__pf_shadow_origin + Offset) : nullptr;
}

inline LivePage *FineMemory::lockIfThere(uintptr_t Address) PF_NO_ANALYSIS {
  if (Address - FinePage::Bytes >= Covered)
    return nullptr;
  for (;;) {
    LivePage *Page = findPage(Address);
    if (!Page)
      return nullptr;
    Page->Lock.lock();
    if (findPage(Address) == Page)
      return Page;
    Page->Lock.unlock(); // as in lockPage
  }
}

inline LivePage *FineMemory::lockPage(uintptr_t Address) PF_NO_ANALYSIS {
  // Neither in the null page nor in 47 bits: the program is about to crash, and does that better
  // than we would.
  if (Address - FinePage::Bytes >= Covered)
    return nullptr;
  for (;;) {
    LivePage *Page = findPage(Address);
    if (!Page)
      Page = makePage(Address);
    Page->Lock.lock();
    if (findPage(Address) == Page)
      return Page;
    Page->Lock.unlock(); // it was dropped, and may be another address's by now
  }
}

} // namespace photofinish::rt

#endif // PHOTOFINISH_RUNTIME_FINE_MEMORY_H
