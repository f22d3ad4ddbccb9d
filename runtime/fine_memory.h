//===- fine_memory.h - A granule for every eight bytes -------------------===//
//
// A table with an entry for every page that an address of 47 bits can name finds the shadow
// page (shadow/granule.h): a reservation of address space, of which only what is touched
// costs memory. Nothing is assumed about where the program's memory lies. Shadow pages have
// numbers, and lie one after the other; what else there is to know of each has the same number.
//
// VerifiedFT-v2's discipline, without its lock: a granule is a word that changes by a
// compare-and-exchange (shadow/granule.h), and what it refers to never changes.
//
//   field             | write                                 | read
//   ------------------+---------------------------------------+----------------------------------
//   root entry        | holding PoolLock, to another page or  | anyone, at any time
//                     | none; from deferred to immediate also |
//                     | holding the page's lock; back, while  |
//                     | the world is stopped                  |
//   a granule's word, | immediate: anyone inside, by          | anyone, at any time
//   of a page that is | exchange(); deferred: holding the     |
//                     | page's lock. It is frozen, and        |
//                     | thawed, holding PoolLock, too         |
//   the rest          | holding PoolLock                      | holding PoolLock
//
// (verifiedft-v1 and v1.5 take a page's lock for every access that is no hit, to be what they are.)
// Lock order: PoolLock, then a page's.
//
// A page that is dropped is used again when everybody has been outside the runtime since: until
// then somebody may be at one of its words, who races with the end of the memory, and has seen
// that.
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
  PageNumber NextSpare = 0; ///< while nobody has it
  bool IsUsed = false;
  /// How often in a row few granules came together, where accesses are deferred; under Lock.
  uint8_t FewInARow = 0;
};

/// Where the granules of a page are, and whether commits alone change them (slim_memory.h).
class RootEntry {
public:
  RootEntry(uint32_t Bits) : Bits(Bits) {}
  static RootEntry of(PageNumber Page, bool IsDeferred) {
    return Page | (IsDeferred ? Deferred : 0);
  }
  uint32_t bits() const { return Bits; }
  PageNumber page() const { return Bits & ~Deferred; }
  /// May an access change a granule whenever it is checked, without the page's lock?
  bool isImmediate() const { return int32_t(Bits) > 0; }

private:
  static constexpr uint32_t Deferred = 1u << 31;

  uint32_t Bits;
};

class FineMemory {
public:
  /// A memory that remembers nothing checks nothing. TakesLocks: verifiedft-v1 and v1.5. False if
  /// there is no room for it.
  bool initialise(bool RemembersNothing, bool TakesLocks);

  /// Checks an access and remembers it. StampOf() is asked if there is something to remember.
  /// Races are added to Found.
  template <class StampFn>
  void access(const Committer &Who, uintptr_t Address, size_t Bytes, AccessKind Kind,
              StampFn &&StampOf, FoundRaces &Found) {
    forEachPage(Address, Bytes, [&](uint64_t Start, uint64_t Here) {
      AlikeGranules Alike;
      FinePage::forEachGranule(Start, Here, [&](uint64_t At, uint8_t Mask) {
        check(Who, At, Mask, Kind, StampOf, Found, Alike);
      });
    });
  }

  /// The same for bytes of one granule.
  template <class StampFn>
  void accessGranule(const Committer &Who, uintptr_t Address, uint8_t Mask, AccessKind Kind,
                     StampFn &&StampOf, FoundRaces &Found) {
    AlikeGranules Alike;
    check(Who, Address & ~(Granule::Bytes - 1), Mask, Kind, StampOf, Found, Alike);
  }

  /// The same where pages have to be made by adopt(): false if there is none.
  template <class StampFn>
  bool accessGranuleIfThere(const Committer &Who, uintptr_t Address, uint8_t Mask, AccessKind Kind,
                            StampFn &&StampOf, FoundRaces &Found) {
    Use Page(*this, Address);
    uintptr_t At = Address & ~(Granule::Bytes - 1);
    return Page && change(Page, Page->granuleOf(Address), Found, [&](uint64_t Old) {
             return Granule::accessed(
                 Old, Who.T, Who.By, Mask, Kind, StampOf,
                 [&](uint8_t Raced, Epoch First, Stamp S, AccessKind FirstKind) {
                   addRace(Found, At, Raced, First, S, FirstKind);
                 });
           });
  }

