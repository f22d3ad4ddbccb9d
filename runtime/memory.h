//===- memory.h - The shadow of the whole address space ------------------===//
//
// A table with an entry for every page that an address of 47 bits can name finds the shadow
// page (shadow/granule.h): a reservation of address space, of which only what is touched
// costs memory. Nothing is assumed about where the program's memory lies.
//
// VerifiedFT-v2's discipline has the page as `sx`: each has a lock; the same-epoch tests run
// without it, everything else with it held.
//
// Memory that is freed as a whole page or more gives its shadow pages back: that it was freed,
// when and where, is then one record for all its pages, which a new shadow page starts from. A
// page has a shadow or such a record, not both, except while threads race on it.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_RUNTIME_MEMORY_H
#define PHOTOFINISH_RUNTIME_MEMORY_H

#include "runtime/base/spin_lock.h"
#include "runtime/thread.h"
#include "shadow/granule.h"

namespace photofinish::rt {

/// One side of a race, as the shadow remembers it, and the bytes in question.
struct FoundRace {
  uintptr_t Address;
  uint32_t Bytes;
  Epoch Earlier;
  Note EarlierNote;
  AccessKind EarlierKind;
};
using FoundRaces = Array<FoundRace>;

struct LivePage : FinePage {
  SpinLock Lock;
};

class LiveMemory {
public:
  /// A memory that remembers nothing checks nothing.
  void initialise(bool RemembersNothing);

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
        checkGranule(T, G, Mask, Kind, NoteOf,
                     [&](uint8_t Raced, Epoch First, Note N, AccessKind FirstKind) {
                       addRace(Found, At, Raced, First, N, FirstKind);
                     });
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
    checkGranule(T, Page->granuleOf(Address), Mask, Kind, NoteOf,
                 [&](uint8_t Raced, Epoch First, Note N, AccessKind FirstKind) {
                   addRace(Found, Address & ~(Granule::Bytes - 1), Raced, First, N, FirstKind);
                 });
    unlockPage(Page);
  }

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
    if (IsFreed)
      rememberFreed(Whole, WholeEnd, T.now(), NoteOf());
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

  /// For stats: shadow pages now, and at most so far.
  uint64_t numPages() const { return Pages.load(std::memory_order_relaxed); }
  uint64_t peakPages() const { return PeakPages.load(std::memory_order_relaxed); }

private:
  /// What is left of pages that were freed together.
  struct FreedRecord {
    Epoch When;
    Note Where;
    uint32_t Pages; // that still refer to it; of an unused record, the next one
  };

  /// The page of an address, with its lock held; null if there can be none.
  inline LivePage *lockPage(uintptr_t Address);
  static void unlockPage(LivePage *Page) PF_NO_ANALYSIS { Page->Lock.unlock(); }
  static inline LivePage *findPage(uintptr_t Address);
  LivePage *makePage(uintptr_t Address);
  void drop(uintptr_t Page);
  /// The first page from Page on that has a shadow; End if there is none before it.
  uintptr_t nextTouched(uintptr_t Page, uintptr_t End);
  void rememberFreed(uintptr_t Start, uintptr_t End, Epoch When, Note Where);
  /// The record of a page, which it then no longer has; false if it had none.
  bool takeFreed(uintptr_t Page, FreedRecord &Record);
  bool isFreed(uintptr_t Page) const {
    return NumFreed.load(std::memory_order_relaxed) &&
           FreedOf[Page >> FinePage::Shift].load(std::memory_order_relaxed);
  }
  static void addRace(FoundRaces &Found, uintptr_t At, unsigned Raced, Epoch First, Note N,
                      AccessKind Kind);

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
  SpinLock FreedLock;
  std::atomic<uint32_t> *FreedOf = nullptr; // by page; written under FreedLock; 0 is none
  Array<FreedRecord> Freed;                 // under FreedLock; the first is none
  uint32_t UnusedFreed = 0;                 // under FreedLock: the first unused record; 0 is none
  std::atomic<uint32_t> NumFreed{0};        // records in use
  std::atomic<uint64_t> Pages{0}, PeakPages{0};
};

extern LiveMemory TheMemory;

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

inline LivePage *LiveMemory::findPage(uintptr_t Address) {
  uint64_t Offset = __pf_shadow_root[Address >> PF_PAGE_SHIFT & PF_ROOT_MASK].load(
      std::memory_order_acquire); // as in granuleAt
  return Offset ? reinterpret_cast<LivePage *>(__pf_shadow_origin + Offset) : nullptr;
}

inline LivePage *LiveMemory::lockPage(uintptr_t Address) PF_NO_ANALYSIS {
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

#endif // PHOTOFINISH_RUNTIME_MEMORY_H
