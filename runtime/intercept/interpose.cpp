//===- interpose.cpp - Finding the function that we stand in for -------------===//
//
// The dynamic linker knows what comes after us. Asked for a version that a library does not
// have (another release of glibc), it is asked again without one.
//
//===----------------------------------------------------------------------===//

#include "runtime/intercept/interpose.h"

#ifndef PF_STATIC

void *photofinish::rt::nextDefinition(const char *Name, const char *Version) {
  if (Version)
    if (void *Function = dlvsym(RTLD_NEXT, Name, Version))
      return Function;
  return dlsym(RTLD_NEXT, Name);
}

#endif
