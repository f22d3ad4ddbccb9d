//===- accesses.h - What a function does to memory --------------------------===//
//
// Finds the accesses of a function, without deciding where their checks go: a list of
// plain accesses, each with exactly the bytes that it touches, and the operations that
// synchronize. Whatever places checks works from these lists.
//
// An access is left out only if no other thread can ever touch the bytes, or if nobody
// ever writes them.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_PLACEMENT_ACCESSES_H
#define PHOTOFINISH_PLACEMENT_ACCESSES_H

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/TypeSize.h"

#include <vector>

namespace photofinish {

/// A plain access, which happens when At is executed.
struct Access {
  enum Extent : uint8_t {
    Whole,    // Bytes bytes at Pointer + Offset
    Range,    // Length bytes at Pointer
    Lanes,    // Bytes bytes at Pointer + I * Stride for every active lane I
    Gathered, // Bytes bytes at Pointer[I] for every active lane I
    Indexed,  // Bytes bytes at Pointer + Index[I] * Scale for every active lane I
    Packed,   // Bytes bytes at Pointer + I * Bytes for as many I as there are active lanes
  };

  llvm::Instruction *At;
  llvm::Value *Pointer;
  bool Write;
  Extent Form = Whole;
  llvm::TypeSize Bytes = llvm::TypeSize::getFixed(0);
  uint64_t Offset = 0;
  llvm::Align Alignment = llvm::Align(1); // of Pointer + Offset; of each lane

  llvm::Value *Length = nullptr; // Range

  /// Lanes are active if their element of Mask is true or, in the masks of x86's own
  /// intrinsics, negative; and if they are below Active, when there is one.
  llvm::ElementCount LaneCount = llvm::ElementCount::getFixed(0);
  llvm::Value *Mask = nullptr;
  llvm::Value *Active = nullptr;
  llvm::Value *Stride = nullptr; // Lanes; null if one lane follows the other
  llvm::Value *Index = nullptr;  // Indexed
  llvm::Value *Scale = nullptr;

  /// A pointer to a virtual table, and what it is set to by a write.
  bool Vptr = false;
  llvm::Value *NewVptr = nullptr;

  /// Pointer + Offset.
  llvm::Value *address(llvm::IRBuilderBase &B) const {
    return Offset ? B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Pointer, Offset) : Pointer;
  }
};

/// A memcpy, memmove or memset: At most one of its sides may need no check.
struct MemoryOperation {
  llvm::AnyMemIntrinsic *At;
  bool CheckDestination;
  bool CheckSource; // false if there is none
};

/// An atomic operation, by an instruction or by a call of libatomic.
struct AtomicOperation {
  enum Operation : uint8_t { Load, Store, ReadModifyWrite, CompareExchange };

  llvm::Instruction *At;
  llvm::Value *Pointer;
  llvm::Value *Bytes;
  Operation Kind;
  llvm::Value *Order; // pf_memory_order
  llvm::Value *FailureOrder = nullptr;
  /// Where a call of libatomic puts the value that it found when a compare-exchange fails.
  llvm::Value *Expected = nullptr;
};

struct Fence {
  llvm::Instruction *At;
  unsigned Order; // pf_memory_order
};

struct FunctionAccesses {
  std::vector<Access> Plain;
  std::vector<MemoryOperation> Memory;
  std::vector<AtomicOperation> Atomics;
  std::vector<Fence> Fences;
  /// Calls of functions that may access memory, callbacks included; errno does not count.
  bool HasCalls = false;

  bool empty() const {
    return Plain.empty() && Memory.empty() && Atomics.empty() && Fences.empty();
  }
};

/// What became of the accesses whose checks are placed (contexts.h).
struct PlacementCounts {
  uint64_t Accesses = 0; // with a path: the others are checked where they are
  uint64_t Checks = 0;
  uint64_t Removed = 0; // accesses without a check of their own
  uint64_t OutOfLoops = 0;
  uint64_t TooLarge = 0; // functions that are beyond the budget
};

/// What became of a module's accesses, for -photofinish-stats.
struct Statistics {
  uint64_t Plain = 0;
  uint64_t Memory = 0;
  uint64_t Atomics = 0;
  uint64_t Fences = 0;
  uint64_t PrivateSkipped = 0;  // locals whose address goes nowhere
  uint64_t ConstantSkipped = 0; // reads of what nobody writes
  uint64_t ForeignSkipped = 0;  // other address spaces, other instrumentation's own
  uint64_t NotUnderstood = 0;   // target intrinsics that access memory in ways unknown here
  PlacementCounts Placed;
};

/// PlainToo: false in functions that opted out, where only synchronization counts.
FunctionAccesses findAccesses(llvm::Function &F, const llvm::TargetLibraryInfo &Libraries,
                              bool PlainToo, Statistics &Stats);

} // namespace photofinish

#endif // PHOTOFINISH_PLACEMENT_ACCESSES_H
