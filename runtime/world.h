//===- world.h - The process as a whole
//----------------------------------------------------------------===//
//
// Start and end of the runtime, threads that come from nowhere, and stopping the world: at a
// fork no other thread may be inside the runtime, because the child would inherit its locks
// and not the thread that unlocks them.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_RUNTIME_WORLD_H
#define PHOTOFINISH_RUNTIME_WORLD_H

#include "runtime/thread.h"

namespace photofinish::rt {

/// Makes a thread that was not created through an interceptor (a library's own clone) one of
/// ours. Nothing is known about what came before it, so everything so far is taken to be ordered
/// before it: rather a race missed there than a false alarm.
Thread *attachThread();

/// True while somebody waits for all threads to be outside.
bool isWorldStopping();
/// Leaves, waits until the world goes on, and enters again.
void waitForWorld(Thread &T);

// For intercept/: what has to be registered with libc, in the order of registration.
void registerForkHandlers();
void registerExitHandler();

} // namespace photofinish::rt

#endif // PHOTOFINISH_RUNTIME_WORLD_H
