//===- operation.h - What a thread can do in a trace ---------------------===//
//
// A trace is the sequence of operations that the threads of one execution
// performed, in the order in which they took effect (verifiedft.txt, section 2).
// The paper has six operations over abstract variables; C and C++ programs need
// byte ranges, reader-writer locks, condition variables, barriers, one-time
// initialisation, C11 atomics and memory that comes and goes.
//
// Everything here is a plain value: threads, locks and the like are small dense
// numbers, memory is a flat 64-bit address space, names live in a SymbolTable.
// docs/traces.md gives every operation its text form, its feasibility rule and
// the happens-before edges it makes; OpInfo below is the one table of their names.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_TRACE_OPERATION_H
#define PHOTOFINISH_TRACE_OPERATION_H

#include <cstdint>

namespace photofinish {

using ThreadId = uint32_t;
using SiteId = uint32_t; ///< 0 means that the trace names no source location.

enum class OpKind : uint8_t {
  Read,        ///< plain read of [Target, Target+Size)
  Write,       ///< plain write of [Target, Target+Size)
  AtomicLoad,  ///< atomic read of [Target, Target+Size) with Order
  AtomicStore, ///< atomic write of [Target, Target+Size) with Order
  AtomicRmw,   ///< atomic read-modify-write of [Target, Target+Size) with Order
  Fence,       ///< standalone fence with Order
  Acquire,     ///< lock Target taken exclusively
  Release,     ///< lock Target given back by its exclusive owner
  ReadLock,    ///< lock Target taken shared
  ReadUnlock,  ///< lock Target given back by one shared owner
  Fork,        ///< thread Target created
  Join,        ///< thread Target awaited
  Begin,       ///< first operation of its thread
  End,         ///< last operation of its thread
  Wait,        ///< starts waiting on condition Target; gives back lock Lock
  Wake,        ///< stops waiting on condition Target; has lock Lock again
  Notify,      ///< signals condition Target (one waiter or all: no edge either way)
  Arrive,      ///< reaches barrier Target
  Depart,      ///< leaves barrier Target
  Once,        ///< first: completes the initialisation Target; later: returns from it
  Allocate,    ///< [Target, Target+Size) becomes fresh memory
  Free,        ///< the allocation at Target ends; Size is that allocation's size
};
inline constexpr unsigned NumOpKinds = unsigned(OpKind::Free) + 1;

/// C11 memory orders; Consume is treated as Acquire by every analysis.
enum class MemoryOrder : uint8_t { Relaxed, Consume, Acquire, Release, AcqRel, SeqCst };

inline bool isAcquire(MemoryOrder O) {
  return O == MemoryOrder::Consume || O == MemoryOrder::Acquire || O == MemoryOrder::AcqRel ||
         O == MemoryOrder::SeqCst;
}
inline bool isRelease(MemoryOrder O) {
  return O == MemoryOrder::Release || O == MemoryOrder::AcqRel || O == MemoryOrder::SeqCst;
}

struct Operation {
  OpKind Kind = OpKind::Read;
  MemoryOrder Order = MemoryOrder::Relaxed; ///< atomics and fences only
  ThreadId Thread = 0;                      ///< who performs the operation
  uint64_t Target = 0;                      ///< address, or id of a lock, thread, condition, ...
  uint64_t Size = 0;                        ///< bytes, for operations on memory
  uint32_t Lock = 0;                        ///< Wait and Wake only
  SiteId Site = 0;

  bool operator==(const Operation &) const = default;
};
static_assert(sizeof(Operation) == 32, "operations are copied by the million");

/// What the operand of an operation names.
enum class TargetKind : uint8_t { None, Memory, Lock, Thread, Condition, Barrier, Once };

struct OpInfo {
  const char *Name; ///< in the text format
  TargetKind Target;
  bool HasOrder;
};
const OpInfo &opInfo(OpKind Kind);
const char *orderName(MemoryOrder Order);

/// Reads or writes memory: these are what can race. Free counts as a write of
/// the whole allocation; Allocate is no access.
inline bool isAccess(OpKind K) { return K <= OpKind::AtomicRmw || K == OpKind::Free; }
inline bool isWriteAccess(OpKind K) {
  return K == OpKind::Write || K == OpKind::AtomicStore || K == OpKind::AtomicRmw ||
         K == OpKind::Free;
}
inline bool isAtomicAccess(OpKind K) {
  return K == OpKind::AtomicLoad || K == OpKind::AtomicStore || K == OpKind::AtomicRmw;
}

} // namespace photofinish

#endif // PHOTOFINISH_TRACE_OPERATION_H
