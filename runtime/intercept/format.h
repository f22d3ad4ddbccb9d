//===- format.h - What printf reads and scanf writes ---------------------------===//

#ifndef PHOTOFINISH_RUNTIME_INTERCEPT_FORMAT_H
#define PHOTOFINISH_RUNTIME_INTERCEPT_FORMAT_H

#include "runtime/platform/libc.h"
#include "runtime/runtime.h"

namespace photofinish::rt {

/// The format itself, and the strings that it prints.
void formatReads(Entered &E, const char *Format, va_list Arguments);

/// What %n stores. After the call, because before it that is not known to happen.
void formatWrites(Entered &E, const char *Format, va_list Arguments);

/// What Converted conversions have stored.
void scanWrites(Entered &E, const char *Format, va_list Arguments, int Converted);

} // namespace photofinish::rt

#endif // PHOTOFINISH_RUNTIME_INTERCEPT_FORMAT_H
