//===- allocation.cpp - malloc and its family ---------------------------------===//
//
// The program keeps its allocator: a block comes from the next definition of malloc, whatever
// library that is in, and the runtime is told. Told in the right order: a block is announced
// after the allocator gave it, when nobody else can have it yet, and given up before the
// allocator gets it back, because the next moment it may be another thread's.
//
//   malloc:  P := real; bytes of P have no history        free:  write(P); real
//   realloc(P) = free(P), malloc: the real one may or may not move the block, and its user
//   may not care.
//
// Finding the next definition may allocate (dlsym does, for its error messages). Blocks for
// that come from a small arena of our own and are never given back.
//
//===----------------------------------------------------------------------===//

#include "runtime/intercept/allocation.h"
#include "runtime/intercept/watch.h"

namespace photofinish::rt {

namespace {

/// Blocks that are needed to find the real malloc. Each has its size in front.
class EarlyArena {
public:
  void *allocate(size_t Bytes, size_t Alignment) {
    if (Bytes > sizeof(Memory) || Alignment > sizeof(Memory))
      return nullptr;
    Alignment = Alignment < HeaderBytes ? HeaderBytes : Alignment;
    size_t Room = ((Bytes + HeaderBytes - 1) & ~(HeaderBytes - 1)) + HeaderBytes + Alignment;
    // Relaxed: the part that is taken is the caller's alone.
    size_t Offset = Used.fetch_add(Room, std::memory_order_relaxed);
    if (Offset + Room > sizeof(Memory))
      return nullptr;
    char *Block = Memory + Offset + HeaderBytes;
    Block += -reinterpret_cast<uintptr_t>(Block) & (Alignment - 1);
    *reinterpret_cast<size_t *>(Block - HeaderBytes) = Bytes;
    return Block;
  }
  bool contains(const void *Block) const {
    return Block >= Memory && Block < Memory + sizeof(Memory);
  }
  size_t sizeOf(const void *Block) const {
    return *reinterpret_cast<const size_t *>(static_cast<const char *>(Block) - HeaderBytes);
  }

private:
  static constexpr size_t HeaderBytes = 16;
  std::atomic<size_t> Used{0};
  alignas(HeaderBytes) char Memory[size_t(64) << 10] = {};
};
EarlyArena Early;

bool haveReal();

} // namespace
} // namespace photofinish::rt

using namespace photofinish::rt;

/// What to do, and at which site.
#define PF_HERE(Name) PF_FUNCTION_SITE(Name), PF_CALLER

namespace {

/// Tells that Block is new, if there is one.
void *announced(const pf_site *Site, void *Caller, void *Block, size_t Bytes) {
  if (Block && mayEnter()) {
    Entered E(Site, Caller);
    blockAllocated(E, Block, Bytes);
  }
  return Block;
}

void *reallocated(const pf_site *Site, void *Caller, void *Block, size_t Bytes);

} // namespace

PF_INTERCEPT(void *, malloc, (size_t Bytes)) { return allocateBlock(PF_HERE("malloc"), Bytes); }

PF_INTERCEPT(void, free, (void *Block)) { freeBlock(PF_HERE("free"), Block); }

PF_INTERCEPT(void *, calloc, (size_t Count, size_t Bytes)) {
  if (!haveReal()) // the arena is zeros; who needs it asks for little
    return Early.allocate(Count * Bytes, 0);
  return announced(PF_HERE("calloc"), PF_REAL(calloc)(Count, Bytes), Count * Bytes);
}

PF_INTERCEPT(void *, realloc, (void *Block, size_t Bytes)) {
  return reallocated(PF_HERE("realloc"), Block, Bytes);
}

PF_INTERCEPT(void *, reallocarray, (void *Block, size_t Count, size_t Bytes)) {
  size_t Product;
  if (__builtin_mul_overflow(Count, Bytes, &Product)) {
    errno = ENOMEM;
    return nullptr;
  }
  return reallocated(PF_HERE("reallocarray"), Block, Product);
}

PF_INTERCEPT(void *, memalign, (size_t Alignment, size_t Bytes)) {
  return allocateBlock(PF_HERE("memalign"), Bytes, Alignment);
}

PF_INTERCEPT(void *, aligned_alloc, (size_t Alignment, size_t Bytes)) {
  if (!haveReal())
    return Early.allocate(Bytes, Alignment);
  return announced(PF_HERE("aligned_alloc"), PF_REAL(aligned_alloc)(Alignment, Bytes), Bytes);
}

