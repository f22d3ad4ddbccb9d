//===- host.h - What the rules need from the process they run in ----------===//
//
// detector/ and shadow/ are compiled into two very different hosts: the offline
// analyser, an ordinary program, and the live runtime, which lives inside somebody
// else's process and may not touch its heap. Each host defines these functions
// once; nothing else in the two folders allocates, waits or gives up.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_DETECTOR_HOST_H
#define PHOTOFINISH_DETECTOR_HOST_H

#include <cstddef>

namespace photofinish::host {

/// Zeroed memory, aligned to 16. Never null: a host that runs out gives up itself.
void *allocate(size_t Bytes);
/// Bytes is what allocate was asked for; null is nothing to release, whatever Bytes says.
void release(void *Memory, size_t Bytes);
/// Zeroed memory of whole pages that costs what is touched of it; null if there is no room.
void *reserve(size_t Bytes);
/// So many bytes of what was reserved are used from now on, or, if negative, no longer.
void use(ptrdiff_t Bytes);
/// Whole pages of it are zeros again, and cost nothing.
void discard(void *Start, size_t Bytes);
/// Null is nothing to give back.
void unreserve(void *Memory, size_t Bytes);
/// Lets another thread run; called while waiting for a cell's lock.
void yield();
/// A limit of the design was met; Why is one line for the user. Never a silent wrap.
[[noreturn]] void giveUp(const char *Why);

} // namespace photofinish::host

#endif // PHOTOFINISH_DETECTOR_HOST_H
