//===- arena.h - The runtime's own memory -------------------------------------===//
//
// The program's heap is the program's. What the runtime allocates comes from here: by size
// classes, from large mappings that are never given back, because somebody who has just read
// a pointer without a lock may still be looking (shadow/granule.h); what he sees is then
// stale, but there. Large pieces are mappings of their own.
//
// Small pieces come and go with nearly every miss: a thread keeps some of those it has released for
// itself, and deals with the others' in batches. What it keeps counts as used.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_RUNTIME_BASE_ARENA_H
#define PHOTOFINISH_RUNTIME_BASE_ARENA_H

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace photofinish::rt {

/// What a thread keeps. Zeroed memory is one.
class SparePieces {
public:
  struct Free {
    Free *Next;
  };
  struct List {
    Free *First;
    uint32_t Count;
  };
  static constexpr unsigned NumClasses = 40;

  /// The calling thread keeps its pieces here from now on. It asks for more only while it is inside
  /// the runtime, where signals wait: Inside is not 0 then.
  void use(const std::atomic<uint32_t> &Inside);
  /// Everybody may have them. Its thread is over.
  void giveBack();

  List Of[NumClasses] = {};
  const std::atomic<uint32_t> *WhileInside = nullptr;
};

/// For stats: bytes in use now, and at most so far.
struct ArenaUse {
  uint64_t Now, Peak;
};
ArenaUse arenaUse();
/// Beyond this the runtime gives up, with a message; 0 is no limit.
void limitArena(uint64_t Bytes);

} // namespace photofinish::rt

#endif // PHOTOFINISH_RUNTIME_BASE_ARENA_H
