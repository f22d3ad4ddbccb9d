//===- libc_begin.cpp - Where libc begins, in a static program -----------------===//
//
// An object of its own, to be linked right before the libraries that libc consists of; see
// intercept/watch.h.
//
//===----------------------------------------------------------------------===//

extern "C" __attribute__((visibility("hidden"))) void __pf_libc_begin();
void __pf_libc_begin() {}
