//===- heap.cpp - The program's heap blocks ------------------------------===//

#include "runtime/heap.h"

using namespace photofinish;
using namespace photofinish::rt;

[[clang::no_destroy]] constinit Heap rt::TheHeap;

Heap::Node **Heap::Shard::linkTo(uintptr_t Start) {
  Node **Link = &Buckets[uint32_t(hash(Start) >> 24) & (Buckets.size() - 1)];
  while (*Link && (*Link)->Start != Start)
    Link = &(*Link)->Next;
  return Link;
}

void Heap::Shard::grow() {
  Array<Node *> Old;
  Old.swap(Buckets);
  Buckets.growTo(Old.empty() ? 16 : Old.size() * 2);
  for (Node *Chain : Old)
    while (Chain) {
      Node *Next = Chain->Next;
      Node **Link = linkTo(Chain->Start);
      Chain->Next = *Link;
      *Link = Chain;
      Chain = Next;
    }
}

void Heap::add(const HeapBlock &Block) {
  Shard &S = shardOf(Block.Start);
  Locked Guard(S.Lock);
  if (S.Count >= S.Buckets.size())
    S.grow();
  Node **Link = S.linkTo(Block.Start);
  if (!*Link) {
    *Link = new (host::allocate(sizeof(Node))) Node();
    ++S.Count;
  }
  // One that was there had been freed behind our back.
  **Link = {Block.Start, Block.Bytes, Block.Allocation, (*Link)->Next, Block.Allocator};
}

bool Heap::remove(uintptr_t Start, HeapBlock &Block) {
  Shard &S = shardOf(Start);
  Locked Guard(S.Lock);
  if (S.Buckets.empty())
    return false;
  Node **Link = S.linkTo(Start);
  Node *Found = *Link;
  if (!Found)
    return false;
  Block = Found->block();
  *Link = Found->Next;
  --S.Count;
  host::release(Found, sizeof(Node));
  return true;
}

size_t Heap::sizeOf(uintptr_t Start) {
  Shard &S = shardOf(Start);
  Locked Guard(S.Lock);
  if (S.Buckets.empty())
    return 0;
  Node *Found = *S.linkTo(Start);
  return Found ? Found->Bytes : 0;
}

void Heap::rememberFreed(const HeapBlock &Block) {
  Locked Guard(RememberedLock);
  Remembered[NextRemembered++ % NumRemembered] = Block;
}

bool Heap::findContaining(uintptr_t Address, HeapBlock &Block) {
  for (Shard &S : Shards) {
    Locked Guard(S.Lock);
    for (Node *Chain : S.Buckets)
      for (; Chain; Chain = Chain->Next)
        if (Address - Chain->Start < Chain->Bytes) {
          Block = Chain->block();
          return true;
        }
  }
  Locked Guard(RememberedLock);
  for (uint32_t I = 0; I < NumRemembered; ++I) { // the latest first
    const HeapBlock &B = Remembered[(NextRemembered - 1 - I) % NumRemembered];
    if (Address - B.Start < B.Bytes) {
      Block = B;
      return true;
    }
  }
  return false;
}
