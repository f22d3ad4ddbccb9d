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

#include "detector/spin_lock.h"
#include "runtime/platform/os.h"

#include <atomic>
#include <cstdint>

namespace photofinish::rt {

class InternTable {
public:
  struct Node {
    uint64_t Key;
    uint32_t Parent;
    uint32_t Extra;             ///< part of the key
    std::atomic<uint32_t> Next; ///< in its bucket: a node that is older
  };

  /// Number 0 is the root: the empty context, the empty set.
  uint32_t intern(uint32_t Parent, uint64_t Key, uint32_t Extra = 0) {
    uint64_t Hash = hash(Parent, Key, Extra);
    if (uint32_t Found = find(bucketOf(Hash), Parent, Key, Extra))
      return Found;
    Locked Guard(Lock);
    if (uint32_t Found = find(bucketOf(Hash), Parent, Key, Extra))
      return Found;
    uint32_t Number = Count.load(std::memory_order_relaxed) + 1;
    if (Number == MaxNodes)
      host::giveUp("more than 2^30 different calling contexts or lock sets");
    Node &New = Nodes[Number];
    New.Key = Key;
    New.Parent = Parent;
    New.Extra = Extra;
    Count.store(Number, std::memory_order_relaxed);
    if (Number > Table.load(std::memory_order_relaxed)->Mask)
      grow();
    else
      link(bucketOf(Hash), Number);
    return Number;
  }

  const Node &operator[](uint32_t Number) const { return Nodes[Number]; }
  uint32_t size() const { return Count.load(std::memory_order_relaxed); }

  /// Before anything else: reserves room, which costs nothing until it is used.
  void initialise() {
    Nodes = static_cast<Node *>(os::map(size_t(MaxNodes) * sizeof(Node)));
    if (!Nodes)
      host::giveUp("cannot reserve address space for calling contexts; is it limited (ulimit -v)?");
    Table.store(makeBuckets(FirstBuckets), std::memory_order_relaxed);
  }

private:
  static constexpr uint32_t FirstBuckets = 1024;
  static constexpr uint32_t MaxNodes = 1u << 30;

  struct Buckets {
    uint32_t Mask; // their number, which is a power of two, less one
    std::atomic<uint32_t> Of[1];
  };
  static Buckets *makeBuckets(uint32_t Number) {
    auto *B = static_cast<Buckets *>(host::allocate(sizeof(Buckets) + Number * sizeof(uint32_t)));
    B->Mask = Number - 1;
    return B;
  }
  std::atomic<uint32_t> &bucketOf(uint64_t Hash) const {
    Buckets &B = *Table.load(std::memory_order_acquire); // they were written before
    return B.Of[Hash & B.Mask];
  }
  void link(std::atomic<uint32_t> &Bucket, uint32_t Number) {
    Nodes[Number].Next.store(Bucket.load(std::memory_order_relaxed), std::memory_order_relaxed);
    Bucket.store(Number, std::memory_order_release); // publishes the node
  }
  /// Twice as many buckets. Whoever is looking may be led to another bucket's nodes, but always to
  /// older ones: he comes to an end, finds nothing, and asks again with the lock held. The old
  /// buckets stay for him.
  void grow() {
    Buckets *New = makeBuckets((Table.load(std::memory_order_relaxed)->Mask + 1) * 2);
    for (uint32_t Number = 1; Number <= size(); ++Number) {
      const Node &N = Nodes[Number];
      link(New->Of[hash(N.Parent, N.Key, N.Extra) & New->Mask], Number);
    }
    Table.store(New, std::memory_order_release);
  }

  static uint64_t hash(uint32_t Parent, uint64_t Key, uint32_t Extra) {
    uint64_t H = (Key ^ uint64_t(Extra) << 40) * UINT64_C(0x9E3779B97F4A7C15);
    H = (H ^ H >> 29 ^ Parent) * UINT64_C(0xBF58476D1CE4E5B9);
    return H ^ H >> 32;
  }
  uint32_t find(const std::atomic<uint32_t> &Bucket, uint32_t Parent, uint64_t Key,
                uint32_t Extra) const {
    // Acquire: a node's fields were written before its number was published.
    for (uint32_t I = Bucket.load(std::memory_order_acquire); I;
         I = Nodes[I].Next.load(std::memory_order_acquire)) {
      const Node &N = Nodes[I];
      if (N.Key == Key && N.Parent == Parent && N.Extra == Extra)
        return I;
    }
    return 0;
  }

  SpinLock Lock; // adding
  std::atomic<Buckets *> Table{nullptr};
  Node *Nodes = nullptr;
  std::atomic<uint32_t> Count{0}; // written under Lock
};

} // namespace photofinish::rt

#endif // PHOTOFINISH_RUNTIME_BASE_INTERN_TABLE_H
