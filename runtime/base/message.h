//===- message.h - A line for the user ------------------------------------------===//

#ifndef PHOTOFINISH_RUNTIME_BASE_MESSAGE_H
#define PHOTOFINISH_RUNTIME_BASE_MESSAGE_H

#include "runtime/platform/os.h"

#include <cstring>

namespace photofinish::rt {

/// "photofinish: " and the pieces, as one line on standard error, in one write.
template <class... Pieces> void complain(const Pieces *...Text) {
  char Line[512] = "photofinish: ";
  size_t Length = std::strlen(Line);
  auto Append = [&](const char *Piece) {
    for (; *Piece && Length + 1 < sizeof(Line); ++Piece)
      Line[Length++] = *Piece;
  };
  (Append(Text), ...);
  Line[Length++] = '\n';
  os::write(2, Line, Length);
}

} // namespace photofinish::rt

#endif // PHOTOFINISH_RUNTIME_BASE_MESSAGE_H
