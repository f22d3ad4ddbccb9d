//===- mapping.cpp - Memory from the system ------------------------------------===//
//
// Mapped memory has no history; memory that is unmapped is written for the last time, and its
// shadow goes. Both include the rest of the last page. A mapping that moves is a new one: what
// was known of its bytes stays behind.
//
// madvise is not here: pages that it drops keep their history. Whoever uses them later without
// being ordered after their earlier users would race without it, too; and allocators drop pages
// that nobody uses any more at times of their own.
//
//===----------------------------------------------------------------------===//

#include "runtime/intercept/watch.h"
#include "runtime/platform/os.h"

using namespace photofinish;
using namespace photofinish::rt;

namespace {

constexpr size_t PageBytes = 4096;

size_t wholePages(size_t Bytes) { return (Bytes + PageBytes - 1) & ~(PageBytes - 1); }

/// What the kernel does not refuse at once. If it refuses later, the memory has lost its history
/// and nothing else.
bool canUnmap(const void *Start, size_t Bytes) {
  return Bytes && reinterpret_cast<uintptr_t>(Start) % PageBytes == 0 && Bytes < uintptr_t(1) << 47;
}

void aboutToMap(Entered &E, const void *Start, size_t Bytes, int Flags) {
  if ((Flags & MAP_FIXED) && (Flags & MAP_FIXED_NOREPLACE) != MAP_FIXED_NOREPLACE &&
      canUnmap(Start, Bytes))
    memoryUnmapped(E, Start, wholePages(Bytes));
}

} // namespace

// mmap64 is the same function; so is mmap, on a system where offsets have 64 bits.
#define PF_MMAP(Name)                                                                              \
  PF_INTERCEPT(void *, Name,                                                                       \
               (void *Start, size_t Bytes, int Protection, int Flags, int Fd, off_t Offset)) {     \
    PF_WATCH("mmap")                                                                               \
    aboutToMap(E, Start, Bytes, Flags);                                                            \
    void *Mapped = PF_REAL(Name)(Start, Bytes, Protection, Flags, Fd, Offset);                     \
    if (Mapped != MAP_FAILED)                                                                      \
      PF_WATCH("mmap")                                                                             \
    memoryMapped(E, Mapped, wholePages(Bytes));                                                    \
    return Mapped;                                                                                 \
  }
PF_MMAP(mmap)
PF_MMAP(mmap64)

PF_INTERCEPT(int, munmap, (void *Start, size_t Bytes)) {
  if (canUnmap(Start, Bytes))
    PF_WATCH("munmap")
  memoryUnmapped(E, Start, wholePages(Bytes));
  return PF_REAL(munmap)(Start, Bytes);
}

// A mapping that may not move keeps its bytes and loses or gets some at its end. For one that may
// move, the old range has to be given up first: it may be another thread's the next moment.
PF_INTERCEPT(void *, mremap, (void *Old, size_t OldBytes, size_t NewBytes, int Flags, ...)) {
  va_list More;
  va_start(More, Flags);
  void *Wanted = Flags & MREMAP_FIXED ? va_arg(More, void *) : nullptr;
  va_end(More);
  bool MayMove = Flags & (MREMAP_MAYMOVE | MREMAP_FIXED);
  size_t Kept = MayMove ? 0 : wholePages(NewBytes);
  size_t OldWhole = wholePages(OldBytes), NewWhole = wholePages(NewBytes);
  char *Start = static_cast<char *>(Old);
  if (canUnmap(Old, OldBytes))
    PF_WATCH("mremap") {
      if (Kept < OldWhole)
        memoryUnmapped(E, Start + Kept, OldWhole - Kept);
      if (Wanted && canUnmap(Wanted, NewBytes))
        memoryUnmapped(E, Wanted, NewWhole);
    }
  void *Mapped = PF_REAL(mremap)(Old, OldBytes, NewBytes, Flags, Wanted);
  PF_WATCH("mremap") {
    if (Mapped == MAP_FAILED) {
      if (MayMove)
        memoryMapped(E, Old, OldWhole); // it is still there
    } else if (MayMove) {
      memoryMapped(E, Mapped, NewWhole);
    } else if (NewWhole > OldWhole) {
      memoryMapped(E, Start + OldWhole, NewWhole - OldWhole);
    }
  }
  return Mapped;
}

PF_INTERCEPT(void *, sbrk, (intptr_t Increment)) {
  if (Increment < 0) {
    char *End = static_cast<char *>(PF_REAL(sbrk)(0));
    PF_WATCH("sbrk")
    memoryUnmapped(E, End + Increment, size_t(-Increment));
  }
  void *Start = PF_REAL(sbrk)(Increment);
  if (Increment > 0 && reinterpret_cast<intptr_t>(Start) != -1)
    PF_WATCH("sbrk")
  memoryMapped(E, Start, size_t(Increment));
  return Start;
}

PF_INTERCEPT(int, brk, (void *NewEnd)) {
  char *Old = static_cast<char *>(PF_REAL(sbrk)(0)), *New = static_cast<char *>(NewEnd);
  if (New < Old)
    PF_WATCH("brk")
  memoryUnmapped(E, New, size_t(Old - New));
  int Result = PF_REAL(brk)(NewEnd);
  if (Result == 0 && New > Old)
    PF_WATCH("brk")
  memoryMapped(E, Old, size_t(New - Old));
  return Result;
}

// shmdt is not told the size of the segment.

namespace {

struct Attachment {
  std::atomic<const void *> Start; ///< null: free; shmat takes it with Bytes set, shmdt frees it
  size_t Bytes;
};
Attachment Attachments[256];

/// Says that an entry is taken and its size not known yet.
const char Busy = 0;

void attached(const void *Start, size_t Bytes) {
  for (Attachment &A : Attachments) {
    const void *Free = nullptr;
    // Relaxed: the entry is ours alone until Start is published, with Bytes, by the release.
    if (A.Start.compare_exchange_strong(Free, &Busy, std::memory_order_relaxed)) {
      A.Bytes = Bytes;
      A.Start.store(Start, std::memory_order_release);
      return;
    }
  }
}

/// The size of what is attached at Start, which is no longer known then; 0 if it was not.
size_t detached(const void *Start) {
  for (Attachment &A : Attachments)
    if (A.Start.load(std::memory_order_acquire) == Start) {
      size_t Bytes = A.Bytes;
      A.Start.store(nullptr, std::memory_order_release);
      return Bytes;
    }
  return 0;
}

} // namespace

PF_INTERCEPT(void *, shmat, (int Id, const void *Where, int Flags)) {
  void *Start = PF_REAL(shmat)(Id, Where, Flags);
  shmid_ds Segment{};
  if (reinterpret_cast<intptr_t>(Start) != -1 &&
      os::call(SYS_shmctl, Id, IPC_STAT, reinterpret_cast<long>(&Segment)) >= 0)
    PF_WATCH("shmat") {
      attached(Start, wholePages(Segment.shm_segsz));
      memoryMapped(E, Start, wholePages(Segment.shm_segsz));
    }
  return Start;
}

PF_INTERCEPT(int, shmdt, (const void *Start)) {
  PF_WATCH("shmdt")
  if (size_t Bytes = Start ? detached(Start) : 0)
    memoryUnmapped(E, Start, Bytes);
  return PF_REAL(shmdt)(Start);
}
