//===- memory.cpp - The shadow of the whole address space ----------------===//

#include "runtime/memory.h"

using namespace photofinish;
using namespace photofinish::rt;

[[clang::no_destroy]] constinit LiveMemory rt::TheMemory;

void LiveMemory::countGone(uintptr_t Address, size_t Bytes) {
  if (!TheOptions.stats)
    return;
  forEachTouched(Address, Bytes, [&](uintptr_t From, size_t Here) {
    CellCount Sum = IsSlim ? Slim.count(From, Here) : Fine.count(From, Here);
    Locked Guard(GoneLock);
    Gone += Sum;
  });
}

CellCount LiveMemory::count() {
  CellCount Sum = Fine.countAll();
  if (IsSlim)
    Sum += Slim.countAll();
  Locked Guard(GoneLock);
  Sum += Gone;
  return Sum;
}

void LiveMemory::initialise(Mode M) {
  IsSlim = M == Mode::SlimState;
  // Checks that are not deferred look there first, whatever the mode.
  bool TakesLocks = M == Mode::VerifiedFTv1 || M == Mode::VerifiedFTv15;
  bool IsThere = Fine.initialise(M == Mode::Empty, TakesLocks) && TheFreedPages.initialise();
  if (IsThere && IsSlim)
    IsThere = Slim.initialise();
  if (!IsThere)
    host::giveUp(
        "cannot reserve 640 GiB of address space for the shadow; is it limited (ulimit -v)?");
}
