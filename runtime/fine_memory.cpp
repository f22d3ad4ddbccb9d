//===- fine_memory.cpp - A granule for every eight bytes ------------------===//

#include "runtime/fine_memory.h"

#include "runtime/platform/os.h"

#include <bit>

using namespace photofinish;
using namespace photofinish::rt;

static_assert(PF_PAGE_BYTES == FinePage::Bytes && PF_PAGE_SHIFT == FinePage::Shift);
static_assert(sizeof(FinePage) == FinePage::Bytes);

extern "C" {
std::atomic<uint32_t> *__pf_shadow_root;
FinePage *__pf_shadow_pages;
}

[[clang::no_destroy]] constinit Stamps rt::TheStamps;

bool FineMemory::initialise(bool RemembersNothing) {
  if (RemembersNothing)
    Covered = 0;
  __pf_shadow_root =
      static_cast<std::atomic<uint32_t> *>(os::map((PF_ROOT_MASK + 1) * sizeof(uint32_t)));
  __pf_shadow_pages = static_cast<FinePage *>(os::map(MaxPages * sizeof(FinePage)));
  Heads = static_cast<PageHead *>(os::map(MaxPages * sizeof(PageHead)));
  return __pf_shadow_root && __pf_shadow_pages && Heads && TheStamps.initialise();
}

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
  return Page;
}

void FineMemory::publish(PageNumber Page, uintptr_t Address) {
  uint64_t Now = Pages.fetch_add(1, std::memory_order_relaxed) + 1;
  if (Now > PeakPages.load(std::memory_order_relaxed))
    PeakPages.store(Now, std::memory_order_relaxed);
  entryOf(Address).store(Page, std::memory_order_release);
}

PageNumber FineMemory::makePage(uintptr_t Address) {
  Locked Guard(PoolLock);
  if (PageNumber Page = findPage(Address))
    return Page;
  PageNumber Page = takePage();
  if (FreedPages::Record Record; TheFreedPages.take(Address, Record))
    pageAt(Page).visit(0, FinePage::Bytes, [&](Granule &G, uint8_t Mask, uint64_t) {
      G.startWith(Mask, Record.Freed);
    });
  publish(Page, Address);
  return Page;
}

void FineMemory::release(PageNumber Page) {
  for (uintptr_t At = 0; At < FinePage::Bytes; At += Granule::Bytes)
    pageAt(Page).granuleOf(At).forget(0xff);
  headOf(Page).IsImmediate.store(false, std::memory_order_relaxed);
  Pages.fetch_sub(1, std::memory_order_relaxed);
  os::discard(&pageAt(Page), sizeof(FinePage)); // it costs nothing until it is used again
  host::use(-ptrdiff_t(sizeof(FinePage)));
  Locked Guard(PoolLock);
  headOf(Page).IsUsed = false;
  headOf(Page).NextSpare = Spares;
  Spares = Page;
}

void FineMemory::keep(Stamps::Collection &C) const PF_NO_ANALYSIS {
  for (PageNumber Page = 1; Page < NumTaken; ++Page)
    if (headOf(Page).IsUsed)
      pageAt(Page).keep(C);
}

CellCount FineMemory::count(uintptr_t Address, size_t Bytes) {
  PageNumber Page = lockIfThere(Address);
  if (!Page)
    return {};
  CellCount Sum = pageAt(Page).count(Address, Bytes);
  unlockPage(Page);
  return Sum;
}

CellCount FineMemory::countAll() {
  CellCount Sum;
  for (PageNumber Page = 1; Page < NumTaken; ++Page)
    if (headOf(Page).IsUsed) {
      Locked Guard(headOf(Page).Lock);
      Sum += pageAt(Page).count(0, FinePage::Bytes);
    }
  return Sum;
}

uintptr_t FineMemory::nextTouched(uintptr_t Page, uintptr_t End) {
  for (; Page < End; Page += FinePage::Bytes)
    if (findPage(Page))
      return Page;
  return End;
}

void FineMemory::forget(uintptr_t Address, size_t Bytes) {
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
    if (!WasFreed && !findPage(Page))
      continue;
    if (IsWhole) {
      if (findPage(Page))
        drop(Page);
      continue;
    }
    PageNumber P = lockPage(From); // which makes the page, if the rest of it was freed
    pageAt(P).visit(From, To - From, [](Granule &G, uint8_t Mask, uint64_t) { G.forget(Mask); });
    unlockPage(P);
    // Somebody who raced with the free may have made the page before its record was there.
    if (FreedPages::Record Record; WasFreed)
      TheFreedPages.take(Page, Record);
  }
}

void FineMemory::forgetIfThere(uintptr_t Address, size_t Bytes) PF_NO_ANALYSIS {
  if (Bytes == FinePage::Bytes)
    return drop(Address);
  PageNumber P = lockIfThere(Address);
  if (!P)
    return;
  pageAt(P).visit(Address, Bytes, [](Granule &G, uint8_t Mask, uint64_t) { G.forget(Mask); });
  unlockPage(P);
}

void FineMemory::addRace(FoundRaces &Found, uintptr_t At, unsigned Raced, Epoch First, Stamp S,
                         AccessKind Kind) {
  Note N = TheStamps.noteOf(S);
  while (Raced) {
    auto Start = unsigned(std::countr_zero(Raced));
    auto Length = unsigned(std::countr_one(Raced >> Start));
    Raced &= ~(((1u << Length) - 1) << Start);
    // The next piece of the same access, most often.
    if (!Found.empty()) {
      FoundRace &Last = Found.back();
      if (Last.Earlier == First && Last.EarlierNote == N && Last.EarlierKind == Kind &&
          Last.Address + Last.Bytes == At + Start) {
        Last.Bytes += Length;
        continue;
      }
    }
    Found.push({At + Start, Length, First, N, Kind});
  }
}
