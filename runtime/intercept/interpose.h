//===- interpose.h - Standing in for a function of a library ----------------===//
//
// A program that is linked dynamically finds our function first, because the executable
// comes before the libraries; the real one is the next definition of the name. Linked
// statically, there is no next definition: the linker is told to send every reference to
// NAME to __wrap_NAME (--wrap), and knows the real one as __real_NAME. PF_STATIC says which
// of the two this compilation is for; everything else is written once:
//
//   // release(m) before unlock(m)
//   PF_INTERCEPT(int, pthread_mutex_unlock, (pthread_mutex_t * M)) {
//     {
//       Entered E(PF_FUNCTION_SITE("pthread_mutex_unlock"), PF_CALLER);
//       lockReleased(E, M);
//     }
//     return PF_REAL(pthread_mutex_unlock)(M);
//   }
//
// The definitions are weak, so that a program which brings a function of the same name
// keeps it.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_RUNTIME_INTERCEPT_INTERPOSE_H
#define PHOTOFINISH_RUNTIME_INTERCEPT_INTERPOSE_H

#include "runtime/platform/libc.h"
#include "runtime/runtime.h"

#include <atomic>

namespace photofinish::rt {

/// The next definition of Name in the order of the libraries, of the given version if one is given
/// (glibc keeps old versions of some). Null if there is none. Never in a static program.
void *nextDefinition(const char *Name, const char *Version = nullptr);

/// A real function, looked up when it is first needed.
template <class Fn> class Real {
public:
  constexpr explicit Real(const char *Name, const char *Version = nullptr)
      : Name(Name), Version(Version) {}
  Fn *get() {
    // Relaxed: whoever looks it up finds the same address.
    void *F = Found.load(std::memory_order_relaxed);
    if (!F) {
      F = nextDefinition(Name, Version);
      Found.store(F, std::memory_order_relaxed);
    }
    return reinterpret_cast<Fn *>(F);
  }

private:
  const char *Name;
  const char *Version;
  std::atomic<void *> Found{nullptr};
};

} // namespace photofinish::rt

#ifdef PF_STATIC

#define PF_INTERCEPT_VERSION(Result, Name, Version, Parameters)                                    \
  extern "C" Result __real_##Name Parameters;                                                      \
  extern "C" __attribute__((visibility("default"), weak)) Result __wrap_##Name Parameters
#define PF_REAL(Name) __real_##Name

#else

#define PF_INTERCEPT_VERSION(Result, Name, Version, Parameters)                                    \
  [[maybe_unused]] static ::photofinish::rt::Real<Result Parameters> Real_##Name(#Name, Version);  \
  extern "C" __attribute__((visibility("default"), weak)) Result Name Parameters
#define PF_REAL(Name) Real_##Name.get()

#endif

#define PF_INTERCEPT(Result, Name, Parameters)                                                     \
  PF_INTERCEPT_VERSION(Result, Name, nullptr, Parameters)

#endif // PHOTOFINISH_RUNTIME_INTERCEPT_INTERPOSE_H
