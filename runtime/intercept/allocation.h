//===- allocation.h - Heap blocks, for whoever hands them out ----------------===//

#ifndef PHOTOFINISH_RUNTIME_INTERCEPT_ALLOCATION_H
#define PHOTOFINISH_RUNTIME_INTERCEPT_ALLOCATION_H

#include "abi/abi.h"

#include <cstddef>

namespace photofinish::rt {

/// A block of the real malloc, or memalign if Alignment is not 0, allocated at Site, called from
/// Caller. Null if there is none.
void *allocateBlock(const pf_site *Site, void *Caller, size_t Bytes, size_t Alignment = 0);

/// Gives a block to the real free; of null, nothing.
void freeBlock(const pf_site *Site, void *Caller, void *Block);

} // namespace photofinish::rt

#endif // PHOTOFINISH_RUNTIME_INTERCEPT_ALLOCATION_H
