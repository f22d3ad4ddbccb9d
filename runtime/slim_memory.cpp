//===- slim_memory.cpp - Pages of classes, and what threads have touched -----------===//

#include "runtime/slim_memory.h"

#include "runtime/platform/os.h"

using namespace photofinish;
using namespace photofinish::rt;

bool SlimMemory::initialise() {
  UsesAvx2 = hasAvx2();
  Root = static_cast<std::atomic<SlimPage *> *>(os::map((PF_ROOT_MASK + 1) * sizeof(SlimPage *)));
  Tables =
      static_cast<std::atomic<LiveFootprints *> *>(os::map(MaxTables * sizeof(LiveFootprints *)));
  return Root && Tables;
}

// Pages.

SlimPage *SlimMemory::lockPage(uintptr_t Address) {
  for (;;) {
    SlimPage *Page = findPage(Address);
    if (!Page)
      Page = makePage(Address);
    if (!Page)
      return nullptr;
    Page->Lock.lock();
    if (findPage(Address) == Page)
      return Page;
    Page->Lock.unlock(); // it was dropped, and may be another address's by now
  }
}

SlimPage *SlimMemory::takePage() {
  SlimPage *Page = Spares;
  if (Page)
    Spares = Page->Next;
  else
    Page = AllPages.push(new (host::allocate(sizeof(SlimPage))) SlimPage());
  Page->Next = nullptr;
  return Page;
}

SlimPage *SlimMemory::makePage(uintptr_t Address) {
  Locked Guard(PoolLock);
  if (SlimPage *Page = findPage(Address))
    return Page;
  if (Fine.has(Address))
    return nullptr;
  SlimPage *Page = takePage();
  if (FreedPages::Record Record; TheFreedPages.take(Address, Record))
    Page->Classes.startWith(Granule::startingWith(0xff, Record.Freed));
  publish(Page, Address);
  return Page;
}

void SlimMemory::publish(SlimPage *Page, uintptr_t Address) {
  uint64_t Now = Pages.fetch_add(1, std::memory_order_relaxed) + 1;
  if (Now > PeakPages.load(std::memory_order_relaxed))
    PeakPages.store(Now, std::memory_order_relaxed);
  entryOf(Address).store(Page, std::memory_order_release);
}

void SlimMemory::rejoin(uintptr_t Address) {
  Fine.convert(Address, [&](const uint64_t *Words) {
    for (uintptr_t I = 1; I < PageBytes / Granule::Bytes; ++I)
      if (!Granule::areAlike(Words[0], Words[I], TheStamps))
        return false;
    SlimPage *Page;
    {
      Locked Guard(PoolLock);
      Page = takePage();
    }
    Page->Classes.startWith(Words[0]);
    publish(Page, Address);
    return true;
  });
}

void SlimMemory::recycle(SlimPage *Page) {
  Pages.fetch_sub(1, std::memory_order_relaxed);
  Locked Guard(PoolLock);
  Page->Next = Spares;
  Spares = Page;
}

void SlimMemory::unlockPage(SlimPage *Page, uintptr_t Address) {
  if (__builtin_expect(!Page->Classes.isIrregular(), true))
    return Page->Lock.unlock();
  unlockAsGranules(Page, Address, /*IsDeferred=*/true);
}

void SlimMemory::unlockAsGranules(SlimPage *Page, uintptr_t Address, bool IsDeferred) {
  Fine.adopt(Address, IsDeferred, [&](FinePage &Granules) {
    Page->Classes.moveTo(
        [&](unsigned Number) -> Granule & { return Granules.granuleOf(Number * Granule::Bytes); });
  });
  entryOf(Address).store(nullptr, std::memory_order_release);
  Page->Lock.unlock();
  recycle(Page);
}

void SlimMemory::drop(Thread &T, uintptr_t Address) {
  SlimPage *Page = findPage(Address) ? lockPage(Address) : nullptr;
  if (!Page) {
    Fine.forgetIfThere(Address & ~(PageBytes - 1), PageBytes, T.Stamping);
    return;
  }
  entryOf(Address).store(nullptr, std::memory_order_release);
  Page->Classes.clear();
  Page->Lock.unlock();
  recycle(Page);
}

uintptr_t SlimMemory::nextTouched(uintptr_t Page, uintptr_t End) const {
  for (; Page < End; Page += PageBytes)
    if (findPage(Page) || Fine.has(Page))
      return Page;
  return End;
}

