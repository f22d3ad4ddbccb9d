//===- accesses.cpp - Random accesses of one thread, and one of another's -----------===//
//
// usage: accesses SEED COUNT
//
// Random programs are recorded, so that the oracle can judge them, and a recorded run takes the
// long way at every access. This one is not: it takes the ways that users' programs take, inlined
// tests included, and knows itself whether it has a race.
//
// One thread makes accesses of all sizes to a few pages, and to blocks that it frees and allocates
// again; between them, it begins new epochs. Then, in an order that the detector cannot see,
// another thread makes a single access. Whether the two race depends on the bytes alone. Each seed
// is a process of its own, whose exit code says what was reported; those that differ are printed.
//
//===----------------------------------------------------------------------===//

#include "../e2e/live/programs/invisible.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

constexpr unsigned NumPages = 3, PageBytes = 4096, NumBytes = NumPages * PageBytes;
constexpr unsigned NumBlocks = 24;

alignas(PageBytes) unsigned char Memory[NumBytes];
// What a run has little of, if it has: memory, kinds of actions, sizes of accesses for a while.
unsigned Used = NumBytes;
unsigned Kinds = 0xff;
unsigned OneSize = 0; // 0: any

/// A byte that can be accessed: of Memory, or of a block.
struct Known {
  bool IsRead, IsWritten;
};
/// Where accesses go: memory that stays where it is, and what has been done to it in this life.
struct Region {
  unsigned char *Start;
  unsigned Bytes;
  Known *Of;
};

Known OfMemory[NumBytes];
Region Regions[1 + NumBlocks] = {{Memory, NumBytes, OfMemory}};

struct Access {
  unsigned In, Offset, Bytes;
  bool IsWrite;
};
/// What the first thread has done, sweeps as one of theirs: where the second one likes to go.
constexpr unsigned MaxAccesses = 4096;
Access Made[MaxAccesses];
unsigned NumMade;
/// And those that were the first of their kind on a page, in an epoch: what has to begin there.
Access Firsts[MaxAccesses];
unsigned NumFirsts;
bool HasBegun[NumPages][201][2];

uint64_t State;
INVISIBLE uint64_t below(uint64_t End) {
  State ^= State << 13, State ^= State >> 7, State ^= State << 17;
  return State % End;
}

INVISIBLE void know(const Access &A) {
  if (bool &Has = HasBegun[A.Offset / PageBytes][A.Bytes][A.IsWrite];
      !A.In && !Has && NumFirsts < MaxAccesses) {
    Has = true;
    Firsts[NumFirsts++] = A;
  }
  for (unsigned B = A.Offset; B < A.Offset + A.Bytes; ++B)
    (A.IsWrite ? Regions[A.In].Of[B].IsWritten : Regions[A.In].Of[B].IsRead) = true;
}
INVISIBLE void note(const Access &A) {
  know(A);
  if (NumMade < MaxAccesses)
    Made[NumMade++] = A;
}
INVISIBLE unsigned char *addressOf(const Access &A) { return Regions[A.In].Start + A.Offset; }
INVISIBLE bool isThere(const Access &A) {
  return Regions[A.In].Start && A.Offset + A.Bytes <= Regions[A.In].Bytes;
}
INVISIBLE bool isRace(const Access &A) {
  bool Is = false;
  for (unsigned B = A.Offset; B < A.Offset + A.Bytes; ++B)
    Is |= Regions[A.In].Of[B].IsWritten || (A.IsWrite && Regions[A.In].Of[B].IsRead);
  return Is;
}

// Instrumented from here on.

template <class T> struct __attribute__((packed)) Unaligned {
  T Value;
};

