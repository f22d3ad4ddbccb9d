//===- process.h - What fork and exit need of other families ------------------------------===//

#ifndef PHOTOFINISH_RUNTIME_INTERCEPT_PROCESS_H
#define PHOTOFINISH_RUNTIME_INTERCEPT_PROCESS_H

namespace photofinish::rt {

/// Registering without being seen, before anybody else does: what is registered first is called
/// last.
void callLastAtExit(void (*Handler)(int Code, void *), void *Argument);
void callLastAtQuickExit(void (*Handler)(void *));
/// The table of signal handlers, across fork.
void lockSignalActions();
void unlockSignalActions();

} // namespace photofinish::rt

#endif // PHOTOFINISH_RUNTIME_INTERCEPT_PROCESS_H
