//===- mutex.h - What other families have to know about mutexes ---------------===//

#ifndef PHOTOFINISH_RUNTIME_INTERCEPT_MUTEX_H
#define PHOTOFINISH_RUNTIME_INTERCEPT_MUTEX_H

#include "runtime/platform/libc.h"

namespace photofinish::rt {

/// Is the mutex of a kind that knows its holder, and the calling thread is not the one? Then
/// unlocking it, or waiting on a condition with it, fails and does nothing.
bool mutexRefuses(const pthread_mutex_t *M);

} // namespace photofinish::rt

#endif // PHOTOFINISH_RUNTIME_INTERCEPT_MUTEX_H
