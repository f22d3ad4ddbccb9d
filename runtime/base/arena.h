//===- arena.h - The runtime's own memory -------------------------------------===//
//
// The program's heap is the program's. What the runtime allocates comes from here: by size
// classes, from large mappings that are never given back, because somebody who has just read
// a pointer without a lock may still be looking (shadow/granule.h); what he sees is then
// stale, but there. Large pieces are mappings of their own.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_RUNTIME_BASE_ARENA_H
#define PHOTOFINISH_RUNTIME_BASE_ARENA_H

#include <cstddef>
#include <cstdint>

namespace photofinish::rt {

/// For stats: bytes in use now, and at most so far.
struct ArenaUse {
  uint64_t Now, Peak;
};
ArenaUse arenaUse();
/// Beyond this the runtime gives up, with a message; 0 is no limit.
void limitArena(uint64_t Bytes);

} // namespace photofinish::rt

#endif // PHOTOFINISH_RUNTIME_BASE_ARENA_H
