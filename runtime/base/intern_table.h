//===- intern_table.h - Trees of small numbers --------------------------------------===//
//
// A calling context is a caller's context and one more call; a set of held locks is a smaller
// set and one more lock. Such trees are kept as numbered nodes, each (parent, key): equal
// things have equal numbers, a number is four bytes in a cell, and nothing is ever stored
// twice. Nodes are only ever added, so that looking one up takes no lock.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_RUNTIME_BASE_INTERN_TABLE_H
#define PHOTOFINISH_RUNTIME_BASE_INTERN_TABLE_H

#include "runtime/base/spin_lock.h"
#include "runtime/platform/os.h"

#include <atomic>
#include <cstdint>

namespace photofinish::rt {

class InternTable {
public:
  struct Node {
    uint64_t Key;
    uint32_t Parent;
    uint32_t Extra; ///< part of the key
    uint32_t Next;  ///< in its bucket
  };

  /// Number 0 is the root: the empty context, the empty set.
  uint32_t intern(uint32_t Parent, uint64_t Key, uint32_t Extra = 0) {
    std::atomic<uint32_t> &Bucket = Table[hash(Parent, Key, Extra) % NumBuckets];
    // Acquire: the node's fields were written before its number was published.
    uint32_t Head = Bucket.load(std::memory_order_acquire);
    if (uint32_t Found = find(Head, 0, Parent, Key, Extra))
      return Found;
    Locked Guard(Lock);
    uint32_t Latest = Bucket.load(std::memory_order_relaxed);
    if (uint32_t Found = find(Latest, Head, Parent, Key, Extra))
      return Found;
    uint32_t Number = ++Count;
    if (Number == MaxNodes)
      host::giveUp("more than 2^30 different calling contexts or lock sets");
    node(Number) = {Key, Parent, Extra, Latest};
    Bucket.store(Number, std::memory_order_release); // publishes the node
    return Number;
  }

  const Node &operator[](uint32_t Number) const {
    return const_cast<InternTable *>(this)->node(Number);
  }
  uint32_t size() const { return Count.load(std::memory_order_relaxed); }

  /// Before anything else: reserves room, which costs nothing until it is used.
  void initialise() {
    Table = static_cast<std::atomic<uint32_t> *>(os::map(NumBuckets * sizeof(uint32_t)));
    Nodes = static_cast<Node *>(os::map(size_t(MaxNodes) * sizeof(Node)));
    if (!Table || !Nodes)
      host::giveUp("cannot reserve address space for calling contexts; is it limited (ulimit -v)?");
  }

private:
  static constexpr uint32_t NumBuckets = 1u << 22;
  static constexpr uint32_t MaxNodes = 1u << 30;

  static uint64_t hash(uint32_t Parent, uint64_t Key, uint32_t Extra) {
    uint64_t H = (Key ^ uint64_t(Extra) << 40) * UINT64_C(0x9E3779B97F4A7C15);
    H = (H ^ H >> 29 ^ Parent) * UINT64_C(0xBF58476D1CE4E5B9);
    return H ^ H >> 32;
  }
  /// From Head on, up to but not including End.
  uint32_t find(uint32_t Head, uint32_t End, uint32_t Parent, uint64_t Key, uint32_t Extra) const {
    for (uint32_t I = Head; I != End; I = (*this)[I].Next) {
      const Node &N = (*this)[I];
      if (N.Key == Key && N.Parent == Parent && N.Extra == Extra)
        return I;
    }
    return 0;
  }
  Node &node(uint32_t Number) { return Nodes[Number]; }

  SpinLock Lock; // adding
  std::atomic<uint32_t> *Table = nullptr;
  Node *Nodes = nullptr;
  std::atomic<uint32_t> Count{0}; // written under Lock
};

} // namespace photofinish::rt

#endif // PHOTOFINISH_RUNTIME_BASE_INTERN_TABLE_H