SlimMemory::Sizes SlimMemory::measure() {
  Sizes S;
  S.FinePages = Fine.numPages();
  Locked Guard(PoolLock);
  for (SlimPage *Page : AllPages) {
    Locked Of(Page->Lock);
    const LiveClasses &C = Page->Classes;
    if (!C.numClasses())
      continue;
    ++S.PagesOf[C.numClasses() <= 1 ? 0 : C.numClasses() <= 4 ? 1 : 2];
  }
  return S;
}

CellCount SlimMemory::count(uintptr_t Address, size_t Bytes) {
  if (!findPage(Address))
    return Fine.count(Address, Bytes);
  SlimPage *Page = lockPage(Address);
  if (!Page)
    return Fine.count(Address, Bytes); // it has become one of granules just now
  CellCount Sum = Page->Classes.count(Address % PageBytes, Bytes, TheStamps);
  Page->Lock.unlock();
  return Sum;
}

CellCount SlimMemory::countAll() {
  CellCount Sum;
  Locked Guard(PoolLock);
  for (SlimPage *Page : AllPages) {
    Locked Of(Page->Lock);
    Sum += Page->Classes.count(0, PageBytes, TheStamps);
  }
  return Sum;
}

// Accesses.

static bool isWholePage(const Elements &E) {
  return E.isRange() && E.span() == LiveClasses::PageBytes;
}
static bool isWholePage(const LiveClasses::Set &) { return false; } // they come in no order

template <class Accessed>
void SlimMemory::access(Thread &T, uintptr_t Start, const Accessed &E, bool IsWrite, Stamp S,
                        FoundRaces &Found) {
  AccessKind Kind = IsWrite ? AccessKind::Write : AccessKind::Read;
  for (;;) {
    if (!findPage(Start) && Fine.accessIfThere(T.committer(), Start, E, Kind, S, Found)) {
      if (isWholePage(E))
        rejoin(Start);
      return;
    }
    SlimPage *Page = lockPage(Start);
    if (!Page)
      continue;
    Page->Classes.access(
        T.committer(), E, IsWrite, S, UsesAvx2,
        [&](uint64_t Offset, uint64_t Bytes, Epoch First, Stamp FirstStamp, AccessKind FirstKind) {
          Found.push({Start + Offset, uint32_t(Bytes), First, TheStamps.noteOf(FirstStamp),
                      FirstKind, Kind, TheStamps.noteOf(S)});
        });
    return unlockPage(Page, Start);
  }
}

auto SlimMemory::adding(Thread &T, bool IsWrite, const LivePlace &Place, FoundRaces &Found) {
  return [this, &T, IsWrite, &Place, &Found](LiveFootprint &Page, const auto &New) {
    auto MakeRoom = [&] {
      if (T.Pending.isFull())
        commit(T, Found);
    };
    uintptr_t Start = Page.Number * PageBytes;
    if constexpr (std::is_same_v<decltype(New), const Elements &>)
      if (New.isRange() && Fine.isImmediate(Start)) {
        MakeRoom();
        T.Pending.addSingle(Page, New.First, uint32_t(New.span()), IsWrite, Place);
        return;
      }
    if (accessAtOnce(T, Start, New, IsWrite, Place, Found))
      return;
    MakeRoom();
    T.Pending.add(Page, New, IsWrite, Place);
  };
}

auto SlimMemory::evicting(Thread &T, FoundRaces &Found) {
  return [this, &T, &Found](const LiveFootprint &Page) {
    if (T.Pending.isPending(Page))
      commit(T, Found);
  };
}

LiveFootprints &SlimMemory::touchedBy(Thread &T) {
  if (!T.Touched) {
    T.Touched = takeTable();
    T.publishNow();
  }
  return *T.Touched;
}

/// What lies in the page at Start, as that counts.
static Elements inPage(const Elements &E, uintptr_t Start) {
  return {E.First - Start, E.Size, E.Stride, E.Count};
}
static const LiveClasses::Set &inPage(const LiveClasses::Set &Some, uintptr_t) { return Some; }

template <class Accessed>
bool SlimMemory::accessAtOnce(Thread &T, uintptr_t Start, const Accessed &Some, bool IsWrite,
                              const LivePlace &Place, FoundRaces &Found) {
  if (!Fine.isImmediate(Start) ||
      !Fine.accessIfThere(T.committer(), Start, inPage(Some, Start),
                          IsWrite ? AccessKind::Write : AccessKind::Read, T.stampFor(Place), Found))
    return false;
  ++T.Commits.AtOnce;
  return true;
}

