//===- atomic_entry.h - Atomic operations that the runtime performs itself --------------===//
//
// Entry points of abi/entry_points.def, for the functions that act as instrumented code.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_RUNTIME_INTERCEPT_ATOMIC_ENTRY_H
#define PHOTOFINISH_RUNTIME_INTERCEPT_ATOMIC_ENTRY_H

#include "abi/abi.h"

extern "C" void __pf_atomic_begin(void *Address, uint64_t Bytes, const pf_site *Site);
extern "C" void __pf_atomic_end(void *Address, uint64_t Bytes, uint32_t Kind, uint32_t Order,
                                const pf_site *Site);

#endif // PHOTOFINISH_RUNTIME_INTERCEPT_ATOMIC_ENTRY_H
