//===- signal_action.h - Handlers of the program, called through ours ---------------------===//

#ifndef PHOTOFINISH_RUNTIME_INTERCEPT_SIGNAL_ACTION_H
#define PHOTOFINISH_RUNTIME_INTERCEPT_SIGNAL_ACTION_H

#include "runtime/platform/libc.h"

namespace photofinish::rt {

/// As sigaction: what the program says and hears is about its own handlers.
int setSignalAction(int Signal, const struct sigaction *New, struct sigaction *Old);

/// In a handler that has interrupted the runtime: the signal comes again when the thread leaves it.
void putOffSignal(int Signal, siginfo_t *Info, void *Context);

} // namespace photofinish::rt

#endif // PHOTOFINISH_RUNTIME_INTERCEPT_SIGNAL_ACTION_H
