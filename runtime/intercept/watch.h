//===- watch.h - Which calls of an interceptor count -------------------------===//
//
// An interceptor of a function that only accesses memory or uses a descriptor has nothing to
// tell while the runtime has not started, when the runtime itself got there, or when libc
// calls its own function: what libc does for itself it orders with locks that we do not see.
// With a shared libc the last of these does not happen, because calls inside of libc do not
// leave it; but linked statically, --wrap sends libc's calls to us, too. Then the driver puts
// libc between two small objects, and the caller's address tells.
//
//   PF_INTERCEPT(size_t, strnlen, (const char *S, size_t Most)) {
//     size_t Length = PF_REAL(strnlen)(S, Most);
//     PF_WATCH("strnlen")
//     readRange(E, S, Length < Most ? Length + 1 : Most);
//     return Length;
//   }
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_RUNTIME_INTERCEPT_WATCH_H
#define PHOTOFINISH_RUNTIME_INTERCEPT_WATCH_H

#include "runtime/intercept/interpose.h"

#include <new>

#ifdef PF_STATIC
extern "C" {
// runtime/static/
__attribute__((weak, visibility("hidden"))) void __pf_libc_begin();
__attribute__((weak, visibility("hidden"))) void __pf_libc_end();
}
#endif

namespace photofinish::rt {

/// May this call enter the runtime?
inline bool mayEnter() {
  // Relaxed: a thread that is created later knows it from its creation.
  return __builtin_expect(Started.load(std::memory_order_relaxed), true) && !isInside();
}

/// Does libc call itself? Without the second of the objects, everything behind the first is libc.
inline bool isLibc([[maybe_unused]] const void *Caller) {
#ifdef PF_STATIC
  auto Address = reinterpret_cast<uintptr_t>(Caller);
  return __pf_libc_begin && Address >= reinterpret_cast<uintptr_t>(__pf_libc_begin) &&
         (!__pf_libc_end || Address < reinterpret_cast<uintptr_t>(__pf_libc_end));
#else
  return false;
#endif
}

inline bool isWatched(const void *Caller) { return !isLibc(Caller) && mayEnter(); }

/// Entered, if the call is watched.
class Watching {
public:
  Watching(const pf_site *Site, void *Caller) : Watched(isWatched(Caller)) {
    if (Watched)
      new (Place) Entered(Site, Caller);
  }
  ~Watching() {
    if (Watched)
      entered().~Entered();
  }
  Watching(const Watching &) = delete;
  Watching &operator=(const Watching &) = delete;

  explicit operator bool() const { return Watched; }
  operator Entered &() { return entered(); }

private:
  Entered &entered() { return *std::launder(reinterpret_cast<Entered *>(Place)); }

  bool Watched;
  alignas(Entered) char Place[sizeof(Entered)];
};

} // namespace photofinish::rt

/// The statement that follows runs inside the runtime, as E, if the call is watched. In the
/// interceptor itself, whose return address it takes.
#define PF_WATCH(Name) if (::photofinish::rt::Watching E(PF_FUNCTION_SITE(Name), PF_CALLER); E)

/// PF_INTERCEPT for functions of which glibc's headers have for C++ two declarations in place of
/// the C prototype (strchr), or a body (atoi): they have to have another name in C++.
#ifdef PF_STATIC
#define PF_INTERCEPT_C(Result, Name, Parameters) PF_INTERCEPT(Result, Name, Parameters)
#else
#define PF_INTERCEPT_C(Result, Name, Parameters)                                                   \
  [[maybe_unused]] static ::photofinish::rt::Real<Result Parameters> Real_##Name(#Name);           \
  extern "C" __attribute__((visibility("default"),                                                 \
                            weak)) Result interceptor_##Name Parameters asm(#Name);                \
  Result interceptor_##Name Parameters
#endif

#endif // PHOTOFINISH_RUNTIME_INTERCEPT_WATCH_H
