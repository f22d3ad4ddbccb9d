//===- libc_end.cpp - Where libc ends, in a static program ---------------------===//
//
// An object of its own, to be linked right behind the libraries that libc consists of; see
// intercept/watch.h.
//
//===----------------------------------------------------------------------===//

extern "C" __attribute__((visibility("hidden"))) void __pf_libc_end();
void __pf_libc_end() {}