PF_INTERCEPT(int, posix_memalign, (void **Result, size_t Alignment, size_t Bytes)) {
  if (!haveReal()) {
    *Result = Early.allocate(Bytes, Alignment);
    return *Result ? 0 : ENOMEM;
  }
  int Error = PF_REAL(posix_memalign)(Result, Alignment, Bytes);
  if (!Error)
    announced(PF_HERE("posix_memalign"), *Result, Bytes);
  return Error;
}

PF_INTERCEPT(void *, valloc, (size_t Bytes)) {
  if (!haveReal())
    return Early.allocate(Bytes, 4096);
  return announced(PF_HERE("valloc"), PF_REAL(valloc)(Bytes), Bytes);
}

PF_INTERCEPT(void *, pvalloc, (size_t Bytes)) {
  size_t Whole = (Bytes + 4095) & ~size_t(4095);
  if (!haveReal())
    return Early.allocate(Whole, 4096);
  return announced(PF_HERE("pvalloc"), PF_REAL(pvalloc)(Bytes), Whole);
}

// The bytes behind those that were asked for may have belonged to another block: nobody is told
// that they can be used.
PF_INTERCEPT(size_t, malloc_usable_size, (void *Block)) {
  if (Early.contains(Block))
    return Early.sizeOf(Block);
  size_t Known = Block ? blockSize(Block) : 0;
  return Known ? Known : PF_REAL(malloc_usable_size)(Block);
}

namespace photofinish::rt {
namespace {

/// False while the real functions are being looked up by the calling thread.
bool haveReal() {
#ifndef PF_STATIC
  static std::atomic<bool> Found{false};
  static thread_local __attribute__((tls_model("initial-exec"))) bool Looking = false;
  // Acquire and release: with the flag come the functions.
  if (__builtin_expect(Found.load(std::memory_order_acquire), true))
    return true;
  if (Looking)
    return false;
  Looking = true;
  PF_REAL(malloc);
  PF_REAL(free);
  PF_REAL(calloc);
  PF_REAL(realloc);
  PF_REAL(memalign);
  PF_REAL(aligned_alloc);
  PF_REAL(posix_memalign);
  PF_REAL(valloc);
  PF_REAL(pvalloc);
  PF_REAL(malloc_usable_size);
  Looking = false;
  Found.store(true, std::memory_order_release);
#endif
  return true;
}

} // namespace

void *allocateBlock(const pf_site *Site, void *Caller, size_t Bytes, size_t Alignment) {
  if (!haveReal())
    return Early.allocate(Bytes, Alignment);
  void *Block = Alignment ? PF_REAL(memalign)(Alignment, Bytes) : PF_REAL(malloc)(Bytes);
  return announced(Site, Caller, Block, Bytes);
}

void freeBlock(const pf_site *Site, void *Caller, void *Block) {
  if (!Block || Early.contains(Block))
    return;
  if (mayEnter()) {
    Entered E(Site, Caller);
    blockFreed(E, Block);
  }
  PF_REAL(free)(Block);
}

} // namespace photofinish::rt

namespace {

void *reallocated(const pf_site *Site, void *Caller, void *Block, size_t Bytes) {
  if (!Block)
    return allocateBlock(Site, Caller, Bytes);
  if (Bytes == 0) { // as glibc has it
    freeBlock(Site, Caller, Block);
    return nullptr;
  }
  if (Early.contains(Block)) {
    void *New = allocateBlock(Site, Caller, Bytes);
    size_t Old = Early.sizeOf(Block);
    if (New)
      memcpy(New, Block, Old < Bytes ? Old : Bytes);
    return New;
  }
  if (Bytes > PTRDIFF_MAX) { // would fail after we had said that the block is gone
    errno = ENOMEM;
    return nullptr;
  }
  bool Known = false;
  size_t Old = 0;
  if (mayEnter()) {
    Entered E(Site, Caller);
    Old = blockSize(Block);
    Known = blockFreed(E, Block);
  }
  void *New = PF_REAL(realloc)(Block, Bytes);
  if (!New && Known) // it is still there
    announced(Site, Caller, Block, Old);
  return announced(Site, Caller, New, Bytes);
}

} // namespace
