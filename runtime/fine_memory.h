//===- fine_memory.h - A granule for every eight bytes -------------------===//
//
// A table with an entry for every page that an address of 47 bits can name finds the shadow
// page (shadow/granule.h): a reservation of address space, of which only what is touched
// costs memory. Nothing is assumed about where the program's memory lies. Shadow pages have
// numbers, and lie one after the other; what else there is to know of each has the same number.
//
// VerifiedFT-v2's discipline has the page as `sx`: each has a lock; the same-epoch tests run
// without it, everything else with it held.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_RUNTIME_FINE_MEMORY_H
#define PHOTOFINISH_RUNTIME_FINE_MEMORY_H

#include "abi/abi.h"
#include "detector/spin_lock.h"
#include "runtime/found_race.h"
#include "runtime/freed_pages.h"
#include "shadow/class_page.h"
#include "shadow/elements.h"

// Protected: there is one of each, in the executable, and it reaches them directly.
extern "C" {
extern __attribute__((visibility("protected"))) std::atomic<uint32_t> *__pf_shadow_root;
extern __attribute__((visibility("protected"))) photofinish::FinePage *__pf_shadow_pages;
}

namespace photofinish::rt {

extern Stamps TheStamps;

/// Of a shadow page. 0 has nothing but zeros: that of pages that nobody has touched.
using PageNumber = uint32_t;

/// What there is to know of a shadow page beside its granules.
struct PageHead {
  SpinLock Lock;
  PageNumber NextSpare = 0; ///< under the pool's lock, while nobody has it
  bool IsUsed = false;      ///< under the pool's lock
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

  /// Checks an access and remembers it. StampOf() is asked if there is something to remember.
  /// Races are added to Found.
  template <class StampFn>
  void access(const Committer &Who, uintptr_t Address, size_t Bytes, AccessKind Kind,
              StampFn &&StampOf, FoundRaces &Found) {
    forEachPage(Address, Bytes, [&](uint64_t Start, uint64_t Here) {
      PageNumber Page = lockPage(Start);
      if (!Page)
        return;
      pageAt(Page).visit(Start, Here, [&](Granule &G, uint8_t Mask, uint64_t At) {
        check(Who, G, At, Mask, Kind, StampOf, Found);
      });
      unlockPage(Page);
    });
  }

  /// The same for bytes of one granule, which nearly all accesses are: all of it is inlined.
  template <class StampFn>
  void accessGranule(const Committer &Who, uintptr_t Address, uint8_t Mask, AccessKind Kind,
                     StampFn &&StampOf, FoundRaces &Found) {
    PageNumber Page = lockPage(Address);
    if (!Page)
      return;
    check(Who, pageAt(Page).granuleOf(Address), Address & ~(Granule::Bytes - 1), Mask, Kind,
          StampOf, Found);
    unlockPage(Page);
  }

  /// The same where pages have to be made by adopt(): false if there is none.
  template <class StampFn>
  bool accessGranuleIfThere(const Committer &Who, uintptr_t Address, uint8_t Mask, AccessKind Kind,
                            StampFn &&StampOf, FoundRaces &Found) {
    PageNumber Page = lockIfThere(Address);
    if (!Page)
      return false;
    check(Who, pageAt(Page).granuleOf(Address), Address & ~(Granule::Bytes - 1), Mask, Kind,
          StampOf, Found);
    headOf(Page).sawOne(Address);
    unlockPage(Page);
    return true;
  }