void SlimMemory::add(Thread &T, uintptr_t Address, size_t Bytes, bool IsWrite,
                     const LivePlace &Place, FoundRaces &Found) {
  // As in accessAtomically.
  if (Address < PageBytes || Address + Bytes > AddressEnd)
    return;
  ++T.AccessesNoted;
  touchedBy(T).add(Address, Bytes, IsWrite, adding(T, IsWrite, Place, Found), evicting(T, Found));
}

void SlimMemory::add(Thread &T, const Elements &E, bool IsWrite, const LivePlace &Place,
                     FoundRaces &Found) {
  if (E.First < PageBytes || E.First + E.span() > AddressEnd)
    return;
  T.AccessesNoted += E.Count;
  touchedBy(T).add(E, IsWrite, adding(T, IsWrite, Place, Found), evicting(T, Found));
}

void SlimMemory::commit(Thread &T, FoundRaces &Found) {
  if (T.Pending.isEmpty())
    return;
  T.Pending.forEach(
      [&](const auto &R) {
        Stamp S = T.stampFor(R.P);
        R.E.template forEachPage<PageBytes>([&](uint64_t Number, const Elements &E) {
          access(T, Number * PageBytes, E, R.IsWrite, S, Found);
        });
      },
      [&](const auto &Some) {
        access(T, Some.Number * PageBytes, Some.All, Some.IsWrite, T.stampFor(Some.P), Found);
      });
  if (T.Touched)
    T.Pending.forEachSingle(
        *T.Touched,
        [&](uint64_t Address, uint32_t Bytes, bool IsWrite, const LivePlace &Place) {
          commitSingle(T, Address, Bytes, IsWrite, Place, Found);
        },
        [](uint64_t Address) {
          __builtin_prefetch(&granuleAt(rootEntryOf(Address), Address), /*rw=*/1);
        });
  T.Pending.clear();
}

PF_INLINE void SlimMemory::commitSingle(Thread &T, uintptr_t Address, uint32_t Bytes, bool IsWrite,
                                        const LivePlace &Place, FoundRaces &Found) {
  ++T.Commits.Singles;
  RootEntry Entry = rootEntryOf(Address);
  auto StampOf = [&] { return T.stampFor(Place); };
  bool IsDone = Entry.isImmediate();
  if (IsDone)
    IsDone = IsWrite ? FineMemory::accessRangeSimply<AccessKind::Write>(T.committer(), Entry,
                                                                        Address, Bytes, StampOf)
                     : FineMemory::accessRangeSimply<AccessKind::Read>(T.committer(), Entry,
                                                                       Address, Bytes, StampOf);
  // What has been done of it is done again, and is known.
  if (__builtin_expect(!IsDone, false))
    access(T, Address & ~(PageBytes - 1), Elements::range(Address % PageBytes, Bytes), IsWrite,
           StampOf(), Found);
}

bool SlimMemory::noteRange(Thread &T, uintptr_t Address, size_t Bytes, bool IsWrite,
                           const LivePlace &Place) {
  uintptr_t Offset = Address % PageBytes;
  if (Bytes > PageBytes - Offset || Address < PageBytes || Address >= AddressEnd || !T.Touched ||
      T.Pending.isFull())
    return false;
  LiveFootprint *Page = T.Touched->touch(Address / PageBytes);
  if (!Page || !Page->knowsNone(unsigned(Offset), unsigned(Bytes), IsWrite))
    return false;
  if (rootEntryOf(Address).isImmediate())
    T.Pending.addSingle(*Page, Address, uint32_t(Bytes), IsWrite, Place);
  else
    T.Pending.add(*Page, Elements::range(Address, Bytes), IsWrite, Place);
  Page->addRange(unsigned(Offset), unsigned(Bytes), IsWrite);
  return true;
}

bool SlimMemory::freeShortly(Thread &T, uintptr_t Address, size_t Bytes, Stamp S) {
  uintptr_t Offset = Address % PageBytes;
  if (!Bytes || Bytes > PageBytes - Offset || !T.Touched)
    return false;
  RootEntry Entry = rootEntryOf(Address);
  LiveFootprint *Page = T.Touched->find(Address / PageBytes);
  if (!Entry.isImmediate() || isTouchedByOthers(T, Address, Bytes) ||
      (Page && !T.Pending.canDrop(*Page, unsigned(Offset), unsigned(Bytes))) ||
      !FineMemory::freeSimply(T.committer(), Entry, Address, Bytes, S))
    return false;
  if (Page)
    T.Pending.drop(*Page, unsigned(Offset), unsigned(Bytes));
  return true;
}

