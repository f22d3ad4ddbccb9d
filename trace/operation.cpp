//===- operation.cpp - The one table of operation names -------------------===//
//
// The text reader, the text writer and every report take the names from here, so
// that an operation is spelled in one place. The rows follow enum OpKind.
//
//===----------------------------------------------------------------------===//

#include "trace/operation.h"

#include <cassert>
#include <iterator>

using namespace photofinish;

static constexpr OpInfo OpInfos[] = {
    {"r", TargetKind::Memory, false},         // Read
    {"w", TargetKind::Memory, false},         // Write
    {"aload", TargetKind::Memory, true},      // AtomicLoad
    {"astore", TargetKind::Memory, true},     // AtomicStore
    {"armw", TargetKind::Memory, true},       // AtomicRmw
    {"fence", TargetKind::None, true},        // Fence
    {"acq", TargetKind::Lock, false},         // Acquire
    {"rel", TargetKind::Lock, false},         // Release
    {"rlk", TargetKind::Lock, false},         // ReadLock
    {"rul", TargetKind::Lock, false},         // ReadUnlock
    {"fork", TargetKind::Thread, false},      // Fork
    {"join", TargetKind::Thread, false},      // Join
    {"start", TargetKind::None, false},       // Begin
    {"exit", TargetKind::None, false},        // End
    {"wait", TargetKind::Condition, false},   // Wait
    {"wake", TargetKind::Condition, false},   // Wake
    {"notify", TargetKind::Condition, false}, // Notify
    {"arrive", TargetKind::Barrier, false},   // Arrive
    {"depart", TargetKind::Barrier, false},   // Depart
    {"once", TargetKind::Once, false},        // Once
    {"alloc", TargetKind::Memory, false},     // Allocate
    {"free", TargetKind::Memory, false},      // Free
};
static_assert(std::size(OpInfos) == NumOpKinds, "one row for each kind");

static constexpr const char *OrderNames[] = {"rlx", "con", "acq", "rel", "ar", "sc"};
static_assert(std::size(OrderNames) == unsigned(MemoryOrder::SeqCst) + 1,
              "one name for each order");

const OpInfo &photofinish::opInfo(OpKind Kind) {
  assert(unsigned(Kind) < NumOpKinds && "not an operation");
  return OpInfos[unsigned(Kind)];
}

const char *photofinish::orderName(MemoryOrder Order) {
  assert(Order <= MemoryOrder::SeqCst && "not a memory order");
  return OrderNames[unsigned(Order)];
}