  /// The same for elements of the page at Start, or for a set of whole granules, which were
  /// accessed before.
  template <class Accessed>
  bool accessIfThere(const Committer &Who, uintptr_t Start, const Accessed &Some, AccessKind Kind,
                     Stamp S, FoundRaces &Found) {
    PageNumber Page = lockIfThere(Start);
    if (!Page)
      return false;
    AlikeGranules Alike;
    auto Check = [&](Granule &G, uint8_t Mask, uint64_t At) __attribute__((always_inline)) {
      Alike.access(G, Mask, [&](Granule &) {
        uint32_t Before = Found.size();
        checkGranule(
            Who.T, Who.By, G, Mask, Kind, [&] { return S; },
            [&](uint8_t Raced, Epoch First, Stamp FirstStamp, AccessKind FirstKind) {
              forEachRun(Raced, [&](unsigned From, unsigned Count) {
                Found.push({Start + At + From, Count, First, TheStamps.noteOf(FirstStamp),
                            FirstKind, Kind, TheStamps.noteOf(S)});
              });
            });
        return Found.size() != Before;
      });
    };
    headOf(Page).sawRun(visit(pageAt(Page), Some, Check));
    unlockPage(Page);
    return true;
  }
  bool has(uintptr_t Address) const { return findPage(Address); }
  /// Makes a page of one that others look after until then: Fill(FinePage &) before anyone sees it.
  template <class Fn> void adopt(uintptr_t Address, Fn &&Fill) {
    Locked Guard(PoolLock);
    PageNumber Page = takePage();
    Fill(pageAt(Page));
    publish(Page, Address);
  }
  /// The page of an address goes, if there is one and IsDone(FinePage &) says so.
  template <class Fn> void dropIf(uintptr_t Address, Fn &&IsDone) PF_NO_ANALYSIS {
    PageNumber Page = lockIfThere(Address);
    if (!Page)
      return; // somebody else has
    bool Goes = IsDone(pageAt(Page));
    // Whoever was inside has finished; whoever comes later finds no page, or zeros.
    if (Goes)
      entryOf(Address).store(0, std::memory_order_release);
    unlockPage(Page);
    if (Goes)
      release(Page);
  }
  /// The page's bytes are fresh memory; there may be no page.
  void forgetIfThere(uintptr_t Address, size_t Bytes);

