//===- entry.cpp - What instrumented code calls --------------------------===//
//
// abi/entry_points.def, function by function. A plain access that its thread has made before
// in this epoch ends in the few instructions of a hit; all others go through the slow path. Where
// accesses are deferred, hits do not come here: instrumented code may have looked itself.
//
//===----------------------------------------------------------------------===//

#include "runtime/memory.h"
#include "runtime/modules.h"
#include "runtime/recorder.h"
#include "runtime/report.h"
#include "runtime/sync_table.h"
#include "runtime/thread.h"
#include "trace/operation.h"

#include <algorithm>
#include <bit>
#include <cstring>

using namespace photofinish;
using namespace photofinish::rt;

// The prototypes come from the table, so that a definition that differs does not compile.
#define PF_TYPE_VOID void
#define PF_TYPE_PTR void *
#define PF_TYPE_I32 uint32_t
#define PF_TYPE_I64 uint64_t
#define PF_TYPE_SITE const pf_site *
#define PF_TYPE_GROUP const pf_group *
#define PF_LIST_1(A) PF_TYPE_##A
#define PF_LIST_2(A, B) PF_TYPE_##A, PF_TYPE_##B
#define PF_LIST_3(A, B, C) PF_TYPE_##A, PF_TYPE_##B, PF_TYPE_##C
#define PF_LIST_4(A, B, C, D) PF_LIST_2(A, B), PF_LIST_2(C, D)
#define PF_LIST_5(A, B, C, D, E) PF_LIST_2(A, B), PF_LIST_3(C, D, E)
#define PF_LIST_N(A, B, C, D, E, N, ...) PF_LIST_##N
#define PF_LIST(...) PF_LIST_N(__VA_ARGS__, 5, 4, 3, 2, 1)(__VA_ARGS__)
#define PF_ENTRY(name, result, ...)                                                                \
  extern "C" __attribute__((visibility("default"))) PF_TYPE_##result name(PF_LIST(__VA_ARGS__));
#define PF_RARE_ENTRY(name, result, ...)                                                           \
  extern "C" __attribute__((visibility("default"), preserve_most)) PF_TYPE_##result name(          \
      PF_LIST(__VA_ARGS__));
#include "abi/entry_points.def"

// Plain accesses.

