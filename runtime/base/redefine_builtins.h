//===- redefine_builtins.h - The compiler's own calls, kept inside ----------===//
//
// The compiler may make a call to memcpy or memset of any assignment, and memcpy is a
// function that we stand in for. In every object of the runtime these names mean our own
// versions (base/builtins.cpp). Included before everything else (-include).
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_RUNTIME_BASE_REDEFINE_BUILTINS_H
#define PHOTOFINISH_RUNTIME_BASE_REDEFINE_BUILTINS_H

#ifndef PF_DEFINES_BUILTINS
asm("memcpy = __pf_internal_memcpy\n"
    "memmove = __pf_internal_memmove\n"
    "memset = __pf_internal_memset\n"
    "memcmp = __pf_internal_memcmp\n"
    "bcmp = __pf_internal_memcmp\n"
    "strlen = __pf_internal_strlen\n");
#endif

#endif // PHOTOFINISH_RUNTIME_BASE_REDEFINE_BUILTINS_H