  /// The same for elements of the page at Start, or for a set of whole granules, which were
  /// accessed before, at S. False also if the page has become another meanwhile: then some of it
  /// has been done, and may be done again.
  template <class Accessed>
  bool accessIfThere(const Committer &Who, uintptr_t Start, const Accessed &Some, AccessKind Kind,
                     Stamp S, FoundRaces &Found) {
    Use Page(*this, Start);
    if (!Page)
      return false;
    AlikeGranules Alike;
    bool IsStill = true;
    auto CheckOne = [&](Granule &G, uint8_t Mask, uint64_t At) __attribute__((noinline)) {
      IsStill = change(Page, G, Found, [&](uint64_t Old) {
        return Alike.next(Old, Mask, [&](bool &HasRaced) {
          return Granule::accessed(
              Old, Who.T, Who.By, Mask, Kind, [&] { return S; },
              [&](uint8_t Raced, Epoch First, Stamp FirstStamp, AccessKind FirstKind) {
                HasRaced = true;
                forEachRun(Raced, [&](unsigned From, unsigned Count) {
                  Found.push({Start + At + From, Count, First, TheStamps.noteOf(FirstStamp),
                              FirstKind, Kind, TheStamps.noteOf(S)});
                });
              });
        });
      });
    };
    bool IsOwned = Page.isOwned();
    auto Check = [&](Granule &G, uint8_t Mask, uint64_t At) __attribute__((always_inline)) {
      if (IsOwned && Alike.knows(G.load(), Mask))
        G.store(Alike.to());
      else if (IsStill)
        CheckOne(G, Mask, At);
    };
    auto CheckRun = [&](uint64_t At, unsigned Count) {
      Granule *First = &Page->granuleOf(At);
      for (unsigned I = 0; I < Count; ++I) {
        Check(First[I], uint8_t(0xff), At + I * Granule::Bytes);
        if (IsOwned)
          I += Alike.spread(First + I + 1, Count - I - 1);
      }
    };
    uint64_t Granules = visit(*Page, Some, Check, CheckRun);
    if (Page.isOwned())
      sawRun(Start, Granules);
    return IsStill;
  }
  /// The same for an access that is nothing special, as nearly all are: to bytes of the granule at
  /// an address, whose page is there. False if it races, or others are at it: then nothing has
  /// changed.
  template <AccessKind Kind, class StampFn>
  static PF_INLINE bool accessSimply(const Committer &Who, RootEntry Page, uintptr_t Address,
                                     uint8_t Mask, StampFn &&StampOf) {
    Granule &G = pageAt(Page.page()).granuleOf(Address);
    uint64_t Old = G.load();
    bool IsSimple = Old != Granule::Frozen;
    uint64_t New =
        IsSimple ? Granule::accessed(Old, Who.T, Who.By, Mask, Kind, StampOf,
                                     [&](uint8_t, Epoch, Stamp, AccessKind) { IsSimple = false; })
                 : Old;
    return IsSimple && (New == Old || G.exchange(Old, New));
  }
  /// And for a few bytes of one page. False if something is left to do.
  template <AccessKind Kind, class StampFn>
  static bool accessFewSimply(const Committer &Who, uintptr_t Address, size_t Bytes,
                              StampFn &&StampOf) {
    constexpr size_t Few = 128;
    RootEntry Page = findEntry(Address);
    bool IsDone =
        Bytes <= Few && Address % FinePage::Bytes + Bytes <= FinePage::Bytes && Page.isImmediate();
    if (IsDone)
      FinePage::forEachGranule(Address, Bytes, [&](uint64_t At, uint8_t Mask) {
        IsDone = IsDone && (Granule::isHit<Kind>(pageAt(Page.page()).granuleOf(At).load(), Mask,
                                                 Who.By.hits()) ||
                            accessSimply<Kind>(Who, Page, At, Mask, StampOf));
      });
    return IsDone;
  }
  /// And for a range of the page.
  template <AccessKind Kind, class StampFn>
  static PF_INLINE bool accessRangeSimply(const Committer &Who, RootEntry Page, uintptr_t Address,
                                          size_t Bytes, StampFn &&StampOf) {
    uintptr_t InGranule = Address % Granule::Bytes;
    if (__builtin_expect(InGranule + Bytes <= Granule::Bytes, true))
      return accessSimply<Kind>(Who, Page, Address, Granule::maskOf(InGranule, Bytes), StampOf);
    bool IsDone = true;
    AlikeGranules Alike;
    FinePage::forEachGranule(Address, Bytes, [&](uint64_t At, uint8_t Mask) {
      Granule &G = pageAt(Page.page()).granuleOf(At);
      uint64_t Old = G.load();
      IsDone = IsDone && Old != Granule::Frozen;
      if (!IsDone)
        return;
      uint64_t New = Alike.next(Old, Mask, [&](bool &HasRaced) {
        uint64_t Next =
            Granule::accessed(Old, Who.T, Who.By, Mask, Kind, StampOf,
                              [&](uint8_t, Epoch, Stamp, AccessKind) { HasRaced = true; });
        IsDone = !HasRaced;
        return Next;
      });
      IsDone = IsDone && (New == Old || G.exchange(Old, New));
    });
    return IsDone;
  }
  /// A write of a block of the page, after which nobody may use it.
  static bool freeSimply(const Committer &Who, RootEntry Page, uintptr_t Address, size_t Bytes,
                         Stamp S) {
    const uint64_t Freed = Granule::startingWith(0xff, S);
    uint64_t Known = 0; // can be freed, as has been found out
    bool IsDone = true;
    FinePage::forEachGranule(Address, Bytes, [&](uint64_t At, uint8_t Mask) {
      if (!IsDone)
        return;
      if (Mask != 0xff) {
        IsDone = accessSimply<AccessKind::Write>(Who, Page, At, Mask, [&] { return S; });
        return;
      }
      Granule &G = pageAt(Page.page()).granuleOf(At);
      uint64_t Old = G.load();
      IsDone = Old == Known ||
               (Old != Granule::Frozen && Granule::isBefore(Old, Who.T.clock(), Who.By.all()));
      Known = IsDone ? Old : Known;
      IsDone = IsDone && (Old == Freed || G.exchange(Old, Freed));
      Who.T.fired(Rule::WriteExclusive);
    });
    return IsDone;
  }
  /// The bytes are fresh memory. False if others are at it: then it is to be done again.
  static bool forgetSimply(RootEntry Page, uintptr_t Address, size_t Bytes, Stamper &By) {
    bool IsDone = true;
    FinePage::forEachGranule(Address, Bytes, [&](uint64_t At, uint8_t Mask) {
      Granule &G = pageAt(Page.page()).granuleOf(At);
      if (uint64_t Old = G.load(); Old && IsDone)
        IsDone = Old != Granule::Frozen && G.exchange(Old, Granule::forgotten(Old, By, Mask));
    });
    return IsDone;
  }
  bool has(uintptr_t Address) const { return findEntry(Address).page(); }
  /// Makes a page of one that others look after until then: Fill(FinePage &) before anyone sees it.
  template <class Fn> void adopt(uintptr_t Address, bool IsDeferred, Fn &&Fill) {
    Locked Guard(PoolLock);
    PageNumber Page = takePage();
    Fill(pageAt(Page));
    publish(Page, Address, IsDeferred);
  }
  /// The page of an address goes, if there is one and Take(words) has become what they are.
  template <class Fn> void convert(uintptr_t Address, Fn &&Take) {
    Locked Guard(PoolLock);
    PageNumber Page = findEntry(Address).page();
    if (!Page)
      return; // somebody else has
    Locked OfPage(headOf(Page).Lock);
    constexpr unsigned Count = FinePage::Bytes / Granule::Bytes;
    uint64_t Words[Count];
    for (unsigned I = 0; I < Count; ++I)
      Words[I] = pageAt(Page).granuleOf(I * Granule::Bytes).freeze();
    if (Take(static_cast<const uint64_t *>(Words)))
      return retire(Address);
    for (unsigned I = 0; I < Count; ++I)
      pageAt(Page).granuleOf(I * Granule::Bytes).store(Words[I]);
  }
  /// The page's bytes are fresh memory; there may be no page. False if it has become another.
  bool forgetIfThere(uintptr_t Address, size_t Bytes, Stamper &By);

