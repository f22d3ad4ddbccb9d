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

struct Options {
  static constexpr unsigned TextBytes = 1024;
#define NUMBER(name, standard, most, help) uint64_t name = standard;
#define TEXT(name, standard, help) char name[TextBytes] = standard;
#include "runtime/base/options.def"

  /// Reads Text, or complains and exits with 2 (with 0 for help=1).
  void parse(const char *Text);
};

/// Constant after initialisation.
extern Options TheOptions;

} // namespace photofinish::rt

#endif // PHOTOFINISH_RUNTIME_BASE_OPTIONS_H
