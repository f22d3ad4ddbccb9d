//===- class_cell.h - The shadow state of many locations ----------------------===//
//
// A cell (detector/cell.h) for all the bytes of a class. It differs in two ways:
//
//   * It knows epochs only. Where an access came from differs from byte to byte; the page keeps
//     that beside its classes, by epoch (shadow/class_page.h).
//   * It can be copied. The clock V of a read-shared cell is stored once for all copies, of
//     other pages as well, and counts them: a thousand pages that the same threads read share
//     one. A clock that others refer to is copied before it changes.
//
// A class cell belongs to whoever holds its page's lock; only V's count is shared.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_SHADOW_CLASS_CELL_H
#define PHOTOFINISH_SHADOW_CLASS_CELL_H

#include "detector/cell.h"

namespace photofinish {

class PF_CAPABILITY("class cell") ClassCell {
public:
  ClassCell() = default;
  ClassCell(const ClassCell &Other) : W(Other.W), R(Other.R) {
    if (Shared *V = shared())
      V->References.fetch_add(1, std::memory_order_relaxed);
  }
  ClassCell(ClassCell &&Other) noexcept { swap(Other); }
  ClassCell &operator=(ClassCell Other) noexcept {
    swap(Other);
    return *this;
  }
  ~ClassCell() { drop(shared()); }

  Epoch read() const { return R.isShared() ? Epoch::shared() : R; }
  Epoch write() const { return W; }
  uint64_t lastReadOf(uint32_t Thread) const { return shared() ? shared()->Reads.get(Thread) : 0; }
  /// V. Only while R is SHARED.
  const AccessClock &reads() const PF_REQUIRES(this) { return shared()->Reads; }
  static Note readNote() { return 0; }
  static Note writeNote() { return 0; }

  void setWrite(Epoch E, Note) PF_REQUIRES(this) { W = E; }
  void setRead(Epoch E, Note) PF_REQUIRES(this) { R = E; }
  void share(Epoch Second, Note) PF_REQUIRES(this) {
    Shared *V = makeShared();
    V->Reads.set(R, 0);
    V->Reads.set(Second, 0);
    refer(V);
  }
  void setSharedRead(Epoch E, Note) PF_REQUIRES(this) {
    Shared *V = shared();
    // Acquire: whoever let go of V has finished reading it.
    if (V->References.load(std::memory_order_acquire) != 1) {
      Shared *Own = makeShared();
      Own->Reads.copyFrom(V->Reads);
      drop(V);
      refer(Own);
      V = Own;
    }
    V->Reads.set(E, 0);
  }

  bool isUntouched() const { return W.isBottom() && R.isBottom(); }
  /// No rule can tell the cells apart.
  bool sameHistory(const ClassCell &Other) const {
    return W == Other.W && (R == Other.R || (R.isShared() && Other.R.isShared() &&
                                             shared()->Reads == Other.shared()->Reads));
  }
  /// The same without looking into clocks: what is not identical may still be equal.
  bool isIdentical(const ClassCell &Other) const { return W == Other.W && R == Other.R; }

  /// Does the cell speak of this read or write?
  bool mentions(Epoch E, bool IsWrite) const {
    if (IsWrite)
      return W == E;
    return R == E || (R.isShared() && lastReadOf(E.thread()) == E.clock());
  }

  /// The caller owns the page.
  void assertOwned() const PF_ASSERT_HELD(this) {}

private:
  struct Shared {
    AccessClock Reads;
    std::atomic<uint32_t> References{1};
  };

  Shared *shared() const {
    return R.isShared() ? reinterpret_cast<Shared *>(R.clock() << 4) : nullptr;
  }
  static Shared *makeShared() { return new (host::allocate(sizeof(Shared))) Shared(); }
  void refer(Shared *V) {
    auto Where = reinterpret_cast<uintptr_t>(V);
    assert(Where % 16 == 0 && Where >> 4 <= Epoch::MaxClock && "memory beyond 48 bits");
    R = Epoch(Epoch::MaxThread + 1, Where >> 4);
  }
  static void drop(Shared *V) {
    // Acquire and release: whoever deletes V comes after everybody else's last look at it.
    if (!V || V->References.fetch_sub(1, std::memory_order_acq_rel) != 1)
      return;
    V->~Shared();
    host::release(V, sizeof(Shared));
  }
  void swap(ClassCell &Other) noexcept {
    std::swap(W, Other.W);
    std::swap(R, Other.R);
  }

  Epoch W, R; // R: SHARED's thread number, with where V is, as in Cell
};
static_assert(sizeof(ClassCell) == 16);

} // namespace photofinish

#endif // PHOTOFINISH_SHADOW_CLASS_CELL_H
