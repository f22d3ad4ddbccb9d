//===- fine_memory.cpp - A granule for every eight bytes ------------------===//

#include "runtime/fine_memory.h"

#include "runtime/platform/os.h"

using namespace photofinish;
using namespace photofinish::rt;

static_assert(PF_PAGE_BYTES == FinePage::Bytes && PF_PAGE_SHIFT == FinePage::Shift);
static_assert(sizeof(FinePage) == FinePage::Bytes);

extern "C" {
std::atomic<uint32_t> *__pf_shadow_root;
FinePage *__pf_shadow_pages;
}

[[clang::no_destroy]] constinit Stamps rt::TheStamps;

bool FineMemory::initialise(bool RemembersNothing, bool WithLocks) {
  if (RemembersNothing)
    Covered = 0;
  TakesLocks = WithLocks;
  __pf_shadow_root =
      static_cast<std::atomic<uint32_t> *>(os::map((PF_ROOT_MASK + 1) * sizeof(uint32_t)));
  __pf_shadow_pages = static_cast<FinePage *>(os::map(MaxPages * sizeof(FinePage)));
  Heads = static_cast<PageHead *>(os::map(MaxPages * sizeof(PageHead)));
  return __pf_shadow_root && __pf_shadow_pages && Heads && TheStamps.initialise();
}

// Pages.

PageNumber FineMemory::takePage() {
  host::use(sizeof(FinePage));
  PageNumber Page = Spares;
  if (Page)
    Spares = headOf(Page).NextSpare;
  else
    Page = NumTaken++;
  if (Page == MaxPages)
    host::giveUp("the program uses more than 512 GiB of memory");
  headOf(Page).IsUsed = true;
  headOf(Page).FewInARow = 0;
  return Page;
}

void FineMemory::publish(PageNumber Page, uintptr_t Address, bool IsDeferred) {
  uint64_t Now = Pages.fetch_add(1, std::memory_order_relaxed) + 1;
  if (Now > PeakPages.load(std::memory_order_relaxed))
    PeakPages.store(Now, std::memory_order_relaxed);
  entryOf(Address).store(RootEntry::of(Page, IsDeferred).bits(), std::memory_order_release);
}

PageNumber FineMemory::makePage(uintptr_t Address) {
  Locked Guard(PoolLock);
  if (PageNumber Page = findEntry(Address).page())
    return Page;
  PageNumber Page = takePage();
  if (FreedPages::Record Record; TheFreedPages.take(Address, Record))
    pageAt(Page).visit(0, FinePage::Bytes, [&](Granule &G, uint8_t Mask, uint64_t) {
      G.store(Granule::startingWith(Mask, Record.Freed));
    });
  publish(Page, Address, /*IsDeferred=*/false);
  return Page;
}

void FineMemory::retire(uintptr_t Address) {
  PageNumber Page = findEntry(Address).page();
  entryOf(Address).store(0, std::memory_order_release);
  if (!Page)
    return;
  Pages.fetch_sub(1, std::memory_order_relaxed);
  Retired.push(Page);
  NumWaiting.fetch_add(1, std::memory_order_relaxed);
}

void FineMemory::drop(uintptr_t Address) {
  Locked Guard(PoolLock);
  retire(Address);
}

void FineMemory::recycle() {
  Locked Guard(PoolLock);
  for (PageNumber Page : Retired) {
    os::discard(&pageAt(Page), sizeof(FinePage)); // it costs nothing until it is used again
    host::use(-ptrdiff_t(sizeof(FinePage)));
    headOf(Page).IsUsed = false;
    headOf(Page).NextSpare = Spares;
    Spares = Page;
  }
  Retired.clear();
  for (uintptr_t Address : ToDefer)
    if (PageNumber Page = findEntry(Address).page())
      entryOf(Address).store(RootEntry::of(Page, /*IsDeferred=*/true).bits(),
                             std::memory_order_relaxed);
  ToDefer.clear();
  NumWaiting.store(0, std::memory_order_relaxed);
}