namespace {

/// A check of a thread that is alone costs a call and nothing else;
PF_INLINE bool isUnchecked() {
  const Thread *T = currentThread();
  return T && T->IsUnchecked.load(std::memory_order_relaxed);
}
/// and so does an empty one.
bool isNotWanted() {
  return isUnchecked() || (TheOptions.checkMode() == Mode::Empty && !recording());
}

__attribute__((noinline)) void checkSlowly(uintptr_t Address, size_t Bytes, AccessKind Kind,
                                           const pf_site *Site) {
  if (isNotWanted())
    return;
  Entered E(Site);
  if (Kind == AccessKind::Read)
    readRange(E, reinterpret_cast<void *>(Address), Bytes);
  else
    writeRange(E, reinterpret_cast<void *>(Address), Bytes);
}

/// What an inlined test would say of an access within a granule, by what abi.h tells the pass.
bool isHitInline(const pf_noted &Noted, uintptr_t Address, size_t Bytes, bool IsWrite) {
  uintptr_t Number = Address >> PF_PAGE_SHIFT, G = Address % PF_PAGE_BYTES / PF_GRANULE_BYTES;
  const pf_noted_page &Page = Noted.pages[Number % PF_NOTED_ENTRIES];
  if (Page.number != Number || Address % Bytes)
    return false;
  if (Bytes == PF_GRANULE_BYTES)
    return (IsWrite ? Page.written_whole : Page.read_whole)[G / 8] >> G % 8 & 1;
  auto *InPart = reinterpret_cast<const pf_noted_bytes *>(reinterpret_cast<uintptr_t>(&Page) +
                                                          uintptr_t(Page.to_bytes));
  uint8_t Wanted = Granule::maskOf(Address % PF_GRANULE_BYTES, Bytes);
  return !(Wanted & ~(IsWrite ? InPart->written : InPart->read)[G]);
}

/// And of a group; of its masks, nothing else is looked at.
bool isHitInline(const pf_noted &Noted, uintptr_t Address, const pf_group &Group) {
  uint64_t Whole = Group.read_whole | Group.written_whole;
  auto Extent = std::max(std::bit_width(Group.read | Group.written),
                         std::bit_width(Whole) * PF_GRANULE_BYTES);
  const pf_noted_page &Page = Noted.pages[(Address >> PF_PAGE_SHIFT) % PF_NOTED_ENTRIES];
  if (Page.number != (Address + unsigned(Extent) - 1) >> PF_PAGE_SHIFT ||
      (Whole && Address % PF_GRANULE_BYTES))
    return false;
  uintptr_t G = Address % PF_PAGE_BYTES / PF_GRANULE_BYTES;
  auto HasWhole = [&](const uint8_t *Set, uint8_t Wanted) {
    uint16_t Bits;
    std::memcpy(&Bits, Set + G / 8, sizeof(Bits));
    return !(Wanted & ~(Bits >> G % 8));
  };
  auto *InPart = reinterpret_cast<const pf_noted_bytes *>(reinterpret_cast<uintptr_t>(&Page) +
                                                          uintptr_t(Page.to_bytes));
  auto HasBytes = [&](const uint8_t *First, uint64_t Wanted) {
    uint64_t Bits;
    std::memcpy(&Bits, First + G, sizeof(Bits));
    return !(Wanted & ~(Bits >> Address % PF_GRANULE_BYTES));
  };
  return HasWhole(Page.read_whole, Group.read_whole) &&
         HasWhole(Page.written_whole, Group.written_whole) && HasBytes(InPart->read, Group.read) &&
         HasBytes(InPart->written, Group.written);
}

[[noreturn]] void giveUpOnHit() {
  host::giveUp("this is a defect of Photofinish: a hit would have hidden a race; please report it");
}

/// An access within one granule, whatever there is to do.
template <AccessKind Kind>
__attribute__((noinline)) void checkGranuleSlowly(uintptr_t Address, size_t Bytes,
                                                  const pf_site *Site) {
  if (isNotWanted())
    return;
  Entered E(Site);
  if (E.isIdle())
    return;
  Thread &T = E.thread();
  if (__builtin_expect(T.isAlone(), false) && isInNoRace(T, Address, Bytes))
    return;
  constexpr bool IsWrite = Kind == AccessKind::Write;
  FoundRaces Found;
  {
    RecordingLock Lock;
    bool WouldHit = false;
    if (__builtin_expect(recording(), false)) {
      recordCheck(T, Site, IsWrite, Address, Bytes);
      // Where accesses are deferred, what is found may be about others that are committed now: but
      // what an inlined test calls a hit has been noted.
      if (TheMemory.isDeferred())
        WouldHit =
            T.Touched &&
            isHitInline(*reinterpret_cast<const pf_noted *>(T.Touched), Address, Bytes, IsWrite) &&
            !T.Touched->find(Address / PF_PAGE_BYTES)
                 ->knows(unsigned(Address % PF_PAGE_BYTES), unsigned(Bytes), IsWrite);
      else
        WouldHit = Granule::isSame(granuleAt(rootEntryOf(Address), Address).load(),
                                   Granule::maskOf(Address % Granule::Bytes, Bytes), IsWrite,
                                   T.State.now(), TheStamps);
    }
    if (TheMemory.isDeferred())
      TheMemory.add(T, Address, Bytes, IsWrite, T.placeOf(Site), Found);
    else
      TheMemory.accessGranule(T, Address, Bytes, Kind, [&] { return T.stampFor(Site); }, Found);
    // Every recorded run is a test of the way that unrecorded ones take.
    if (WouldHit && (TheMemory.isDeferred() || !Found.empty()))
      giveUpOnHit();
  }
  if (__builtin_expect(!Found.empty(), false))
    reportRaces(E, Kind, AccessForm::Plain, Address, Bytes, Found);
  tidyMemory(E);
}

/// Inside, as with an Entered, which would look at more: the way of accesses that are nothing
/// special. False if the thread is, or somebody waits for it to be outside.
PF_INLINE bool enterShortly(Thread &T) {
  if (T.Inside.load(std::memory_order_relaxed) | StopWanted.load(std::memory_order_relaxed))
    return false;
  T.Inside.store(1, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (__builtin_expect(!StopWanted.load(std::memory_order_relaxed), true))
    return true;
  T.Inside.store(0, std::memory_order_release);
  return false;
}
PF_INLINE void leaveShortly(Thread &T, const pf_site *Site) {
  std::atomic_signal_fence(std::memory_order_seq_cst);
  T.Inside.store(0, std::memory_order_release);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (__builtin_expect(T.OnLeaving != nullptr, false))
    Entered Leaves(Site); // and delivers what has come
}

/// Calls Do(T) inside: what it returns, or 0 if the thread or the moment is something special.
template <class Fn> PF_INLINE unsigned doShortly(const pf_site *Site, Fn &&Do) {
  Thread *T = currentThread();
  if (__builtin_expect(
          !T || !T->IsCheckedShortly.load(std::memory_order_relaxed) || !enterShortly(*T), false))
    return 0;
  unsigned Done = Do(*T);
  leaveShortly(*T, Site);
  if (__builtin_expect(TheMemory.wantsRest(), false)) {
    Entered E(Site);
    tidyMemory(E);
  }
  return Done;
}

/// So many accesses that are no hits, one behind the other, are a sweep.
constexpr uint32_t ManyInOrder = 128;

/// An access within one granule that is no hit, and checked at once.
template <AccessKind Kind, size_t Bytes>
__attribute__((noinline)) void missGranule(uintptr_t Address, const pf_site *Site) {
  Thread *T = currentThread();
  if (__builtin_expect(!T || !T->IsCheckedShortly.load(std::memory_order_relaxed), false)) {
    if (T && T->IsUnchecked.load(std::memory_order_relaxed))
      return;
    return checkGranuleSlowly<Kind>(Address, Bytes, Site);
  }
  constexpr bool IsWrite = Kind == AccessKind::Write;
  uint8_t Mask = Granule::maskOf(Address % Granule::Bytes, Bytes);
  if (T->Recent->Checked.has(Address, Mask, IsWrite))
    return;
  if (__builtin_expect(!enterShortly(*T), false))
    return checkGranuleSlowly<Kind>(Address, Bytes, Site);
  bool IsDone = false;
  // Again, as the page may have been dropped, and used again.
  RootEntry Entry = rootEntryOf(Address);
  if (__builtin_expect(Entry.page() != 0, true)) {
    IsDone = FineMemory::accessSimply<Kind>(T->committer(), Entry, Address, Mask,
                                            [&] { return T->stampFor(Site); });
    if (IsDone && !Granule::isHit<Kind>(granuleAt(Entry, Address).load(), Mask, T->Stamping.hits()))
      T->Recent->Checked.add(Address, Mask, IsWrite);
  }
  leaveShortly(*T, Site);
  if (__builtin_expect(!IsDone, false))
    return checkGranuleSlowly<Kind>(Address, Bytes, Site);
  if (__builtin_expect(TheMemory.wantsRest(), false)) {
    Entered E(Site);
    tidyMemory(E);
  }
}

/// Does it lie in a granule, or is it a pair of them?
PF_INLINE bool isInOne(uintptr_t Address, size_t Bytes) {
  uintptr_t Together = Bytes > Granule::Bytes ? Bytes : Granule::Bytes;
  return Address % Together + Bytes <= Together;
}
/// The page's notes; null if the thread has none. What has to see every access has the thread look
/// at an empty table.
PF_INLINE LiveFootprint *notedPage(uintptr_t Address) {
  return reinterpret_cast<LiveFootprints *>(__pf_thread.noted)->find(Address / PF_PAGE_BYTES);
}
/// Where the thread notes accesses to bytes of one page; null if it does not.
inline LiveFootprint *notedRange(uintptr_t Address, uint64_t Bytes) {
  if (Bytes > PF_PAGE_BYTES || Address % PF_PAGE_BYTES + Bytes > PF_PAGE_BYTES)
    return nullptr;
  return notedPage(Address);
}
/// A hit, where accesses are deferred.
template <AccessKind Kind, size_t Bytes> PF_INLINE bool isNoted(uintptr_t Address) {
  const LiveFootprint *Page = isInOne(Address, Bytes) ? notedPage(Address) : nullptr;
  return Page && Page->has(unsigned(Address % PF_PAGE_BYTES), Bytes, Kind == AccessKind::Write);
}

/// An access that is no hit, where accesses are deferred, to bytes of one granule or to a pair of
/// them: notes it, or checks it at once, as its page wants it. Sweeps over memory are made of
/// these, and so are programs of small objects: it is as short as it can be. False: everything else
/// goes on as usual. T is inside.
template <AccessKind Kind>
PF_INLINE bool noteIn(Thread &T, LiveFootprint &Page, RootEntry Entry, uintptr_t Address,
                      size_t Bytes, const pf_site *Site) {
  constexpr bool IsWrite = Kind == AccessKind::Write;
  auto Offset = unsigned(Address % PF_PAGE_BYTES);
  bool IsDone = false;
  if (Page.knows(Offset, unsigned(Bytes), IsWrite)) {
    Page.show(Offset, unsigned(Bytes), IsWrite);
    return true;
  }
  if (!Entry.isImmediate()) {
    IsDone = Address >= PF_PAGE_BYTES && !T.Pending.isFull();
    if (IsDone)
      T.Pending.add(Page, Address, uint32_t(Bytes), IsWrite, T.placeOf(Site));
  } else if (!T.Pending.isFull()) {
    uint32_t InOrder =
        T.Pending.addSingle(Page, Address, uint32_t(Bytes), IsWrite, T.placeOf(Site));
    if (__builtin_expect(InOrder % ManyInOrder == ManyInOrder - 1, false))
      TheMemory.expectSweep(Address);
    IsDone = true;
  }
  if (IsDone)
    Page.add(Offset, unsigned(Bytes), IsWrite);
  return IsDone;
}
/// Calls Note(T, page, entry) on the way of accesses that are nothing special, if the thread can
/// note something of the page: how many it has done; else 0.
template <class Fn>
PF_INLINE unsigned noteShortly(uintptr_t Address, const pf_site *Site, Fn &&Note) {
  return doShortly(Site, [&](Thread &T) {
    LiveFootprint *Page = T.Touched ? T.Touched->touch(Address / PF_PAGE_BYTES) : nullptr;
    return __builtin_expect(Page != nullptr, true) ? Note(T, *Page, rootEntryOf(Address)) : 0u;
  });
}

template <AccessKind Kind, size_t Bytes>
PF_INLINE bool note(uintptr_t Address, const pf_site *Site) {
  return isInOne(Address, Bytes) &&
         noteShortly(Address, Site, [&](Thread &T, LiveFootprint &Page, RootEntry Entry) {
           return unsigned(noteIn<Kind>(T, Page, Entry, Address, Bytes, Site));
         });
}

/// The same, and what goes on as usual.
template <AccessKind Kind, size_t Bytes>
__attribute__((noinline)) void noteOrCheck(uintptr_t Address, const pf_site *Site) {
  if (note<Kind, Bytes>(Address, Site))
    return;
  if (Address % Granule::Bytes + Bytes <= Granule::Bytes)
    checkGranuleSlowly<Kind>(Address, Bytes, Site);
  else
    checkSlowly(Address, Bytes, Kind, Site);
}

/// Where accesses are deferred: nothing but the test, so that a hit saves no registers.
template <AccessKind Kind, size_t Bytes>
__attribute__((noinline)) void checkNoted(uintptr_t Address, const pf_site *Site) {
  if (!isNoted<Kind, Bytes>(Address) && !isUnchecked())
    noteOrCheck<Kind, Bytes>(Address, Site);
}

/// Every plain access of so many bytes begins here.
template <AccessKind Kind, size_t Bytes> PF_INLINE void check(void *Start, const pf_site *Site) {
  auto Address = reinterpret_cast<uintptr_t>(Start);
  if (TheMemory.isDeferred())
    return checkNoted<Kind, Bytes>(Address, Site);
  if (Address % Granule::Bytes + Bytes > Granule::Bytes)
    return checkSlowly(Address, Bytes, Kind, Site);
  const Thread *T = currentThread();
  if (__builtin_expect(T != nullptr, true) &&
      Granule::isHit<Kind>(granuleAt(rootEntryOf(Address), Address).load(),
                           Granule::maskOf(Address % Granule::Bytes, Bytes), T->Stamping.hits()))
    return;
  missGranule<Kind, Bytes>(Address, Site);
}

} // namespace

#define PF_CHECKS(Bytes)                                                                           \
  void __pf_read##Bytes(void *P, const pf_site *Site) { check<AccessKind::Read, Bytes>(P, Site); } \
  void __pf_write##Bytes(void *P, const pf_site *Site) { check<AccessKind::Write, Bytes>(P, Site); }
PF_CHECKS(1)
PF_CHECKS(2)
PF_CHECKS(4)
PF_CHECKS(8)
PF_CHECKS(16)

// What follows is the same call for all of them, so that what has to be saved is saved here alone.
#define PF_FIRST_CHECK(Name, Kind, Bytes)                                                          \
  __attribute__((preserve_most)) void Name(void *P, const pf_site *Site) {                         \
    if (isUnchecked())                                                                             \
      return;                                                                                      \
    auto Address = reinterpret_cast<uintptr_t>(P);                                                 \
    if (TheMemory.isDeferred())                                                                    \
      noteOrCheck<AccessKind::Kind, Bytes>(Address, Site);                                         \
    else                                                                                           \
      check<AccessKind::Kind, Bytes>(P, Site);                                                     \
  }
#define PF_FIRST_CHECKS(Bytes)                                                                     \
  PF_FIRST_CHECK(__pf_first_read##Bytes, Read, Bytes)                                              \
  PF_FIRST_CHECK(__pf_first_write##Bytes, Write, Bytes)
PF_FIRST_CHECKS(1)
PF_FIRST_CHECKS(2)
PF_FIRST_CHECKS(4)
PF_FIRST_CHECKS(8)

namespace {

/// Structures that are copied again and again are a few granules of one page, and known.
template <AccessKind Kind> void checkRange(void *P, uint64_t Bytes, const pf_site *Site) {
  if (!Bytes)
    return;
  auto Address = reinterpret_cast<uintptr_t>(P);
  if (const LiveFootprint *Page = notedRange(Address, Bytes);
      Page &&
      Page->knowsAll(unsigned(Address % PF_PAGE_BYTES), unsigned(Bytes), Kind == AccessKind::Write))
    return;
  bool IsDone = doShortly(Site, [&](Thread &T) {
    if (TheMemory.isDeferred())
      return unsigned(
          TheMemory.noteRange(T, Address, Bytes, Kind == AccessKind::Write, T.placeOf(Site)));
    return unsigned(FineMemory::accessFewSimply<Kind>(T.committer(), Address, Bytes,
                                                      [&] { return T.stampFor(Site); }));
  });
  if (!IsDone)
    checkSlowly(Address, Bytes, Kind, Site);
}

} // namespace

void __pf_read_range(void *P, uint64_t Bytes, const pf_site *Site) {
  checkRange<AccessKind::Read>(P, Bytes, Site);
}
void __pf_write_range(void *P, uint64_t Bytes, const pf_site *Site) {
  checkRange<AccessKind::Write>(P, Bytes, Site);
}

namespace {

/// Makes sure that what an inlined test would call a hit has been noted, in a recorded run: of a
/// group that has these accesses.
template <class Fn>
void checkHit(uintptr_t Address, const pf_group &Group, const pf_site *Site, Fn &&IsNoted) {
  Entered E(Site);
  LiveFootprints *Touched = E.isIdle() ? nullptr : E.thread().Touched;
  if (Touched && isHitInline(*reinterpret_cast<const pf_noted *>(Touched), Address, Group) &&
      !IsNoted(*Touched))
    giveUpOnHit();
}
bool isNotedIn(LiveFootprints &Touched, uintptr_t Address, uint64_t Bytes, bool IsWrite) {
  const LiveFootprint *Page = Touched.find(Address / PF_PAGE_BYTES);
  return Page && Page->knowsAll(unsigned(Address % PF_PAGE_BYTES), unsigned(Bytes), IsWrite);
}

template <AccessKind Kind>
__attribute__((noinline)) void checkFirstRange(void *P, uint64_t Bytes, const pf_site *Site) {
  if (__builtin_expect(recording(), false)) {
    auto Address = reinterpret_cast<uintptr_t>(P);
    constexpr bool IsWrite = Kind == AccessKind::Write;
    pf_group Group = {};
    (IsWrite ? Group.written_whole : Group.read_whole) =
        uint8_t((1u << Bytes / PF_GRANULE_BYTES) - 1);
    checkHit(Address, Group, Site,
             [&](LiveFootprints &Touched) { return isNotedIn(Touched, Address, Bytes, IsWrite); });
  }
  checkRange<Kind>(P, Bytes, Site);
}

} // namespace

__attribute__((preserve_most)) void __pf_first_read_range(void *P, uint64_t Bytes,
                                                          const pf_site *Site) {
  if (!isUnchecked())
    checkFirstRange<AccessKind::Read>(P, Bytes, Site);
}
__attribute__((preserve_most)) void __pf_first_write_range(void *P, uint64_t Bytes,
                                                           const pf_site *Site) {
  if (!isUnchecked())
    checkFirstRange<AccessKind::Write>(P, Bytes, Site);
}

namespace {

/// As if it were alone; false if no instruction accesses so many bytes.
template <AccessKind Kind> bool checkOne(void *P, uint64_t Bytes, const pf_site *Site) {
  auto Checks = [&]<size_t... Sizes>(std::index_sequence<Sizes...>) {
    return ((Bytes == Sizes && (check<Kind, Sizes>(P, Site), true)) || ...);
  };
  return Checks(std::index_sequence<1, 2, 4, 8, 16>());
}

/// How many elements, from the first on, the thread has noted.
template <AccessKind Kind>
uint64_t notedOf(uintptr_t Address, uint64_t Size, uint64_t Stride, uint64_t Count) {
  uint64_t I = 0;
  for (; I < Count; ++I, Address += Stride) {
    const LiveFootprint *Page = notedRange(Address, Size);
    if (!Page || !Page->knowsAll(unsigned(Address % PF_PAGE_BYTES), unsigned(Size),
                                 Kind == AccessKind::Write))
      break;
  }
  return I;
}

/// A set of fewer elements takes longer than they do one by one.
constexpr uint64_t FewElements = 16;

template <AccessKind Kind>
void checkStrided(void *P, uint64_t Size, uint64_t Stride, uint64_t Count, const pf_site *Site) {
  auto Address = reinterpret_cast<uintptr_t>(P);
  if (!Size || !Count)
    return;
  // From the lowest on.
  if (int64_t(Stride) < 0) {
    Address += Stride * (Count - 1);
    Stride = -Stride;
  }
  // What overlaps or touches is a range.
  if (Stride <= Size || Count == 1)
    return checkRange<Kind>(reinterpret_cast<void *>(Address), Stride * (Count - 1) + Size, Site);
  // Sets are sets of granules: it takes one for each part of them.
  if (Size < Granule::Bytes || Count <= FewElements) {
    uint64_t Noted = notedOf<Kind>(Address, Size, Stride, Count);
    Address += Stride * Noted;
    Count -= Noted;
  }
  for (; Count && Count <= FewElements; --Count, Address += Stride)
    if (!checkOne<Kind>(reinterpret_cast<void *>(Address), Size, Site))
      break;
  if (!Count || isNotWanted())
    return;
  Entered E(Site);
  if (Stride > UINT32_MAX || Count > UINT32_MAX)
    for (uint64_t I = 0; I < Count; ++I)
      accessElements(E, Elements::range(Address + Stride * I, Size), Kind);
  else
    accessElements(E, {Address, uint32_t(Size), uint32_t(Stride), uint32_t(Count)}, Kind);
}

void checkFields(void *P, uint64_t Bytes, AccessKind Kind, const pf_site *Site) {
  if (isNotWanted())
    return;
  Entered E(Site);
  forEachRun(Bytes, [&](unsigned First, unsigned Count) {
    accessElements(E, Elements::range(reinterpret_cast<uintptr_t>(P) + First, Count), Kind);
  });
}

} // namespace

void __pf_read_strided(void *P, uint64_t Size, uint64_t Stride, uint64_t Count,
                       const pf_site *Site) {
  checkStrided<AccessKind::Read>(P, Size, Stride, Count, Site);
}
void __pf_write_strided(void *P, uint64_t Size, uint64_t Stride, uint64_t Count,
                        const pf_site *Site) {
  checkStrided<AccessKind::Write>(P, Size, Stride, Count, Site);
}
void __pf_read_fields(void *P, uint64_t Bytes, const pf_site *Site) {
  checkFields(P, Bytes, AccessKind::Read, Site);
}
void __pf_write_fields(void *P, uint64_t Bytes, const pf_site *Site) {
  checkFields(P, Bytes, AccessKind::Write, Site);
}

namespace {

const pf_group_member *membersOf(const pf_group *Group) {
  return reinterpret_cast<const pf_group_member *>(Group + 1);
}
const pf_site *siteOf(const pf_group_member &M) {
  return reinterpret_cast<const pf_site *>(reinterpret_cast<const char *>(&M.site) + M.site);
}
/// Notes the members of a group in a page, from the first on, as many as are nothing special: their
/// number.
unsigned noteMembers(uintptr_t Address, const pf_group *Group) {
  const pf_group_member *Members = membersOf(Group);
  auto Note = [&](Thread &T, LiveFootprint &Page, RootEntry Entry) {
    auto NoteOne = [&](const pf_group_member &M) {
      uintptr_t At = Address + M.offset;
      return isInOne(At, M.size) &&
             (M.write ? noteIn<AccessKind::Write>(T, Page, Entry, At, M.size, siteOf(M))
                      : noteIn<AccessKind::Read>(T, Page, Entry, At, M.size, siteOf(M)));
    };
    unsigned Done = 0;
    while (Done < Group->count && NoteOne(Members[Done]))
      ++Done;
    return Done;
  };
  return noteShortly(Address, siteOf(*Members), Note);
}

__attribute__((noinline)) void checkHitOfGroup(uintptr_t Address, const pf_group &Group) {
  const pf_group_member *Members = membersOf(&Group);
  checkHit(Address, Group, siteOf(*Members), [&](LiveFootprints &Touched) {
    return std::all_of(Members, Members + Group.count, [&](const pf_group_member &M) {
      return isNotedIn(Touched, Address + M.offset, M.size, M.write);
    });
  });
}

__attribute__((noinline)) void checkMembers(void *P, const pf_group *Group) {
  auto Address = reinterpret_cast<uintptr_t>(P);
  bool IsInPage = Address % PF_PAGE_BYTES <= PF_PAGE_BYTES - PF_GROUP_BYTES - Granule::Bytes;
  unsigned Done = TheMemory.isDeferred() && IsInPage ? noteMembers(Address, Group) : 0;
  for (unsigned I = Done; I < Group->count; ++I) {
    const pf_group_member &M = membersOf(Group)[I];
    void *Place = static_cast<char *>(P) + M.offset;
    if (M.write)
      checkOne<AccessKind::Write>(Place, M.size, siteOf(M));
    else
      checkOne<AccessKind::Read>(Place, M.size, siteOf(M));
  }
}

} // namespace

void __pf_check_group(void *P, const pf_group *Group) {
  auto Address = reinterpret_cast<uintptr_t>(P);
  uintptr_t Offset = Address % PF_PAGE_BYTES;
  // Checks that are not deferred find no page.
  const LiveFootprint *Page = notedPage(Address);
  if (Page && Offset <= PF_PAGE_BYTES - PF_GROUP_BYTES - Granule::Bytes &&
      Page->hasAll(unsigned(Offset), *Group))
    return;
  checkMembers(P, Group);
}
__attribute__((preserve_most)) void __pf_first_group(void *P, const pf_group *Group) {
  if (isUnchecked())
    return;
  if (__builtin_expect(recording(), false))
    checkHitOfGroup(reinterpret_cast<uintptr_t>(P), *Group);
  checkMembers(P, Group);
}

namespace {

void announce(void *P, uint64_t Bytes, uint8_t Kind, const pf_site *Site) {
  // An access through a null pointer is none: it crashes.
  if (!recording() || reinterpret_cast<uintptr_t>(P) < PF_PAGE_BYTES)
    return;
  Entered E(Site);
  if (E.isIdle())
    return;
  RecordingLock Lock;
  record(E.thread(), Site, Kind, reinterpret_cast<uintptr_t>(P), Bytes, PF_RECORDED_CHECKED_APART);
}

} // namespace

void __pf_accessed_read(void *P, uint64_t Bytes, const pf_site *Site) {
  announce(P, Bytes, PF_RECORDED_READ, Site);
}
void __pf_accessed_write(void *P, uint64_t Bytes, const pf_site *Site) {
  announce(P, Bytes, PF_RECORDED_WRITE, Site);
}

void __pf_vptr_read(void *P, const pf_site *Site) { check<AccessKind::Read, 8>(P, Site); }
void __pf_vptr_write(void *P, void *Value, const pf_site *Site) {
  // A destructor sets the pointer of its own class again; nobody can see that.
  if (*static_cast<void *volatile *>(P) != Value)
    check<AccessKind::Write, 8>(P, Site);
}

void *__pf_memcpy(void *To, void *From, uint64_t Bytes, const pf_site *Written,
                  const pf_site *Read) {
  __pf_read_range(From, Bytes, Read);
  __pf_write_range(To, Bytes, Written);
  return std::memcpy(To, From, Bytes);
}

void *__pf_memmove(void *To, void *From, uint64_t Bytes, const pf_site *Written,
                   const pf_site *Read) {
  __pf_read_range(From, Bytes, Read);
  __pf_write_range(To, Bytes, Written);
  return std::memmove(To, From, Bytes);
}

void *__pf_memset(void *To, uint32_t Byte, uint64_t Bytes, const pf_site *Written) {
  __pf_write_range(To, Bytes, Written);
  return std::memset(To, int(Byte), Bytes);
}

// Atomics. From begin to end the blocks that the operation touches are locked, so that the
// operation, its check and what it teaches and publishes are one step.

static uintptr_t blockOf(uintptr_t Address) { return Address & ~uintptr_t(AtomicBlock::Bytes - 1); }

/// Calls Visit(block's object, mask) for the blocks of an operation that has begun.
template <class Fn>
static void forEachBlock(Thread &T, uintptr_t Address, size_t Bytes, Fn &&Visit) {
  for (SyncObject *O : T.Atomics) {
    uintptr_t From = Address > O->Key ? Address : O->Key;
    uintptr_t BlockEnd = O->Key + AtomicBlock::Bytes;
    uintptr_t To = Address + Bytes < BlockEnd ? Address + Bytes : BlockEnd;
    Visit(*O, uint16_t(((uint32_t(1) << (To - From)) - 1) << (From - O->Key)));
  }
}

void __pf_atomic_begin(void *P, uint64_t Bytes, const pf_site *Site) {
  // Inside until the operation ends; the destructor does not run here.
  alignas(Entered) char Place[sizeof(Entered)];
  auto *E = new (Place) Entered(Site);
  if (E->isIdle())
    return;
  if (!Bytes)
    return E->~Entered(); // as end does nothing, too
  auto Address = reinterpret_cast<uintptr_t>(P);
  Thread &T = E->thread();
  for (uintptr_t Block = blockOf(Address); Block < Address + Bytes; Block += AtomicBlock::Bytes)
    T.Atomics.push(&T.UsedAtomics.lockOrMake(Block));
}

void __pf_atomic_end(void *P, uint64_t Bytes, uint32_t Kind, uint32_t Order,
                     const pf_site *Site) PF_NO_ANALYSIS {
  Thread *Current = currentThread();
  if (!Current || Current->Atomics.empty())
    return;
  Entered E(Site);
  Thread &T = E.thread();
  auto Address = reinterpret_cast<uintptr_t>(P);
  bool IsAcquire = Kind != PF_ATOMIC_STORE && isAcquire(MemoryOrder(Order));
  bool IsRelease = Kind != PF_ATOMIC_LOAD && isRelease(MemoryOrder(Order));
  bool Teaches = false;
  if (IsAcquire)
    forEachBlock(T, Address, Bytes, [&](SyncObject &O, uint16_t Mask) {
      Teaches |= rule::teaches(O.atomic(), Mask, T.State);
    });
  AccessKind Access = Kind == PF_ATOMIC_LOAD ? AccessKind::AtomicRead : AccessKind::AtomicWrite;
  FoundRaces Found;
  // With the blocks locked, so that reports have to wait.
  if (Teaches || IsRelease)
    TheMemory.commit(T, Found);
  T.ClockLock.lock();
  {
    RecordingLock Recording;
    record(T, Site, uint8_t(PF_RECORDED_ATOMIC_LOAD + Kind), Address, Bytes, uint8_t(Order));
    if (Kind != PF_ATOMIC_STORE) {
      forEachBlock(T, Address, Bytes, [&](SyncObject &O, uint16_t Mask) {
        rule::observe(T.State, O.atomic(), Mask, IsAcquire);
      });
      if (Kind == PF_ATOMIC_LOAD)
        T.State.fired(IsAcquire ? Rule::LoadAcquire : Rule::LoadRelaxed);
    }
    if (!isInNoRace(T, Address, Bytes))
      TheMemory.access(T, Address, Bytes, Access, [&] { return T.stampFor(Site); }, Found);
    if (Kind != PF_ATOMIC_LOAD) {
      bool IsRmw = Kind == PF_ATOMIC_RMW;
      forEachBlock(T, Address, Bytes, [&](SyncObject &O, uint16_t Mask) {
        rule::publish(T.State, O.atomic(), Mask, IsRelease, IsRmw);
      });
      if (IsRelease)
        T.State.advance();
      T.State.fired(IsRmw ? (IsRelease ? Rule::RmwRelease : Rule::RmwRelaxed)
                          : (IsRelease ? Rule::StoreRelease : Rule::StoreRelaxed));
    }
  }
  if (IsRelease)
    T.publishNow(); // it is in another epoch
  T.ClockLock.unlock();
  while (!T.Atomics.empty()) {
    T.Atomics.back()->Lock.unlock();
    T.Atomics.pop();
  }
  // What begin has entered is left here, with E.
  T.Inside.store(T.Inside.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  if (!Found.empty())
    reportRaces(E, Access, AccessForm::Plain, Address, Bytes, Found);
}

void __pf_fence(uint32_t Order, const pf_site *Site) {
  Entered E(Site);
  if (E.isIdle())
    return;
  Thread &T = E.thread();
  commitNoted(E);
  T.ClockLock.lock();
  {
    RecordingLock Recording;
    record(T, Site, PF_RECORDED_FENCE, 0, 0, uint8_t(Order));
    if (isAcquire(MemoryOrder(Order)))
      rule::fenceAcquire(T.State);
    if (isRelease(MemoryOrder(Order)))
      rule::fenceRelease(T.State);
  }
  T.publishNow();
  T.ClockLock.unlock();
}

// Modules.

/// The memory of the library that has these sites is fresh; false for the program itself.
static bool forgetLibrary(Entered &E, const pf_site *Sites) {
  uintptr_t Start;
  size_t Bytes;
  if (!TheModules.findLibrary(reinterpret_cast<uintptr_t>(Sites), Start, Bytes))
    return false;
  memoryMapped(E, reinterpret_cast<void *>(Start), Bytes);
  return true;
}

// A library may lie where other memory was before.
void __pf_module_loaded(const pf_site *Begin, const pf_site *End) {
  Entered E(PF_FUNCTION_SITE("dlopen"));
  if (E.isIdle())
    return;
  TheModules.addSites(Begin, End);
  forgetLibrary(E, Begin);
}

// And when it is loaded again it may find itself at the same place, and is new memory there.
void __pf_module_unloaded(const pf_site *Begin, const pf_site *End) {
  Entered E(PF_FUNCTION_SITE("dlclose"));
  if (!E.isIdle() && forgetLibrary(E, Begin))
    TheModules.keepSites(Begin, End);
}
