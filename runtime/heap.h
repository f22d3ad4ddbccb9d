//===- heap.h - The program's heap blocks --------------------------------===//
//
// Which blocks there are, how large, and who allocated them where. A block is found by its
// start when it is freed, which is often, and by any address inside only when a race is
// reported, which is rare: so it is a hash table by start, and a report looks at all of it.
// Blocks that were freed lately are kept for reports, too.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_RUNTIME_HEAP_H
#define PHOTOFINISH_RUNTIME_HEAP_H

#include "detector/array.h"
#include "detector/spin_lock.h"
#include "runtime/context.h"

namespace photofinish::rt {

struct HeapBlock {
  uintptr_t Start = 0;
  size_t Bytes = 0;
  Note Allocation = 0;
  uint32_t Allocator = 0; ///< number of the thread
  Note Freeing = 0;
  uint32_t Freer = 0;
  bool IsFreed = false;
  uint64_t FreedAt = 0; ///< by the processor's counter
};

class Heap {
public:
  void add(const HeapBlock &Block);
  /// Takes the block out, if there is one that starts there, and remembers it, for reports.
  bool remove(uintptr_t Start, Note Freeing, uint32_t Freer, HeapBlock &Block);
  size_t sizeOf(uintptr_t Start);
  /// The block that an address lies in, or lay in until lately.
  bool findContaining(uintptr_t Address, HeapBlock &Block);

private:
  static constexpr unsigned NumShards = 256;
  static constexpr unsigned NumRemembered = 16; // of a shard
  /// There is one for every block of the program: it has no more than it needs.
  struct Node {
    uintptr_t Start;
    size_t Bytes;
    Note Allocation;
    Node *Next;
    uint32_t Allocator;

    HeapBlock block() const { return {Start, Bytes, Allocation, Allocator, 0, 0, false}; }
  };
  struct Shard {
    SpinLock Lock;
    Array<Node *> Buckets; // a power of two
    uint32_t Count = 0;
    uint32_t NextRemembered = 0;
    HeapBlock Remembered[NumRemembered];

    Node **linkTo(uintptr_t Start);
    void grow();
  };
  static uint64_t hash(uintptr_t Start) { return (Start >> 4) * UINT64_C(0x9E3779B97F4A7C15); }
  Shard &shardOf(uintptr_t Start) { return Shards[hash(Start) >> 56]; }

  Shard Shards[NumShards];
};

extern Heap TheHeap;

} // namespace photofinish::rt

#endif // PHOTOFINISH_RUNTIME_HEAP_H
