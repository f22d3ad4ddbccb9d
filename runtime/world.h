//===- world.h - The process as a whole ----------------------------------===//
//
// Start and end of the runtime, threads that come from nowhere (attachThread), and stopping
// the world: at a fork no other thread may be inside the runtime, because the child would
// inherit its locks and not the thread that unlocks them.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_RUNTIME_WORLD_H
#define PHOTOFINISH_RUNTIME_WORLD_H

#include "runtime/thread.h"

namespace photofinish::rt {

// For intercept/: what has to be registered with libc, in the order of registration.
void registerForkHandlers();
void registerExitHandler();
/// The process may be ended by a signal: then everything is committed first.
void watchFatalSignals();

/// The pending accesses of all threads, running ones included, are decided.
void commitEverybodys();

} // namespace photofinish::rt

#endif // PHOTOFINISH_RUNTIME_WORLD_H
