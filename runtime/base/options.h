//===- options.h - What the user has asked for --------------------------------------===//
//
// PHOTOFINISH_OPTIONS is key=value pairs with colons (or blanks) between them; a value with a
// colon or a blank in it stands in single quotes. options.def is the list. A mistake ends the
// program before it starts: a race detector that quietly does something else is worse than none.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_RUNTIME_BASE_OPTIONS_H
#define PHOTOFINISH_RUNTIME_BASE_OPTIONS_H

#include <cstdint>

namespace photofinish::rt {

/// The values of `mode`. All find the same races, but for Empty, which looks for none.
enum class Mode : uint64_t {
  FastTrack,     ///< VerifiedFT-v2: same-epoch accesses, shared reads included, take no lock
  VerifiedFTv15, ///< shared reads take the page's lock
  VerifiedFTv1,  ///< every access takes it
  Empty,         ///< instrumentation and synchronization alone
  SlimState,     ///< footprints, committed to classes of bytes
};

struct Options {
  static constexpr unsigned TextBytes = 1024;
#define NUMBER(name, standard, most, help) uint64_t name = standard;
#define TEXT(name, standard, help) char name[TextBytes] = standard;
#define CHOICE(name, help, ...)                                                                    \
  static constexpr const char *name##_choices[] = {__VA_ARGS__};                                   \
  uint64_t name = 0; /* which of them */
#include "runtime/base/options.def"

  Mode checkMode() const { return Mode(mode); }

  /// Reads Text, or complains and exits with 2 (with 0 for help=1).
  void parse(const char *Text);
};

/// Constant after initialisation.
extern Options TheOptions;

} // namespace photofinish::rt

#endif // PHOTOFINISH_RUNTIME_BASE_OPTIONS_H
