//===- memory.cpp - The shadow of the whole address space ----------------===//

#include "runtime/memory.h"

#include "runtime/platform/os.h"

#include <bit>

using namespace photofinish;
using namespace photofinish::rt;

[[clang::no_destroy]] constinit LiveMemory rt::TheMemory;

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

void LiveMemory::initialise(bool RemembersNothing) {
  if (RemembersNothing)
    Covered = 0;
  __pf_shadow_root =
      static_cast<std::atomic<uint64_t> *>(os::map((PF_ROOT_MASK + 1) * sizeof(uint64_t)));
  __pf_shadow_origin = static_cast<char *>(os::map(PageStep));
  FreedOf = static_cast<std::atomic<uint32_t> *>(os::map((PF_ROOT_MASK + 1) * sizeof(uint32_t)));
  if (!__pf_shadow_root || !__pf_shadow_origin || !FreedOf)
    host::giveUp(
        "cannot reserve 384 GiB of address space for the shadow; is it limited (ulimit -v)?");
}

LivePage *LiveMemory::makePage(uintptr_t Address) {
  Locked Guard(PoolLock);
  if (LivePage *Page = findPage(Address))
    return Page;
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
  auto *Page = new (Memory) LivePage();
  if (FreedRecord Record; takeFreed(Address, Record))
    Page->visit(0, FinePage::Bytes, [&](Granule &G, uint8_t Mask, uint64_t) {
      G.access(
          Mask, [](const Cell &) { return false; },
          [&](Cell &X, const AtomicHistory *, uint8_t) {
            X.assertOwned(); // nobody knows the page yet
            X.setWrite(Record.When, Record.Where);
          });
    });
  uint64_t Now = Pages.fetch_add(1, std::memory_order_relaxed) + 1;
  if (Now > PeakPages.load(std::memory_order_relaxed))
    PeakPages.store(Now, std::memory_order_relaxed);
  entryOf(Address).store(uint64_t(Memory - __pf_shadow_origin), std::memory_order_release);
  return Page;
}

void LiveMemory::drop(uintptr_t Address) {
  LivePage *Page = lockPage(Address);
  // Whoever was inside has finished; whoever comes later finds no page, or zeros.
  entryOf(Address).store(0, std::memory_order_release);
  for (uintptr_t At = 0; At < FinePage::Bytes; At += Granule::Bytes)
    Page->granuleOf(At).forget(0xff);
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

uintptr_t LiveMemory::nextTouched(uintptr_t Page, uintptr_t End) {
  for (; Page < End; Page += FinePage::Bytes)
    if (findPage(Page))
      return Page;
  return End;
}

void LiveMemory::forget(uintptr_t Address, size_t Bytes) {
  if (Address >= AddressEnd || !Bytes)
    return;
  uintptr_t End = Address + Bytes;
  for (uintptr_t Page = Address & ~(FinePage::Bytes - 1); Page < End; Page += FinePage::Bytes) {
    uintptr_t From = Page < Address ? Address : Page;
    uintptr_t To = Page + FinePage::Bytes < End ? Page + FinePage::Bytes : End;
    bool IsWhole = To - From == FinePage::Bytes;
    bool WasFreed = isFreed(Page);
    if (FreedRecord Record; WasFreed && IsWhole)
      takeFreed(Page, Record);
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
    if (FreedRecord Record; WasFreed)
      takeFreed(Page, Record);
  }
}

void LiveMemory::rememberFreed(uintptr_t Start, uintptr_t End, Epoch When, Note Where) {
  if (!Covered)
    return;
  for (uintptr_t Page = Start; Page < End; Page += FinePage::Bytes)
    if (FreedRecord Earlier; isFreed(Page))
      takeFreed(Page, Earlier);
  Locked Guard(FreedLock);
  uint32_t Number = UnusedFreed;
  if (Number) {
    UnusedFreed = Freed[Number].Pages;
  } else {
    if (Freed.empty())
      Freed.push({});
    Number = Freed.size();
    Freed.push({});
  }
  Freed[Number] = {When, Where, uint32_t((End - Start) >> FinePage::Shift)};
  NumFreed.fetch_add(1, std::memory_order_relaxed);
  for (uintptr_t Page = Start; Page < End; Page += FinePage::Bytes)
    FreedOf[Page >> FinePage::Shift].store(Number, std::memory_order_relaxed);
}

bool LiveMemory::takeFreed(uintptr_t Page, FreedRecord &Record) {
  if (!isFreed(Page))
    return false;
  Locked Guard(FreedLock);
  uint32_t Number = FreedOf[Page >> FinePage::Shift].exchange(0, std::memory_order_relaxed);
  if (!Number)
    return false;
  Record = Freed[Number];
  if (!--Freed[Number].Pages) {
    Freed[Number].Pages = UnusedFreed;
    UnusedFreed = Number;
    NumFreed.fetch_sub(1, std::memory_order_relaxed);
  }
  return true;
}

void LiveMemory::addRace(FoundRaces &Found, uintptr_t At, unsigned Raced, Epoch First, Note N,
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
