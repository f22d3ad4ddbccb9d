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

bool Heap::remove(uintptr_t Start, Note Freeing, uint32_t Freer, HeapBlock &Block) {
  Shard &S = shardOf(Start);
  Locked Guard(S.Lock);
  if (S.Buckets.empty())
    return false;
  Node **Link = S.linkTo(Start);
  Node *Found = *Link;
  if (!Found)
    return false;
  Block = {Start, Found->Bytes, Found->Allocation,           Found->Allocator, Freeing,
           Freer, true,         __builtin_readcyclecounter()};
  S.Remembered[S.NextRemembered++ % NumRemembered] = Block;
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
  Block.FreedAt = 0;
  for (Shard &S : Shards) {
    Locked Guard(S.Lock);
    for (const HeapBlock &B : S.Remembered)
      if (Address - B.Start < B.Bytes && B.FreedAt > Block.FreedAt)
        Block = B;
  }
  return Block.FreedAt;
}
