//===- arena.cpp - The runtime's own memory -----------------------------------===//
//
// Size classes are 16, 32, 48, 64, and then four steps to each doubling up to 32 KiB; each has a
// list of free pieces, and so has every thread. This file is also the live host of detector/host.h.
//
//===----------------------------------------------------------------------===//

#include "runtime/base/arena.h"

#include "abi/abi.h"
#include "detector/host.h"
#include "detector/spin_lock.h"
#include "runtime/base/message.h"
#include "runtime/platform/os.h"

#include <atomic>
#include <bit>
#include <cstring>
#include <new>

using namespace photofinish;
using namespace photofinish::rt;

namespace {

constexpr size_t LargestSmall = 32768;
constexpr size_t ChunkBytes = size_t(1) << 20;
constexpr unsigned NumClasses = SparePieces::NumClasses;
using Free = SparePieces::Free;

/// The class of a size, and the size of a class: 16 * 1, 2, 3, 4, then 5, 6, 7, 8, 10, 12, 14, 16,
/// ...
constexpr unsigned classOf(size_t Bytes) {
  size_t Units = (Bytes + 15) / 16;
  if (Units <= 4)
    return Units ? unsigned(Units) - 1 : 0;
  unsigned Log = unsigned(std::bit_width(Units - 1)) - 1; // Units in (2^Log, 2^(Log+1)]
  size_t Step = (size_t(1) << Log) / 4;
  return 4 + (Log - 2) * 4 + unsigned((Units - (size_t(1) << Log) + Step - 1) / Step) - 1;
}
constexpr size_t sizeOf(unsigned Class) {
  if (Class < 4)
    return 16 * size_t(Class + 1);
  unsigned Log = (Class - 4) / 4 + 2;
  return 16 * ((size_t(1) << Log) + (size_t(1) << Log) / 4 * ((Class - 4) % 4 + 1));
}
static_assert(classOf(LargestSmall) < NumClasses && sizeOf(classOf(LargestSmall)) == LargestSmall);
static_assert(sizeOf(classOf(1)) == 16 && sizeOf(classOf(65)) == 80 && sizeOf(classOf(129)) == 160);

/// How many a thread takes from all, and gives back, at once.
constexpr size_t BatchBytes = 2048;
constexpr uint32_t batchOf(size_t Size) {
  return Size >= BatchBytes ? 1 : uint32_t(BatchBytes / Size);
}
/// How many it keeps at most. Of large ones none: a few of each size would be more than all else
/// that a thread has.
constexpr uint32_t mostKept(size_t Size) { return Size >= BatchBytes ? 0 : 2 * batchOf(Size); }

struct SizeClass {
  SpinLock Lock;
  Free *List; // under Lock
};

SizeClass Classes[NumClasses];
SpinLock ChunkLock;
char *Chunk;      // under ChunkLock: what is left of the mapping in use
size_t ChunkLeft; // under ChunkLock
std::atomic<uint64_t> InUse, Peak, Limit;

__attribute__((tls_model("initial-exec"))) constinit thread_local SparePieces *Own = nullptr;

void *mapOrGiveUp(size_t Bytes) {
  void *Memory = os::map(Bytes);
  if (!Memory)
    host::giveUp("the system has no memory left for the shadow of this program");
  return Memory;
}

void count(size_t Bytes) {
  // Relaxed: sums, which order nothing.
  uint64_t Now = InUse.fetch_add(Bytes, std::memory_order_relaxed) + Bytes;
  uint64_t Most = Peak.load(std::memory_order_relaxed);
  while (Now > Most && !Peak.compare_exchange_weak(Most, Now, std::memory_order_relaxed))
    ;
  uint64_t Allowed = Limit.load(std::memory_order_relaxed);
  if (Allowed && Now > Allowed)
    host::giveUp(
        "the limit memory_limit_mb has been reached; raise it, or give the program less to do");
}

/// Inlined checks look at words that begin in a piece and end behind it.
constexpr size_t BytesBehind = PF_NOTED_BEHIND;

void *carve(size_t Bytes) {
  Locked Guard(ChunkLock);
  if (ChunkLeft < Bytes + BytesBehind) {
    Chunk = static_cast<char *>(mapOrGiveUp(ChunkBytes));
    ChunkLeft = ChunkBytes;
  }
  void *Piece = Chunk;
  Chunk += Bytes;
  ChunkLeft -= Bytes;
  return Piece;
}

size_t wholePages(size_t Bytes) { return (Bytes + 4095) & ~size_t(4095); }

/// One piece, or null. Those of all threads.
Free *take(unsigned Class) {
  Locked Guard(Classes[Class].Lock);
  Free *Piece = Classes[Class].List;
  if (Piece)
    Classes[Class].List = Piece->Next;
  return Piece;
}

void carveInto(SparePieces::List &L, size_t Size, uint32_t Number) {
  auto *Fresh = static_cast<char *>(carve(Size * Number));
  for (; L.Count < Number; ++L.Count)
    L.First = new (Fresh + Size * L.Count) Free{L.First};
}

/// Fills an empty list with a batch.
void refill(SparePieces::List &L, unsigned Class) {
  size_t Size = sizeOf(Class);
  uint32_t Batch = batchOf(Size);
  count(Size * Batch);
  {
    Locked Guard(Classes[Class].Lock);
    while (L.Count < Batch && Classes[Class].List) {
      Free *Piece = Classes[Class].List;
      Classes[Class].List = Piece->Next;
      Piece->Next = L.First;
      L.First = Piece;
      ++L.Count;
    }
  }
  if (L.Count)
    InUse.fetch_sub(Size * (Batch - L.Count), std::memory_order_relaxed);
  else
    carveInto(L, Size, Batch);
}

/// Gives so many of a list to all.
void giveBack(SparePieces::List &L, unsigned Class, uint32_t Count) {
  if (!Count)
    return;
  Free *First = L.First, *Last = First;
  for (uint32_t I = 1; I < Count; ++I)
    Last = Last->Next;
  L.First = Last->Next;
  L.Count -= Count;
  InUse.fetch_sub(sizeOf(Class) * Count, std::memory_order_relaxed);
  Locked Guard(Classes[Class].Lock);
  Last->Next = Classes[Class].List;
  Classes[Class].List = First;
}

} // namespace

