//===- unwind.h - Noticing that a call is left by unwinding -------------------===//
//
// A callback of the program may throw, and a thread may be cancelled in a blocking function:
// then our frame goes without being returned to, and what it had to do afterwards would not
// be done. Destructors do not help, because they need the C++ library's personality routine,
// and a program in C has none. So we have one of our own.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_RUNTIME_INTERCEPT_UNWIND_H
#define PHOTOFINISH_RUNTIME_INTERCEPT_UNWIND_H

namespace photofinish::rt {

/// Calls Function(Argument). If it is left by an exception, by pthread_exit or by cancellation,
/// OnUnwind(Argument) runs before any frame further out is unwound.
void callUnwindable(void (*Function)(void *), void *Argument, void (*OnUnwind)(void *));

} // namespace photofinish::rt

#endif // PHOTOFINISH_RUNTIME_INTERCEPT_UNWIND_H