template <class T> __attribute__((noinline)) void readOne(unsigned char *P) {
  T Value = *reinterpret_cast<volatile T *>(P);
  asm volatile("" ::"m"(Value));
}
template <class T> __attribute__((noinline)) void writeOne(unsigned char *P) {
  *reinterpret_cast<volatile T *>(P) = T(1);
}
template <class T> __attribute__((noinline)) void readUnaligned(unsigned char *P) {
  T Value = reinterpret_cast<volatile Unaligned<T> *>(P)->Value;
  asm volatile("" ::"m"(Value));
}
template <class T> __attribute__((noinline)) void writeUnaligned(unsigned char *P) {
  reinterpret_cast<volatile Unaligned<T> *>(P)->Value = T(1);
}
/// As loops have it: checks may move out of these, and be joined.
template <class T>
__attribute__((noinline)) void sweep(unsigned char *P, unsigned Stride, unsigned Count,
                                     bool IsWrite) {
  if (IsWrite) {
    for (unsigned I = 0; I < Count; ++I)
      *reinterpret_cast<T *>(P + I * Stride) = T(I);
  } else {
    T Sum = 0;
    for (unsigned I = 0; I < Count; ++I)
      Sum = T(Sum + *reinterpret_cast<T *>(P + I * Stride));
    asm volatile("" ::"r"(uint64_t(Sum)));
  }
}

template <class T> void single(const Access &A) {
  unsigned char *P = addressOf(A);
  bool IsAligned = reinterpret_cast<uintptr_t>(P) % sizeof(T) == 0;
  if (A.IsWrite)
    IsAligned ? writeOne<T>(P) : writeUnaligned<T>(P);
  else
    IsAligned ? readOne<T>(P) : readUnaligned<T>(P);
}
void make(const Access &A) {
  switch (A.Bytes) {
  case 1:
    return single<uint8_t>(A);
  case 2:
    return single<uint16_t>(A);
  case 4:
    return single<uint32_t>(A);
  case 8:
    return single<uint64_t>(A);
  }
  // Any number of bytes.
  unsigned char Copy[256];
  if (A.IsWrite)
    std::memset(addressOf(A), 7, A.Bytes);
  else
    std::memcpy(Copy, addressOf(A), A.Bytes);
  asm volatile("" ::"r"(Copy) : "memory");
}

INVISIBLE Access randomAccess(bool MayBeRange) {
  Access A;
  A.In = below(3) ? 0 : unsigned(below(1 + NumBlocks));
  if (!Regions[A.In].Start)
    A.In = 0;
  A.Bytes = OneSize && MayBeRange ? OneSize : 1u << below(4);
  if (MayBeRange && below(8) == 0)
    A.Bytes = unsigned(1 + below(200));
  unsigned End = A.In ? Regions[A.In].Bytes : Used;
  if (A.Bytes > End)
    A.Bytes = 1;
  A.Offset = unsigned(below(End - A.Bytes + 1));
  if (A.Bytes <= 8 && below(8)) // most are aligned
    A.Offset = A.Offset / A.Bytes * A.Bytes;
  A.IsWrite = below(2);
  return A;
}

/// Somewhere that the first thread has been, in this life of the memory or another, or beside it.
INVISIBLE Access accessNearby() {
  if (!NumMade || below(8) == 0)
    return randomAccess(/*MayBeRange=*/false);
  Access A = NumFirsts && below(2) ? Firsts[below(NumFirsts)] : Made[below(NumMade)];
  unsigned At = A.Offset + unsigned(below(A.Bytes + 2));
  A.Bytes = 1u << below(4);
  A.Offset = (At ? At - 1 : 0) / A.Bytes * A.Bytes;
  A.IsWrite = below(3);
  return isThere(A) ? A : randomAccess(/*MayBeRange=*/false);
}

INVISIBLE void allocateOrFree(Region &R) {
  if (R.Start) {
    std::free(R.Of);
    std::free(R.Start);
    R.Start = nullptr;
  } else {
    R.Bytes = unsigned(1 + below(120));
    R.Start = static_cast<unsigned char *>(std::malloc(R.Bytes));
    R.Of = static_cast<Known *>(std::calloc(R.Bytes, sizeof(Known)));
  }
}

std::mutex Own; // the first thread's

INVISIBLE void tell(volatile bool *HasRace, bool Is) { *HasRace = Is; }
INVISIBLE void beginAgain() { __builtin_memset(HasBegun, 0, sizeof(HasBegun)); }

