//===- freed_pages.cpp - What is left of pages that were freed -----------------===//

#include "runtime/freed_pages.h"

#include "runtime/platform/os.h"

using namespace photofinish;
using namespace photofinish::rt;

[[clang::no_destroy]] constinit FreedPages rt::TheFreedPages;

bool FreedPages::initialise() {
  RecordOf = static_cast<std::atomic<uint32_t> *>(os::map((PF_ROOT_MASK + 1) * sizeof(uint32_t)));
  return RecordOf;
}

void FreedPages::remember(uintptr_t Start, uintptr_t End, Stamp Freed) {
  for (uintptr_t Page = Start; Page < End; Page += PF_PAGE_BYTES)
    if (Record Earlier; has(Page))
      take(Page, Earlier);
  Locked Guard(Lock);
  uint32_t Number = Unused;
  if (Number) {
    Unused = Records[Number].Pages;
  } else {
    if (Records.empty())
      Records.push({});
    Number = Records.size();
    Records.push({});
  }
  Records[Number] = {Freed, uint32_t((End - Start) >> PF_PAGE_SHIFT)};
  NumRecords.fetch_add(1, std::memory_order_relaxed);
  for (uintptr_t Page = Start; Page < End; Page += PF_PAGE_BYTES)
    RecordOf[Page >> PF_PAGE_SHIFT].store(Number, std::memory_order_relaxed);
}

bool FreedPages::take(uintptr_t Page, Record &Result) {
  if (!has(Page))
    return false;
  Locked Guard(Lock);
  uint32_t Number = RecordOf[Page >> PF_PAGE_SHIFT].exchange(0, std::memory_order_relaxed);
  if (!Number)
    return false;
  Result = Records[Number];
  if (!--Records[Number].Pages) {
    Records[Number] = {0, Unused};
    Unused = Number;
    NumRecords.fetch_sub(1, std::memory_order_relaxed);
  }
  return true;
}