  /// A write of all bytes after which nobody may use them, by free or by unmapping: pages that
  /// lie in the range as a whole give their shadow back. Those that are freed remember it.
  template <class StampFn>
  void accessAndDrop(const Committer &Who, uintptr_t Address, size_t Bytes, StampFn &&StampOf,
                     FoundRaces &Found, bool IsFreed) {
    if (Bytes && !TakesLocks && accessFewSimply<AccessKind::Write>(Who, Address, Bytes, StampOf))
      return;
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
  void forget(uintptr_t Address, size_t Bytes, Stamper &By);

  /// Its stamps are kept. The world is stopped.
  void keep(Stamps::Collection &C) const;
  /// Are there many pages that were dropped, and can be used again, or are better deferred?
  bool wantsRecycling() const { return NumWaiting.load(std::memory_order_relaxed) >= ManyWaiting; }
  /// The world is stopped.
  void recycle();

  /// Adds a race on the bytes Raced of the granule at At.
  static void addRace(FoundRaces &Found, uintptr_t At, unsigned Raced, Epoch First, Stamp S,
                      AccessKind Kind);

  /// For stats: what there is for a range that lies in a page, and for all memory.
  CellCount count(uintptr_t Address, size_t Bytes);
  CellCount countAll();
  /// For stats: shadow pages now, and at most so far.
  uint64_t numPages() const { return Pages.load(std::memory_order_relaxed); }
  uint64_t peakPages() const { return PeakPages.load(std::memory_order_relaxed); }
  /// Is the page of an address one of granules that an access may change, without its lock?
  bool isImmediate(uintptr_t Address) const { return findEntry(Address).isImmediate(); }
  /// Accesses to it come in order: they are better deferred, when the world is stopped next.
  void deferLater(uintptr_t Address);

private:
  using Set = GranuleSet<FinePage::Bytes / Granule::Bytes>;

  /// Calls Check(Granule &, mask, offset in the page), and CheckRun(offset, count) for whole ones
  /// beside each other; how many granules come together.
  template <class Fn, class RunFn>
  static uint64_t visit(FinePage &P, const Elements &E, Fn &&Check, RunFn &&CheckRun) {
    uint64_t InGranule = E.First % Granule::Bytes;
    if (E.isRange() && InGranule + E.span() <= Granule::Bytes) {
      Check(P.granuleOf(E.First), Granule::maskOf(InGranule, E.span()), E.First - InGranule);
      return 1;
    }
    if (E.isRange()) {
      uint64_t End = E.First + E.span(), LastWhole = End & ~(Granule::Bytes - 1);
      uint64_t FirstWhole = (E.First + Granule::Bytes - 1) & ~(Granule::Bytes - 1);
      P.visit(E.First, FirstWhole - E.First, Check);
      CheckRun(FirstWhole, unsigned((LastWhole - FirstWhole) / Granule::Bytes));
      P.visit(LastWhole, End - LastWhole, Check);
      return E.span() / Granule::Bytes;
    }
    for (uint32_t I = 0; I < E.Count; ++I)
      P.visit(E.First + uint64_t(E.Stride) * I, E.Size, Check);
    return E.Count;
  }
  template <class Fn, class RunFn>
  static uint64_t visit(FinePage &, const Set &Some, Fn &&, RunFn &&CheckRun) {
    Some.forEachRun([&](unsigned Number, unsigned Count) {
      CheckRun(uint64_t(Number) * Granule::Bytes, Count);
    });
    return Some.size();
  }

  static constexpr PageNumber MaxPages = PageNumber(1) << 27;
  static constexpr uintptr_t AddressEnd = uintptr_t(1) << 47;
  static constexpr uint32_t ManyWaiting = 256;

  /// A page while somebody changes its words: with its lock, if its accesses are deferred.
  class Use {
  public:
    /// The page of an address, if there is one.
    Use(FineMemory &All, uintptr_t Address) PF_NO_ANALYSIS {
      for (RootEntry Entry = findEntry(Address); Entry.page(); Entry = findEntry(Address)) {
        Its = &pageAt(Entry.page());
        if (Entry.isImmediate())
          return;
        Lock = &All.headOf(Entry.page()).Lock;
        Lock->lock();
        if (findEntry(Address).bits() == Entry.bits())
          return;
        Lock->unlock(); // it has become another
        Lock = nullptr;
        Its = nullptr;
      }
    }
    ~Use() PF_NO_ANALYSIS {
      if (Lock)
        Lock->unlock();
    }
    Use(const Use &) = delete;
    Use &operator=(const Use &) = delete;

    explicit operator bool() const { return Its; }
    FinePage &operator*() const { return *Its; }
    FinePage *operator->() const { return Its; }
    bool isOwned() const { return Lock; }

  private:
    FinePage *Its = nullptr;
    SpinLock *Lock = nullptr;
  };

  /// Makes Next(word) of a granule's word; false if it is frozen. What Next adds to Found counts if
  /// the word was still there.
  template <class Fn>
  static PF_INLINE bool change(const Use &Page, Granule &G, FoundRaces &Found, Fn &&Next) {
    uint32_t Before = Found.size();
    for (uint64_t Old = G.load(); Old != Granule::Frozen;) {
      uint64_t New = Next(Old);
      if (New == Old)
        return true;
      if (Page.isOwned()) {
        G.store(New);
        return true;
      }
      if (G.exchange(Old, New))
        return true;
      while (Found.size() > Before)
        Found.pop();
    }
    return false;
  }
  /// Checks an access to bytes of the granule at At, whose page is made if there is none.
  template <class StampFn>
  void check(const Committer &Who, uintptr_t At, uint8_t Mask, AccessKind Kind, StampFn &&StampOf,
             FoundRaces &Found, AlikeGranules &Alike) PF_NO_ANALYSIS {
    // Neither in the null page nor in 47 bits: the program is about to crash, and does that better
    // than we would.
    if (At - FinePage::Bytes >= Covered)
      return;
    PageNumber Number = pageFor(At);
    if (TakesLocks)
      headOf(Number).Lock.lock();
    Use Page(*this, At);
    change(Page, Page->granuleOf(At), Found, [&](uint64_t Old) {
      return Alike.next(Old, Mask, [&](bool &HasRaced) {
        return Granule::accessed(Old, Who.T, Who.By, Mask, Kind, StampOf,
                                 [&](uint8_t Raced, Epoch First, Stamp S, AccessKind FirstKind) {
                                   HasRaced = true;
                                   addRace(Found, At, Raced, First, S, FirstKind);
                                 });
      });
    });
    if (TakesLocks)
      headOf(Number).Lock.unlock();
  }
  /// So many granules of a page whose accesses are deferred were checked together.
  void sawRun(uintptr_t Start, uint64_t Granules);

  static FinePage &pageAt(PageNumber Page) { return __pf_shadow_pages[Page]; }
  PageHead &headOf(PageNumber Page) const { return Heads[Page]; }
  static std::atomic<uint32_t> &entryOf(uintptr_t Address) {
    return __pf_shadow_root[Address >> PF_PAGE_SHIFT & PF_ROOT_MASK];
  }
  static RootEntry findEntry(uintptr_t Address) {
    return entryOf(Address).load(std::memory_order_acquire); // its contents were written before
  }
  PageNumber pageFor(uintptr_t Address) {
    PageNumber Page = findEntry(Address).page();
    return Page ? Page : makePage(Address);
  }
  PageNumber makePage(uintptr_t Address);
  PageNumber takePage() PF_REQUIRES(PoolLock);
  void publish(PageNumber Page, uintptr_t Address, bool IsDeferred) PF_REQUIRES(PoolLock);
  void drop(uintptr_t Address);
  /// Nobody finds the page of an address any more.
  void retire(uintptr_t Address) PF_REQUIRES(PoolLock);
  /// The first page from Page on that has a shadow; End if there is none before it.
  uintptr_t nextTouched(uintptr_t Page, uintptr_t End);

  /// Bytes that have a shadow, beginning behind the null page; constant after initialise().
  uintptr_t Covered = AddressEnd - FinePage::Bytes;
  bool TakesLocks = false; // likewise
  PageHead *Heads = nullptr;
  SpinLock PoolLock;
  PageNumber Spares = 0;               // under PoolLock: pages that are all zeros
  PageNumber NumTaken = 1;             // under PoolLock: those from there on were never used
  Array<PageNumber> Retired;           // under PoolLock: dropped, and not to be used yet
  Array<uintptr_t> ToDefer;            // under PoolLock
  std::atomic<uint32_t> NumWaiting{0}; // of both
  std::atomic<uint64_t> Pages{0}, PeakPages{0};
};

/// Where the granule of an address is; one of zeros if nobody has touched it.
inline RootEntry rootEntryOf(uintptr_t Address) {
  // Acquire: a page's contents were written before it was published.
  return __pf_shadow_root[Address >> PF_PAGE_SHIFT & PF_ROOT_MASK].load(std::memory_order_acquire);
}
inline Granule &granuleAt(RootEntry Entry, uintptr_t Address) {
  return __pf_shadow_pages[Entry.page()].granuleOf(Address);
}

} // namespace photofinish::rt

#endif // PHOTOFINISH_RUNTIME_FINE_MEMORY_H