void beginEpoch() {
  {
    std::lock_guard Lock(Own);
  }
  beginAgain();
}

INVISIBLE Access choose(bool WasMade) {
  return WasMade && NumMade ? Made[below(NumMade)] : randomAccess(/*MayBeRange=*/true);
}

void doSweep() {
  bool IsWrite = below(2);
  unsigned Bytes = OneSize ? OneSize : 1u << below(4),
           Stride = Bytes * unsigned(1 + (below(2) ? 0 : below(4)));
  unsigned Count = unsigned(1 + below(below(4) ? 400 : 16));
  unsigned Offset = unsigned(below(Used)) / Bytes * Bytes;
  if (Offset + Stride * Count > Used)
    Count = (Used - Offset) / Stride;
  if (!Count)
    return;
  switch (Bytes) {
  case 1:
    sweep<uint8_t>(Memory + Offset, Stride, Count, IsWrite);
    break;
  case 2:
    sweep<uint16_t>(Memory + Offset, Stride, Count, IsWrite);
    break;
  case 4:
    sweep<uint32_t>(Memory + Offset, Stride, Count, IsWrite);
    break;
  default:
    sweep<uint64_t>(Memory + Offset, Stride, Count, IsWrite);
  }
  for (unsigned I = 0; I < Count; ++I)
    know({0, Offset + I * Stride, Bytes, IsWrite});
  note({0, Offset + unsigned(below(Count)) * Stride, Bytes, IsWrite});
}

void first() {
  if (below(2))
    Used = NumBytes >> (2 + below(3));
  if (below(2))
    Kinds = unsigned(below(256));
  bool HasPhases = below(2);
  for (uint64_t Left = below(2) ? below(8) : below(300); Left; --Left) {
    if (HasPhases && below(4) == 0)
      OneSize = 1u << below(4);
    uint64_t What = below(8);
    if (!(Kinds >> What & 1))
      What = 7;
    if (What < 2) {
      doSweep();
    } else if (What == 2) {
      beginEpoch();
    } else if (What == 3) {
      allocateOrFree(Regions[1 + below(NumBlocks)]);
    } else if (Access A = choose(What == 4); isThere(A)) {
      make(A);
      note(A);
    }
  }
}

} // namespace

static void run(uint64_t Seed, volatile bool *HasRace) {
  State = (Seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
  for (int I = 0; I < 4; ++I)
    below(2);
  std::thread First([] {
    await(1);
    first();
    done(2);
    await(3); // its blocks are its own until then
  });
  std::thread Second([HasRace] {
    done(1);
    await(2);
    Access A = accessNearby();
    tell(HasRace, isRace(A));
    make(A);
    done(3);
  });
  First.join();
  Second.join();
}

int main(int, char **Arguments) {
  constexpr int Races = 66;
  uint64_t Start = std::strtoull(Arguments[1], nullptr, 10), Wrong = 0, NumRaces = 0;
  uint64_t Count = std::strtoull(Arguments[2], nullptr, 10);
  void *Shared =
      mmap(nullptr, PageBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto *HasRace = static_cast<volatile bool *>(Shared);
  for (uint64_t Seed = Start; Seed < Start + Count; ++Seed) {
    *HasRace = false;
    std::fflush(stdout); // a child would have it, too
    pid_t Child = fork();
    if (!Child) {
      run(Seed, HasRace);
      return 0;
    }
    int Status = 0;
    if (waitpid(Child, &Status, 0) != Child)
      return 2;
    NumRaces += *HasRace;
    if (!WIFEXITED(Status) || WEXITSTATUS(Status) != (*HasRace ? Races : 0)) {
      ++Wrong;
      std::printf("seed %llu: %s, status %x\n", (unsigned long long)Seed,
                  *HasRace ? "race" : "none", Status);
    }
  }
  std::printf("%llu of %llu wrong, %llu races\n", (unsigned long long)Wrong,
              (unsigned long long)Count, (unsigned long long)NumRaces);
}
