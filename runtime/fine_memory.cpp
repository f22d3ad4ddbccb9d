//===- fine_memory.cpp - A granule for every eight bytes ------------------===//

#include "runtime/fine_memory.h"

#include "runtime/platform/os.h"

#include <bit>

using namespace photofinish;
using namespace photofinish::rt;

// What abi.h tells the pass about granules.
static_assert(sizeof(pf_granule) == sizeof(Granule) && PF_GRANULE_BYTES == Granule::Bytes);
static_assert(PF_PAGE_BYTES == FinePage::Bytes && PF_PAGE_SHIFT == FinePage::Shift);

extern "C" {
std::atomic<uint64_t> *__pf_shadow_root;
char *__pf_shadow_origin;
}

namespace {

constexpr size_t PageStep = (sizeof(LivePage) + 63) & ~size_t(63);
constexpr size_t PagesPerMapping = 64;

std::atomic<uint64_t> &entryOf(uintptr_t Address) {
  return __pf_shadow_root[Address >> FinePage::Shift & PF_ROOT_MASK];
}

} // namespace

bool FineMemory::initialise(bool RemembersNothing) {
  if (RemembersNothing)
    Covered = 0;
  __pf_shadow_root =
      static_cast<std::atomic<uint64_t> *>(os::map((PF_ROOT_MASK + 1) * sizeof(uint64_t)));
  __pf_shadow_origin = static_cast<char *>(os::map(PageStep));
  return __pf_shadow_root && __pf_shadow_origin;
}

LivePage *FineMemory::takePage() {
  char *Memory;
  if (Spares) {
    Memory = reinterpret_cast<char *>(Spares);
    Spares = Spares->Next;
    reinterpret_cast<Spare *>(Memory)->Next = nullptr;
  } else {
    if (!NumFresh) {
      Fresh = static_cast<char *>(host::allocate(PageStep * PagesPerMapping));
      NumFresh = PagesPerMapping;
    }
    Memory = Fresh;
    Fresh += PageStep;
    --NumFresh;
  }
  return new (Memory) LivePage();
}

void FineMemory::publish(LivePage *Page, uintptr_t Address) {
  uint64_t Now = Pages.fetch_add(1, std::memory_order_relaxed) + 1;
  if (Now > PeakPages.load(std::memory_order_relaxed))
    PeakPages.store(Now, std::memory_order_relaxed);
  entryOf(Address).store(uint64_t(reinterpret_cast<char *>(Page) - __pf_shadow_origin),
                         std::memory_order_release);
}

LivePage *FineMemory::makePage(uintptr_t Address) {
  Locked Guard(PoolLock);
  if (LivePage *Page = findPage(Address))
    return Page;
  LivePage *Page = takePage();
  if (FreedPages::Record Record; TheFreedPages.take(Address, Record))
    Page->visit(0, FinePage::Bytes, [&](Granule &G, uint8_t Mask, uint64_t) {
      G.access(
          Mask, [](const Cell &) { return false; },
          [&](Cell &X, const AtomicHistory *, uint8_t) {
            X.assertOwned(); // nobody knows the page yet
            X.setWrite(Record.When, Record.Where);
          });
    });
  publish(Page, Address);
  return Page;
}

void FineMemory::drop(uintptr_t Address) PF_NO_ANALYSIS {
  LivePage *Page = lockIfThere(Address);
  if (!Page)
    return; // somebody else has
  // Whoever was inside has finished; whoever comes later finds no page, or zeros.
  entryOf(Address).store(0, std::memory_order_release);
  for (uintptr_t At = 0; At < FinePage::Bytes; At += Granule::Bytes)
    Page->granuleOf(At).forget(0xff);
  Page->IsImmediate.store(false, std::memory_order_relaxed);
  unlockPage(Page);
  Pages.fetch_sub(1, std::memory_order_relaxed);
  auto *Memory = reinterpret_cast<char *>(Page);
  // The middle of a page that is no longer used costs nothing until it is used again.
  uintptr_t From = (reinterpret_cast<uintptr_t>(Memory) + 64 + 4095) & ~uintptr_t(4095);
  uintptr_t To = (reinterpret_cast<uintptr_t>(Memory) + sizeof(FinePage)) & ~uintptr_t(4095);
  os::discard(reinterpret_cast<void *>(From), To - From);
  Locked Guard(PoolLock);
  reinterpret_cast<Spare *>(Memory)->Next = Spares;
  Spares = reinterpret_cast<Spare *>(Memory);
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
    LivePage *P = lockPage(From); // which makes the page, if the rest of it was freed
    P->visit(From, To - From, [](Granule &G, uint8_t Mask, uint64_t) { G.forget(Mask); });
    unlockPage(P);
    // Somebody who raced with the free may have made the page before its record was there.
    if (FreedPages::Record Record; WasFreed)
      TheFreedPages.take(Page, Record);
  }
}

void FineMemory::forgetIfThere(uintptr_t Address, size_t Bytes) PF_NO_ANALYSIS {
  if (Bytes == FinePage::Bytes)
    return drop(Address);
  LivePage *P = lockIfThere(Address);
  if (!P)
    return;
  P->visit(Address, Bytes, [](Granule &G, uint8_t Mask, uint64_t) { G.forget(Mask); });
  unlockPage(P);
}

void FineMemory::addRace(FoundRaces &Found, uintptr_t At, unsigned Raced, Epoch First, Note N,
                         AccessKind Kind) {
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