// Footprints.

LiveFootprints *SlimMemory::takeTable() {
  Locked Guard(PoolLock);
  if (!SpareTables.empty()) {
    LiveFootprints *Table = SpareTables.back();
    SpareTables.pop();
    return Table;
  }
  auto *Table = static_cast<LiveFootprints *>(os::map(sizeof(LiveFootprints)));
  uint32_t Number = NumTables.load(std::memory_order_relaxed);
  if (!Table || Number == MaxTables)
    host::giveUp(
        "cannot reserve address space for a thread's accesses; is it limited (ulimit -v)?");
  Tables[Number].store(Table, std::memory_order_relaxed);
  NumTables.store(Number + 1, std::memory_order_release); // publishes it
  return Table;
}

void SlimMemory::release(Thread &T) {
  if (!T.Touched)
    return;
  T.Touched->clear();
  Locked Guard(PoolLock);
  SpareTables.push(T.Touched);
  T.Touched = nullptr;
}

bool SlimMemory::isTouchedByOthers(const Thread &T, uintptr_t Address, size_t Bytes) const {
  uint32_t Count = NumTables.load(std::memory_order_acquire);
  for (uint32_t I = 0; I < Count; ++I)
    if (LiveFootprints *Table = Tables[I].load(std::memory_order_relaxed);
        Table != T.Touched && Table->touches(Address, Bytes))
      return true;
  return false;
}

// Memory that goes and comes.

void SlimMemory::accessAndDrop(Thread &T, uintptr_t Address, size_t Bytes, Stamp S,
                               FoundRaces &Found, bool IsFreed) {
  if (!Bytes || Address < PageBytes || Address + Bytes > AddressEnd)
    return;
  if (FineMemory::accessFewSimply<AccessKind::Write>(T.committer(), Address, Bytes,
                                                     [&] { return S; }))
    return;
  uintptr_t End = Address + Bytes;
  uintptr_t Whole = (Address + PageBytes - 1) & ~(PageBytes - 1), WholeEnd = End & ~(PageBytes - 1);
  auto Write = [&](uintptr_t From, uintptr_t To) {
    if (From < To)
      Elements::forEachPageOf<PageBytes>(From, To - From, [&](uint64_t Number, const Elements &E) {
        access(T, Number * PageBytes, E, true, S, Found);
      });
  };
  if (Whole >= WholeEnd) {
    Write(Address, End);
  } else {
    Write(Address, Whole);
    for (uintptr_t Page = Whole; (Page = nextTouched(Page, WholeEnd)) < WholeEnd;
         Page += PageBytes) {
      Write(Page, Page + PageBytes);
      drop(T, Page);
    }
    if (IsFreed)
      TheFreedPages.remember(Whole, WholeEnd, S);
    Write(WholeEnd, End);
  }
}

void SlimMemory::forget(Thread &T, uintptr_t Address, size_t Bytes) {
  if (Address >= AddressEnd || !Bytes)
    return;
  // Most often: a small block.
  if (Address % PageBytes + Bytes < PageBytes && !TheFreedPages.has(Address))
    if (RootEntry Entry = rootEntryOf(Address);
        Entry.isImmediate() && FineMemory::forgetSimply(Entry, Address, Bytes, T.Stamping))
      return;
  uintptr_t End = Address + Bytes;
  for (uintptr_t Page = Address & ~(PageBytes - 1); Page < End; Page += PageBytes) {
    uintptr_t From = Page < Address ? Address : Page;
    uintptr_t To = Page + PageBytes < End ? Page + PageBytes : End;
    bool IsWhole = To - From == PageBytes;
    bool WasFreed = TheFreedPages.has(Page);
    if (FreedPages::Record Record; WasFreed && IsWhole)
      TheFreedPages.take(Page, Record);
    if (!WasFreed && nextTouched(Page, Page + PageBytes) != Page)
      continue;
    if (IsWhole) {
      drop(T, Page);
      continue;
    }
    while (!Fine.has(Page) || !Fine.forgetIfThere(From, To - From, T.Stamping))
      if (SlimPage *P = lockPage(From)) { // which makes the page, if the rest of it was freed
        P->Classes.reset(From % PageBytes, To - From, T.Stamping);
        P->Lock.unlock();
        break;
      }
    // Somebody who raced with the free may have made the page before its record was there.
    if (FreedPages::Record Record; WasFreed)
      TheFreedPages.take(Page, Record);
  }
}