  /// A write of all bytes after which nobody may use them, by free or by unmapping: pages that
  /// lie in the range as a whole give their shadow back. Those that are freed remember it.
  template <class StampFn>
  void accessAndDrop(const Committer &Who, uintptr_t Address, size_t Bytes, StampFn &&StampOf,
                     FoundRaces &Found, bool IsFreed) {
    uintptr_t Whole = (Address + FinePage::Bytes - 1) & ~(FinePage::Bytes - 1);
    uintptr_t End = Address + Bytes;
    uintptr_t WholeEnd = End & ~(FinePage::Bytes - 1);
    if (Whole >= WholeEnd)
      return access(Who, Address, Bytes, AccessKind::Write, StampOf, Found);
    access(Who, Address, Whole - Address, AccessKind::Write, StampOf, Found);
    for (uintptr_t Page = Whole; (Page = nextTouched(Page, WholeEnd)) < WholeEnd;
         Page += FinePage::Bytes) {
      access(Who, Page, FinePage::Bytes, AccessKind::Write, StampOf, Found);
      drop(Page);
    }
    if (IsFreed && Covered)
      TheFreedPages.remember(Whole, WholeEnd, StampOf());
    access(Who, WholeEnd, End - WholeEnd, AccessKind::Write, StampOf, Found);
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

  /// Its stamps are kept. The world is stopped.
  void keep(Stamps::Collection &C) const;

  /// Adds a race on the bytes Raced of the granule at At.
  static void addRace(FoundRaces &Found, uintptr_t At, unsigned Raced, Epoch First, Stamp S,
                      AccessKind Kind);

  /// For stats: what there is for a range that lies in a page, and for all memory.
  CellCount count(uintptr_t Address, size_t Bytes) PF_NO_ANALYSIS;
  CellCount countAll() PF_NO_ANALYSIS;
  /// For stats: shadow pages now, and at most so far.
  uint64_t numPages() const { return Pages.load(std::memory_order_relaxed); }
  uint64_t peakPages() const { return PeakPages.load(std::memory_order_relaxed); }
  /// Is the page of an address one of granules, where accesses are checked at once?
  bool isImmediate(uintptr_t Address) const {
    PageNumber Page = findPage(Address);
    return Page && headOf(Page).IsImmediate.load(std::memory_order_relaxed);
  }

private:
  using Set = GranuleSet<FinePage::Bytes / Granule::Bytes>;

  /// Calls Check(Granule &, mask, offset in the page); how many granules come together.
  template <class Fn> static uint64_t visit(FinePage &P, const Elements &E, Fn &&Check) {
    uint64_t InGranule = E.First % Granule::Bytes;
    if (E.isRange() && InGranule + E.span() <= Granule::Bytes) {
      Check(P.granuleOf(E.First), Granule::maskOf(InGranule, E.span()), E.First - InGranule);
      return 1;
    }
    if (E.isRange()) {
      P.visit(E.First, E.span(), Check);
      return E.span() / Granule::Bytes;
    }
    for (uint32_t I = 0; I < E.Count; ++I)
      P.visit(E.First + uint64_t(E.Stride) * I, E.Size, Check);
    return E.Count;
  }
  template <class Fn> static uint64_t visit(FinePage &P, const Set &Some, Fn &&Check) {
    Some.forEach([&](unsigned Number) {
      Check(P.granuleOf(Number * Granule::Bytes), uint8_t(0xff), Number * Granule::Bytes);
    });
    return Some.size();
  }

  static constexpr PageNumber MaxPages = PageNumber(1) << 27;
  static constexpr uintptr_t AddressEnd = uintptr_t(1) << 47;

  /// Checks an access to bytes of the granule at At.
  template <class StampFn>
  static void check(const Committer &Who, Granule &G, uintptr_t At, uint8_t Mask, AccessKind Kind,
                    StampFn &&StampOf, FoundRaces &Found) {
    checkGranule(Who.T, Who.By, G, Mask, Kind, StampOf,
                 [&](uint8_t Raced, Epoch First, Stamp S, AccessKind FirstKind) {
                   addRace(Found, At, Raced, First, S, FirstKind);
                 });
  }
  static FinePage &pageAt(PageNumber Page) { return __pf_shadow_pages[Page]; }
  PageHead &headOf(PageNumber Page) const { return Heads[Page]; }
  static std::atomic<uint32_t> &entryOf(uintptr_t Address) {
    return __pf_shadow_root[Address >> PF_PAGE_SHIFT & PF_ROOT_MASK];
  }
  static PageNumber findPage(uintptr_t Address) {
    return entryOf(Address).load(std::memory_order_acquire); // its contents were written before
  }
  /// The page of an address, with its lock held; 0 if there can be none.
  PageNumber lockPage(uintptr_t Address) PF_NO_ANALYSIS {
    // Neither in the null page nor in 47 bits: the program is about to crash, and does that better
    // than we would.
    if (Address - FinePage::Bytes >= Covered)
      return 0;
    for (;;) {
      PageNumber Page = findPage(Address);
      if (!Page)
        Page = makePage(Address);
      if (lockIfStill(Page, Address))
        return Page;
    }
  }
  PageNumber lockIfThere(uintptr_t Address) PF_NO_ANALYSIS {
    if (Address - FinePage::Bytes >= Covered)
      return 0;
    for (;;) {
      PageNumber Page = findPage(Address);
      if (!Page || lockIfStill(Page, Address))
        return Page;
    }
  }
  /// Locks the page, unless it was dropped, and may be another address's by now.
  bool lockIfStill(PageNumber Page, uintptr_t Address) PF_NO_ANALYSIS {
    headOf(Page).Lock.lock();
    if (findPage(Address) == Page)
      return true;
    headOf(Page).Lock.unlock();
    return false;
  }
  void unlockPage(PageNumber Page) PF_NO_ANALYSIS { headOf(Page).Lock.unlock(); }
  PageNumber makePage(uintptr_t Address);
  PageNumber takePage() PF_REQUIRES(PoolLock);
  void publish(PageNumber Page, uintptr_t Address) PF_REQUIRES(PoolLock);
  void drop(uintptr_t Address) {
    dropIf(Address, [](FinePage &) { return true; });
  }
  void release(PageNumber Page);
  /// The first page from Page on that has a shadow; End if there is none before it.
  uintptr_t nextTouched(uintptr_t Page, uintptr_t End);

  /// Bytes that have a shadow, beginning behind the null page; constant after initialise().
  uintptr_t Covered = AddressEnd - FinePage::Bytes;
  PageHead *Heads = nullptr;
  SpinLock PoolLock;
  PageNumber Spares = 0;   // under PoolLock: pages that are all zeros
  PageNumber NumTaken = 1; // under PoolLock: those from there on were never used
  std::atomic<uint64_t> Pages{0}, PeakPages{0};
};

/// The granule of an address; one of zeros if nobody has touched it.
inline Granule &granuleAt(uintptr_t Address) {
  // Acquire: a page's contents were written before it was published.
  PageNumber Page =
      __pf_shadow_root[Address >> PF_PAGE_SHIFT & PF_ROOT_MASK].load(std::memory_order_acquire);
  return __pf_shadow_pages[Page].granuleOf(Address);
}

} // namespace photofinish::rt

#endif // PHOTOFINISH_RUNTIME_FINE_MEMORY_H
