//===- once.h - Functions that are called once ---------------------------------------===//

#ifndef PHOTOFINISH_RUNTIME_INTERCEPT_ONCE_H
#define PHOTOFINISH_RUNTIME_INTERCEPT_ONCE_H

#include "runtime/runtime.h"

namespace photofinish::rt {

/// Calls Function through Real, which calls it at most once for each Control:
///   end of the function -> return of every call;  end of a call that threw -> the next try
int callOnce(int (*Real)(void *Control, void (*Function)()), void *Control, void (*Function)(),
             const pf_site *Site, void *Caller);

} // namespace photofinish::rt

#endif // PHOTOFINISH_RUNTIME_INTERCEPT_ONCE_H
