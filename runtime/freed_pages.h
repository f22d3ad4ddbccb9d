//===- freed_pages.h - What is left of pages that were freed -------------------===//
//
// Memory that is freed as a whole page or more gives its shadow pages back: that it was freed,
// when and where, is then one record for all its pages, which a new shadow page starts from. A
// page has a shadow or such a record, not both, except while threads race on it.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_RUNTIME_FREED_PAGES_H
#define PHOTOFINISH_RUNTIME_FREED_PAGES_H

#include "abi/abi.h"
#include "detector/array.h"
#include "detector/spin_lock.h"
#include "shadow/stamps.h"

namespace photofinish::rt {

class FreedPages {
public:
  struct Record {
    Stamp Freed;
    uint32_t Pages; // that still refer to it; of an unused record, the next one
  };

  /// Reserves address space for it; false if there is none.
  bool initialise();
  /// The pages of [Start, End) were freed together.
  void remember(uintptr_t Start, uintptr_t End, Stamp Freed);
  /// The record of a page, which it then no longer has; false if it had none.
  bool take(uintptr_t Page, Record &Result);
  bool has(uintptr_t Page) const {
    return NumRecords.load(std::memory_order_relaxed) &&
           RecordOf[Page >> PF_PAGE_SHIFT].load(std::memory_order_relaxed);
  }

  /// Its stamps are kept. The world is stopped.
  void keep(Stamps::Collection &C) {
    for (Record &R : Records)
      R.Freed = C.keep(R.Freed);
  }

private:
  SpinLock Lock;
  std::atomic<uint32_t> *RecordOf = nullptr; // by page; written under Lock; 0 is none
  Array<Record> Records;                     // under Lock; the first is none
  uint32_t Unused = 0;                       // under Lock: the first unused record; 0 is none
  std::atomic<uint32_t> NumRecords{0};       // in use
};

extern FreedPages TheFreedPages;

} // namespace photofinish::rt

#endif // PHOTOFINISH_RUNTIME_FREED_PAGES_H