void FineMemory::sawRun(uintptr_t Start, uint64_t Granules) {
  constexpr uint64_t Few = 2;
  constexpr uint8_t Often = 16;
  PageNumber Page = findEntry(Start).page();
  uint8_t &InARow = headOf(Page).FewInARow;
  InARow = Granules <= Few ? uint8_t(InARow + 1) : uint8_t(0);
  if (InARow < Often)
    return;
  InARow = 0;
  // From deferred: unless the page has just been dropped.
  uint32_t Now = RootEntry::of(Page, true).bits();
  entryOf(Start).compare_exchange_strong(Now, RootEntry::of(Page, false).bits(),
                                         std::memory_order_relaxed);
}

void FineMemory::deferLater(uintptr_t Address) {
  Locked Guard(PoolLock);
  ToDefer.push(Address);
  NumWaiting.fetch_add(8, std::memory_order_relaxed);
}

uintptr_t FineMemory::nextTouched(uintptr_t Page, uintptr_t End) {
  for (; Page < End; Page += FinePage::Bytes)
    if (has(Page))
      return Page;
  return End;
}

// What is not an access.

void FineMemory::keep(Stamps::Collection &C) const PF_NO_ANALYSIS {
  for (PageNumber Page = 1; Page < NumTaken; ++Page)
    if (headOf(Page).IsUsed)
      pageAt(Page).keep(C, TheStamps);
}

CellCount FineMemory::count(uintptr_t Address, size_t Bytes) {
  PageNumber Page = findEntry(Address).page();
  return Page ? pageAt(Page).count(Address, Bytes, TheStamps) : CellCount();
}

CellCount FineMemory::countAll() {
  CellCount Sum;
  Locked Guard(PoolLock);
  for (PageNumber Page = 1; Page < NumTaken; ++Page)
    if (headOf(Page).IsUsed)
      Sum += pageAt(Page).count(0, FinePage::Bytes, TheStamps);
  return Sum;
}

void FineMemory::forget(uintptr_t Address, size_t Bytes, Stamper &By) {
  if (Address >= AddressEnd || !Bytes)
    return;
  uintptr_t End = Address + Bytes;
  for (uintptr_t Page = Address & ~(FinePage::Bytes - 1); Page < End; Page += FinePage::Bytes) {
    uintptr_t From = Page < Address ? Address : Page;
    uintptr_t To = Page + FinePage::Bytes < End ? Page + FinePage::Bytes : End;
    bool IsWhole = To - From == FinePage::Bytes;
    bool WasFreed = TheFreedPages.has(Page);
    if (FreedPages::Record Record; WasFreed && IsWhole)
      TheFreedPages.take(Page, Record);
    if (WasFreed && !IsWhole)
      makePage(Page); // the rest of it was freed
    if (has(Page))
      forgetIfThere(From, To - From, By);
    // Somebody who raced with the free may have made the page before its record was there.
    if (FreedPages::Record Record; WasFreed)
      TheFreedPages.take(Page, Record);
  }
}

bool FineMemory::forgetIfThere(uintptr_t Address, size_t Bytes, Stamper &By) {
  if (Bytes == FinePage::Bytes) {
    drop(Address);
    return true;
  }
  Use Page(*this, Address);
  if (!Page)
    return false;
  FoundRaces None;
  bool IsStill = true;
  Page->visit(Address, Bytes, [&](Granule &G, uint8_t Mask, uint64_t) {
    if (!G.isUntouched())
      IsStill &=
          change(Page, G, None, [&](uint64_t Old) { return Granule::forgotten(Old, By, Mask); });
  });
  return IsStill;
}

void FineMemory::addRace(FoundRaces &Found, uintptr_t At, unsigned Raced, Epoch First, Stamp S,
                         AccessKind Kind) {
  forEachRun(Raced, [&](unsigned From, unsigned Count) {
    FoundRace Race = {At + From, Count, First, TheStamps.noteOf(S), Kind};
    if (!Found.empty() && Race.continues(Found.back()))
      Found.back().Bytes += Count;
    else
      Found.push(Race);
  });
}
