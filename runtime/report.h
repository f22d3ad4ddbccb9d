//===- report.h - From a race that was found to a record -----------------===//
//
// A race is described once per pair of places, as a record (docs/records.md), and sent to the
// process that prints it. That process is started with the first race: a program without
// races never pays for it.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_RUNTIME_REPORT_H
#define PHOTOFINISH_RUNTIME_REPORT_H

#include "runtime/memory.h"

namespace photofinish::rt {

class Text;

/// What the later access is, beside its kind.
enum class AccessForm : uint8_t { Plain, Free, Unmap };

/// Tells the user about races of an access that E's thread makes now.
void reportRaces(Entered &E, AccessKind Kind, AccessForm Form, uintptr_t Address, size_t Bytes,
                 const FoundRaces &Found);

/// Tells the user about races that a thread's accesses turned out to have when they were committed.
void reportNoted(const ThreadInfo &Who, const FoundRaces &Found);
/// Ends the program if it is to end at its first race, and has had one.
void haltIfWanted();

/// The string that a field of a pf_site refers to; empty if there is none.
const char *stringAt(const int32_t &Distance);

/// What tells places apart: a site, or where a function such as memcpy was called from.
struct Place {
  uint64_t Key;
  bool IsReturnAddress;
};
Place placeOf(const pf_site *Site, uint64_t ReturnAddress);

/// The modules record; false if nothing has changed since it was last asked for by the same caller.
bool describeModules(Text &Record);
/// The file name with %p replaced, and a zero byte.
void expandPath(const char *Path, Text &Result);
/// The photofinish command.
const char *toolPath();

/// Stats and the end of the stream.
void finishReports();
/// In the child of a fork: a stream of its own.
void restartReports();

} // namespace photofinish::rt

#endif // PHOTOFINISH_RUNTIME_REPORT_H
