//===- libatomic.h - Atomic operations that are calls -----------------------===//
//
// What the processor cannot do in one instruction, clang leaves to libatomic: objects of odd sizes
// through __atomic_load and its like, which take a size and the addresses of buffers, and
// others through __atomic_load_16 and its like, which take values. Both are atomic operations
// of the program as much as an instruction is.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_PLACEMENT_LIBATOMIC_H
#define PHOTOFINISH_PLACEMENT_LIBATOMIC_H

#include "placement/accesses.h"

namespace photofinish {

struct LibatomicOperation {
  /// Memory of the program's own that the call reads a value from or writes one to.
  struct Buffer {
    llvm::Value *Pointer;
    bool Write;
  };

  AtomicOperation Operation;
  llvm::SmallVector<Buffer, 2> Buffers;
};

/// Nothing if Call is no such operation.
std::optional<LibatomicOperation> libatomicOperation(llvm::CallBase &Call);

} // namespace photofinish

#endif // PHOTOFINISH_PLACEMENT_LIBATOMIC_H
