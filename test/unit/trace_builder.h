//===- trace_builder.h - Traces in one expression -------------------------===//
//
// Tests over traces are only worth reading when the trace can be read. The
// builder has one method for every operation, named as in docs/traces.md, with the
// performing thread first and the operands in the order of the text format:
//
//   Trace Ops = TraceBuilder()
//                   .fork(0, 1)
//                   .acq(0, M).write(0, X, 4).rel(0, M)
//                   .read(1, X, 4).at(7);                    // at source location 7
//
// It checks nothing: an infeasible trace can be written as easily as a feasible one,
// because some tests need just that. A builder converts to a Trace by itself, and
// `last()` is the index of the operation just added, for naming it later:
//
//   TraceBuilder B;
//   size_t Store = B.write(0, X).last();
//   size_t Load = B.read(1, X).last();
//   EXPECT_EQ(runOracle(B).Races, Pairs({{Store, Load}}));
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_TEST_UNIT_TRACE_BUILDER_H
#define PHOTOFINISH_TEST_UNIT_TRACE_BUILDER_H

#include "trace/stream.h"

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace photofinish {

class TraceBuilder {
public:
  // Memory. The size comes last and is one byte, RAPID's variable, unless given.
  TraceBuilder &read(ThreadId T, uint64_t X, uint64_t Size = 1) {
    return memory(OpKind::Read, T, X, Size);
  }
  TraceBuilder &write(ThreadId T, uint64_t X, uint64_t Size = 1) {
    return memory(OpKind::Write, T, X, Size);
  }
  TraceBuilder &aload(ThreadId T, uint64_t X, MemoryOrder Order, uint64_t Size = 1) {
    return memory(OpKind::AtomicLoad, T, X, Size, Order);
  }
  TraceBuilder &astore(ThreadId T, uint64_t X, MemoryOrder Order, uint64_t Size = 1) {
    return memory(OpKind::AtomicStore, T, X, Size, Order);
  }
  TraceBuilder &armw(ThreadId T, uint64_t X, MemoryOrder Order, uint64_t Size = 1) {
    return memory(OpKind::AtomicRmw, T, X, Size, Order);
  }
  TraceBuilder &alloc(ThreadId T, uint64_t X, uint64_t Size) {
    return memory(OpKind::Allocate, T, X, Size);
  }
  /// Size is the size of the allocation: the reader of a trace looks it up, a test gives it.
  TraceBuilder &free(ThreadId T, uint64_t X, uint64_t Size) {
    return memory(OpKind::Free, T, X, Size);
  }
  TraceBuilder &fence(ThreadId T, MemoryOrder Order) {
    return memory(OpKind::Fence, T, 0, 0, Order);
  }

  // Locks.
  TraceBuilder &acq(ThreadId T, uint64_t M) { return plain(OpKind::Acquire, T, M); }
  TraceBuilder &rel(ThreadId T, uint64_t M) { return plain(OpKind::Release, T, M); }
  TraceBuilder &rlk(ThreadId T, uint64_t M) { return plain(OpKind::ReadLock, T, M); }
  TraceBuilder &rul(ThreadId T, uint64_t M) { return plain(OpKind::ReadUnlock, T, M); }

  // Threads.
  TraceBuilder &fork(ThreadId T, ThreadId U) { return plain(OpKind::Fork, T, U); }
  TraceBuilder &join(ThreadId T, ThreadId U) { return plain(OpKind::Join, T, U); }
  TraceBuilder &start(ThreadId T) { return plain(OpKind::Begin, T, 0); }
  TraceBuilder &exit(ThreadId T) { return plain(OpKind::End, T, 0); }

  // Condition variables: C with the lock M.
  TraceBuilder &wait(ThreadId T, uint64_t C, uint32_t M) { return plain(OpKind::Wait, T, C, M); }
  TraceBuilder &wake(ThreadId T, uint64_t C, uint32_t M) { return plain(OpKind::Wake, T, C, M); }
  TraceBuilder &notify(ThreadId T, uint64_t C) { return plain(OpKind::Notify, T, C); }

  // Barriers and one-time initialisation.
  TraceBuilder &arrive(ThreadId T, uint64_t B) { return plain(OpKind::Arrive, T, B); }
  TraceBuilder &depart(ThreadId T, uint64_t B) { return plain(OpKind::Depart, T, B); }
  TraceBuilder &once(ThreadId T, uint64_t O) { return plain(OpKind::Once, T, O); }

  /// Any operation, for generated traces.
  TraceBuilder &add(const Operation &Op) {
    Ops.push_back(Op);
    return *this;
  }

  /// Gives the operation just added a source location.
  TraceBuilder &at(SiteId Site) {
    assert(!Ops.empty() && "no operation to locate");
    Ops.back().Site = Site;
    return *this;
  }

  /// Index of the operation just added.
  size_t last() const {
    assert(!Ops.empty() && "no operation added yet");
    return Ops.size() - 1;
  }
  size_t size() const { return Ops.size(); }
  const Trace &trace() const { return Ops; }
  operator const Trace &() const & { return Ops; }
  operator Trace() && { return std::move(Ops); }

private:
  TraceBuilder &memory(OpKind Kind, ThreadId T, uint64_t X, uint64_t Size,
                       MemoryOrder Order = MemoryOrder::Relaxed) {
    Operation Op;
    Op.Kind = Kind;
    Op.Order = Order;
    Op.Thread = T;
    Op.Target = X;
    Op.Size = Size;
    return add(Op);
  }
  TraceBuilder &plain(OpKind Kind, ThreadId T, uint64_t Target, uint32_t Lock = 0) {
    Operation Op;
    Op.Kind = Kind;
    Op.Thread = T;
    Op.Target = Target;
    Op.Lock = Lock;
    return add(Op);
  }

  Trace Ops;
};

} // namespace photofinish

#endif // PHOTOFINISH_TEST_UNIT_TRACE_BUILDER_H
