//===- found_race.h - What the shadow says of a race ---------------------===//

#ifndef PHOTOFINISH_RUNTIME_FOUND_RACE_H
#define PHOTOFINISH_RUNTIME_FOUND_RACE_H

#include "detector/array.h"
#include "detector/cell.h"

namespace photofinish::rt {

/// The earlier side of a race, as the shadow remembers it, and the bytes in question; and the later
/// side, if that is not the access that is being made, but one that was noted before.
struct FoundRace {
  uintptr_t Address;
  uint32_t Bytes;
  Epoch Earlier;
  Note EarlierNote;
  AccessKind EarlierKind;
  AccessKind LaterKind = AccessKind::Read;
  Note LaterNote = 0; ///< 0: the access that is being made

  /// Is it the next bytes of the same two accesses?
  bool continues(const FoundRace &Last) const {
    return Last.Address + Last.Bytes == Address && Last.Earlier == Earlier &&
           Last.EarlierNote == EarlierNote && Last.EarlierKind == EarlierKind &&
           Last.LaterNote == LaterNote && Last.LaterKind == LaterKind;
  }
};
using FoundRaces = Array<FoundRace>;

} // namespace photofinish::rt

#endif // PHOTOFINISH_RUNTIME_FOUND_RACE_H
