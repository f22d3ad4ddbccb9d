//===- memory.cpp - The shadow of the whole address space ----------------===//

#include "runtime/memory.h"

using namespace photofinish;
using namespace photofinish::rt;

[[clang::no_destroy]] constinit LiveMemory rt::TheMemory;

void LiveMemory::initialise(Mode M) {
  IsSlim = M == Mode::SlimState;
  // Checks that are not deferred look there first, whatever the mode.
  bool IsThere = Fine.initialise(M == Mode::Empty) && TheFreedPages.initialise();
  if (IsThere && IsSlim)
    IsThere = Slim.initialise();
  if (!IsThere)
    host::giveUp(
        "cannot reserve 640 GiB of address space for the shadow; is it limited (ulimit -v)?");
}