void SparePieces::use(const std::atomic<uint32_t> &Inside) {
  WhileInside = &Inside;
  Own = this;
}

void SparePieces::giveBack() {
  for (unsigned Class = 0; Class < NumClasses; ++Class)
    ::giveBack(Of[Class], Class, Of[Class].Count);
}

void *host::allocate(size_t Bytes) {
  if (Bytes > LargestSmall) {
    count(wholePages(Bytes));
    return mapOrGiveUp(wholePages(Bytes));
  }
  unsigned Class = classOf(Bytes);
  size_t Size = sizeOf(Class);
  Free *Piece;
  if (SparePieces *Spares = Own) {
    SparePieces::List &L = Spares->Of[Class];
    if (!L.Count) {
      // A signal that came between would find the lists half changed.
      if (!Spares->WhileInside->load(std::memory_order_relaxed))
        host::giveUp("this is a defect of Photofinish: memory for the shadow was asked for in the "
                     "midst of the program; please report it");
      refill(L, Class);
    }
    Piece = L.First;
    L.First = Piece->Next;
    --L.Count;
  } else {
    count(Size);
    Piece = take(Class);
    if (!Piece)
      return carve(Size);
  }
  return std::memset(static_cast<void *>(Piece), 0, Size);
}

void host::release(void *Memory, size_t Bytes) {
  if (!Memory)
    return;
  if (Bytes > LargestSmall) {
    InUse.fetch_sub(wholePages(Bytes), std::memory_order_relaxed);
    os::unmap(Memory, wholePages(Bytes));
    return;
  }
  unsigned Class = classOf(Bytes);
  SparePieces::List Alone{}, &L = Own ? Own->Of[Class] : Alone;
  L.First = new (Memory) Free{L.First};
  ++L.Count;
  size_t Size = sizeOf(Class);
  if (!Own)
    giveBack(L, Class, 1);
  else if (L.Count > mostKept(Size))
    giveBack(L, Class, batchOf(Size));
}

void *host::reserve(size_t Bytes) { return os::map(Bytes); }

void host::use(ptrdiff_t Bytes) {
  if (Bytes >= 0)
    count(size_t(Bytes));
  else
    InUse.fetch_sub(size_t(-Bytes), std::memory_order_relaxed);
}

void host::discard(void *Start, size_t Bytes) { os::discard(Start, Bytes); }

void host::unreserve(void *Memory, size_t Bytes) {
  if (Memory)
    os::unmap(Memory, Bytes);
}

void host::yield() { os::yield(); }

void host::giveUp(const char *Why) {
  complain(Why);
  os::exitProcess(2);
}

ArenaUse rt::arenaUse() {
  return {InUse.load(std::memory_order_relaxed), Peak.load(std::memory_order_relaxed)};
}

void rt::limitArena(uint64_t Bytes) { Limit.store(Bytes, std::memory_order_relaxed); }
