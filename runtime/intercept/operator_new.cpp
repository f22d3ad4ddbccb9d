//===- operator_new.cpp - operator new and delete, in all their forms ---------===//
//
// The C++ library's operators are malloc and free with an error path. Ours are the same
// blocks with the right name and the caller's place; the error path (the new-handler,
// std::bad_alloc) stays the library's. In an archive of its own, because a C program has
// none of these.
//
//===----------------------------------------------------------------------===//

#include "runtime/intercept/allocation.h"
#include "runtime/intercept/watch.h"

using namespace photofinish::rt;

namespace {

/// What the names below mangle: std::align_val_t and const std::nothrow_t &.
using Alignment = size_t;
using Nothrow = const void *;

void *newBlock(const pf_site *Site, void *Caller, size_t Bytes, Alignment Align = 0) {
  return allocateBlock(Site, Caller, Bytes ? Bytes : 1, Align);
}

} // namespace

#define PF_NEW(Mangled, Name, Parameters, Arguments, ...)                                          \
  PF_INTERCEPT(void *, Mangled, Parameters) {                                                      \
    void *Block = newBlock(PF_FUNCTION_SITE(Name), PF_CALLER, __VA_ARGS__);                        \
    return Block ? Block : PF_REAL(Mangled) Arguments;                                             \
  }
#define PF_DELETE(Mangled, Name, ...)                                                              \
  PF_INTERCEPT(void, Mangled, (void *Block __VA_OPT__(, ) __VA_ARGS__)) {                          \
    freeBlock(PF_FUNCTION_SITE(Name), PF_CALLER, Block);                                           \
  }

PF_NEW(_Znwm, "operator new", (size_t Bytes), (Bytes), Bytes)
PF_NEW(_Znam, "operator new[]", (size_t Bytes), (Bytes), Bytes)
PF_NEW(_ZnwmRKSt9nothrow_t, "operator new", (size_t Bytes, Nothrow N), (Bytes, N), Bytes)
PF_NEW(_ZnamRKSt9nothrow_t, "operator new[]", (size_t Bytes, Nothrow N), (Bytes, N), Bytes)
PF_NEW(_ZnwmSt11align_val_t, "operator new", (size_t Bytes, Alignment A), (Bytes, A), Bytes, A)
PF_NEW(_ZnamSt11align_val_t, "operator new[]", (size_t Bytes, Alignment A), (Bytes, A), Bytes, A)
PF_NEW(_ZnwmSt11align_val_tRKSt9nothrow_t, "operator new", (size_t Bytes, Alignment A, Nothrow N),
       (Bytes, A, N), Bytes, A)
PF_NEW(_ZnamSt11align_val_tRKSt9nothrow_t, "operator new[]", (size_t Bytes, Alignment A, Nothrow N),
       (Bytes, A, N), Bytes, A)

PF_DELETE(_ZdlPv, "operator delete")
PF_DELETE(_ZdaPv, "operator delete[]")
PF_DELETE(_ZdlPvm, "operator delete", size_t)
PF_DELETE(_ZdaPvm, "operator delete[]", size_t)
PF_DELETE(_ZdlPvRKSt9nothrow_t, "operator delete", Nothrow)
PF_DELETE(_ZdaPvRKSt9nothrow_t, "operator delete[]", Nothrow)
PF_DELETE(_ZdlPvSt11align_val_t, "operator delete", Alignment)
PF_DELETE(_ZdaPvSt11align_val_t, "operator delete[]", Alignment)
PF_DELETE(_ZdlPvmSt11align_val_t, "operator delete", size_t, Alignment)
PF_DELETE(_ZdaPvmSt11align_val_t, "operator delete[]", size_t, Alignment)
PF_DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t, "operator delete", Alignment, Nothrow)
PF_DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t, "operator delete[]", Alignment, Nothrow)
