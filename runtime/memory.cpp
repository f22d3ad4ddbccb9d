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
__attribute__((visibility("default"))) std::atomic<uint64_t> *__pf_shadow_root;
__attribute__((visibility("default"))) char *__pf_shadow_origin;
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
  if (!__pf_shadow_root || !__pf_shadow_origin)
    host::giveUp(
        "cannot reserve 256 GiB of address space for the shadow; is it limited (ulimit -v)?");
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
  if (NumFreed.load(std::memory_order_relaxed))
    startFromFreed(*Page, Address & ~(FinePage::Bytes - 1));
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
  if (NumFreed.load(std::memory_order_relaxed))
    forgetFreed(Address, Address + Bytes);
  forEachTouched(Address, Bytes, [&](uintptr_t From, size_t Here) {
    if (Here == FinePage::Bytes)
      return drop(From);
    LivePage *P = lockPage(From);
    P->visit(From, Here, [](Granule &G, uint8_t Mask, uint64_t) { G.forget(Mask); });
    unlockPage(P);
  });
}

void LiveMemory::rememberFreed(uintptr_t Start, uintptr_t End, Epoch When, Note Where) {
  if (!Covered)
    return;
  forgetFreed(Start, End);
  Locked Guard(FreedLock);
  Freed.push({Start, End, When, Where});
  for (uint32_t I = Freed.size() - 1; I && Freed[I - 1].Start > Freed[I].Start; --I)
    std::swap(Freed[I - 1], Freed[I]);
  NumFreed.store(Freed.size(), std::memory_order_relaxed);
}

void LiveMemory::forgetFreed(uintptr_t Start, uintptr_t End) {
  Locked Guard(FreedLock);
  // Most ranges that are asked about overlap none: the first that ends behind Start tells.
  uint32_t First = 0;
  for (uint32_t Length = Freed.size(); Length;) {
    uint32_t Half = Length / 2;
    bool EndsBefore = Freed[First + Half].End <= Start;
    First += EndsBefore ? Half + 1 : 0;
    Length = EndsBefore ? Length - Half - 1 : Half;
  }
  if (First == Freed.size() || Freed[First].Start >= End)
    return;
  Array<FreedRange> Kept;
  for (const FreedRange &R : Freed) {
    if (R.Start < Start)
      Kept.push({R.Start, R.End < Start ? R.End : Start, R.When, R.Where});
    if (R.End > End)
      Kept.push({R.Start > End ? R.Start : End, R.End, R.When, R.Where});
  }
  Freed.swap(Kept);
  NumFreed.store(Freed.size(), std::memory_order_relaxed);
}

void LiveMemory::startFromFreed(LivePage &Page, uintptr_t Start) {
  Locked Guard(FreedLock);
  for (const FreedRange &R : Freed) {
    uintptr_t From = R.Start > Start ? R.Start : Start;
    uintptr_t To = R.End < Start + FinePage::Bytes ? R.End : Start + FinePage::Bytes;
    if (From < To)
      Page.visit(From, To - From, [&](Granule &G, uint8_t Mask, uint64_t) {
        G.access(Mask, [&](Cell &X, const AtomicHistory *, uint8_t) {
          X.assertOwned(); // nobody knows the page yet
          X.setWrite(R.When, R.Where);
        });
      });
  }
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
