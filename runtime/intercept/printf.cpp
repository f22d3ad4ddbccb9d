//===- printf.cpp - printf and scanf, in all their forms ------------------------===//
//
// Each comes with a list of arguments (vprintf) and without (printf), and fortified
// (__printf_chk) with a flag for %n and the room that there is. All read the format and the
// strings it prints; where the text goes to is checked when its length is known.
//
//===----------------------------------------------------------------------===//

#include "runtime/intercept/descriptor.h"
#include "runtime/intercept/format.h"
#include "runtime/intercept/watch.h"

using namespace photofinish::rt;

namespace {

void aboutToPrint(Entered &E, const FILE *F, const char *Format, va_list More) {
  formatReads(E, Format, More);
  descriptorReleased(E, F->_fileno);
}

void aboutToPrint(Entered &E, int Fd, const char *Format, va_list More) {
  formatReads(E, Format, More);
  descriptorReleased(E, Fd);
}

/// The text and its zero byte, as far as there was room.
void printed(Entered &E, const char *To, size_t Room, int Length) {
  size_t Bytes = size_t(Length) + 1;
  writeRange(E, To, Bytes < Room ? Bytes : Room);
}

void printedToBlock(Entered &E, char **Block, int Length) {
  writeRange(E, static_cast<void *>(Block), sizeof(*Block));
  writeRange(E, *Block, size_t(Length) + 1);
}

void scanned(Entered &E, const FILE *F, const char *Format, va_list More, int Converted) {
  descriptorAcquired(E, F->_fileno);
  scanWrites(E, Format, More, Converted);
}

void scannedString(Entered &E, const char *S, const char *Format, va_list More, int Converted) {
  readRange(E, S, strlen(S) + 1);
  scanWrites(E, Format, More, Converted);
}

} // namespace

#define PF_ARGUMENTS(...) __VA_ARGS__

// Both forms: Before and After are statements that tell what is read and written; Arguments are
// what the real function is called with, in parentheses; the rest are the parameters, of which
// Format is the last.
#define PF_FORMATTED(Told, Name, VName, Before, After, Arguments, ...)                             \
  PF_INTERCEPT_C(int, VName, (__VA_ARGS__, va_list More)) {                                        \
    va_list Again;                                                                                 \
    va_copy(Again, More);                                                                          \
    PF_WATCH(#Told) { Before; }                                                                    \
    int Result = PF_REAL(VName)(PF_ARGUMENTS Arguments, More);                                     \
    if (Result >= 0)                                                                               \
      PF_WATCH(#Told) { After; }                                                                   \
    va_end(Again);                                                                                 \
    return Result;                                                                                 \
  }                                                                                                \
  PF_INTERCEPT_C(int, Name, (__VA_ARGS__, ...)) {                                                  \
    va_list More, Again;                                                                           \
    va_start(More, Format);                                                                        \
    va_copy(Again, More);                                                                          \
    PF_WATCH(#Told) { Before; }                                                                    \
    int Result = PF_REAL(VName)(PF_ARGUMENTS Arguments, More);                                     \
    if (Result >= 0)                                                                               \
      PF_WATCH(#Told) { After; }                                                                   \
    va_end(Again);                                                                                 \
    va_end(More);                                                                                  \
    return Result;                                                                                 \
  }

// To streams and descriptors.

PF_FORMATTED(printf, printf, vprintf, aboutToPrint(E, stdout, Format, Again),
             formatWrites(E, Format, Again), (Format), const char *Format)
PF_FORMATTED(printf, __printf_chk, __vprintf_chk, aboutToPrint(E, stdout, Format, Again),
             formatWrites(E, Format, Again), (Flag, Format), int Flag, const char *Format)
PF_FORMATTED(fprintf, fprintf, vfprintf, aboutToPrint(E, F, Format, Again),
             formatWrites(E, Format, Again), (F, Format), FILE *F, const char *Format)
PF_FORMATTED(fprintf, __fprintf_chk, __vfprintf_chk, aboutToPrint(E, F, Format, Again),
             formatWrites(E, Format, Again), (F, Flag, Format), FILE *F, int Flag,
             const char *Format)
PF_FORMATTED(dprintf, dprintf, vdprintf, aboutToPrint(E, Fd, Format, Again),
             formatWrites(E, Format, Again), (Fd, Format), int Fd, const char *Format)
PF_FORMATTED(dprintf, __dprintf_chk, __vdprintf_chk, aboutToPrint(E, Fd, Format, Again),
             formatWrites(E, Format, Again), (Fd, Flag, Format), int Fd, int Flag,
             const char *Format)

// To memory.

#define PF_PRINTED(Room)                                                                           \
  formatWrites(E, Format, Again);                                                                  \
  printed(E, To, Room, Result)

PF_FORMATTED(sprintf, sprintf, vsprintf, formatReads(E, Format, Again), PF_PRINTED(SIZE_MAX),
             (To, Format), char *To, const char *Format)
PF_FORMATTED(sprintf, __sprintf_chk, __vsprintf_chk, formatReads(E, Format, Again),
             PF_PRINTED(SIZE_MAX), (To, Flag, Size, Format), char *To, int Flag, size_t Size,
             const char *Format)
PF_FORMATTED(snprintf, snprintf, vsnprintf, formatReads(E, Format, Again), PF_PRINTED(Room),
             (To, Room, Format), char *To, size_t Room, const char *Format)
PF_FORMATTED(snprintf, __snprintf_chk, __vsnprintf_chk, formatReads(E, Format, Again),
             PF_PRINTED(Room), (To, Room, Flag, Size, Format), char *To, size_t Room, int Flag,
             size_t Size, const char *Format)

#define PF_PRINTED_TO_BLOCK                                                                        \
  formatWrites(E, Format, Again);                                                                  \
  printedToBlock(E, To, Result)

PF_FORMATTED(asprintf, asprintf, vasprintf, formatReads(E, Format, Again), PF_PRINTED_TO_BLOCK,
             (To, Format), char **To, const char *Format)
PF_FORMATTED(asprintf, __asprintf_chk, __vasprintf_chk, formatReads(E, Format, Again),
             PF_PRINTED_TO_BLOCK, (To, Flag, Format), char **To, int Flag, const char *Format)

// scanf. By the names that the C standard of 1999 has in glibc, and by the older ones.

PF_FORMATTED(scanf, scanf, vscanf, , scanned(E, stdin, Format, Again, Result), (Format),
             const char *Format)
PF_FORMATTED(scanf, __isoc99_scanf, __isoc99_vscanf, , scanned(E, stdin, Format, Again, Result),
             (Format), const char *Format)
PF_FORMATTED(fscanf, fscanf, vfscanf, , scanned(E, F, Format, Again, Result), (F, Format), FILE *F,
             const char *Format)
PF_FORMATTED(fscanf, __isoc99_fscanf, __isoc99_vfscanf, , scanned(E, F, Format, Again, Result),
             (F, Format), FILE *F, const char *Format)
PF_FORMATTED(sscanf, sscanf, vsscanf, , scannedString(E, S, Format, Again, Result), (S, Format),
             const char *S, const char *Format)
PF_FORMATTED(sscanf, __isoc99_sscanf, __isoc99_vsscanf, ,
             scannedString(E, S, Format, Again, Result), (S, Format), const char *S,
             const char *Format)
