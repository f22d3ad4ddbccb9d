//===- stdio.cpp - Streams ------------------------------------------------------===//
//
// A stream is a descriptor with a buffer (io.cpp has the edges of descriptors):
//
//   fwrite(f), fputs, printf, fflush, fclose:   release(out(descriptor of f)) before
//   fread(f), fgets, getline, scanf:            acquire(in(descriptor of f)) after
//
// Data may lie in the buffer for a while, and be written out in a call of another thread; the
// channel has learned of them when they were put there.
//
//   flockfile(f):  acquire(f) after       funlockfile(f):  release(f) before
//
// The lock that each call takes for itself is no edge. No program can rely on it: which of two
// calls came first shows in the data alone. As an edge, it would order all threads that print,
// and hide their races.
//
// The buffer and everything else inside of a FILE is libc's own.
//
//===----------------------------------------------------------------------===//

#include "runtime/intercept/descriptor.h"
#include "runtime/intercept/format.h"
#include "runtime/intercept/watch.h"

using namespace photofinish::rt;

namespace {

void aboutToWrite(Entered &E, const FILE *F) { descriptorReleased(E, F->_fileno); }
void hasRead(Entered &E, const FILE *F) { descriptorAcquired(E, F->_fileno); }

void readString(Entered &E, const char *S) { readRange(E, S, strlen(S) + 1); }

} // namespace

// Blocks, lines and characters. The second name of a pair does not lock the stream.

#define PF_FREAD(Name)                                                                             \
  PF_INTERCEPT(size_t, Name, (void *Buffer, size_t Bytes, size_t Count, FILE *F)) {                \
    size_t Result = PF_REAL(Name)(Buffer, Bytes, Count, F);                                        \
    PF_WATCH("fread") {                                                                            \
      hasRead(E, F);                                                                               \
      writeRange(E, Buffer, Result *Bytes);                                                        \
    }                                                                                              \
    return Result;                                                                                 \
  }
PF_FREAD(fread)
PF_FREAD(fread_unlocked)

#define PF_FREAD_CHK(Name)                                                                         \
  PF_INTERCEPT(size_t, Name, (void *Buffer, size_t Room, size_t Bytes, size_t Count, FILE *F)) {   \
    size_t Result = PF_REAL(Name)(Buffer, Room, Bytes, Count, F);                                  \
    PF_WATCH("fread") {                                                                            \
      hasRead(E, F);                                                                               \
      writeRange(E, Buffer, Result *Bytes);                                                        \
    }                                                                                              \
    return Result;                                                                                 \
  }
PF_FREAD_CHK(__fread_chk)
PF_FREAD_CHK(__fread_unlocked_chk)

#define PF_FWRITE(Name)                                                                            \
  PF_INTERCEPT(size_t, Name, (const void *Buffer, size_t Bytes, size_t Count, FILE *F)) {          \
    PF_WATCH("fwrite") {                                                                           \
      readRange(E, Buffer, Bytes *Count);                                                          \
      aboutToWrite(E, F);                                                                          \
    }                                                                                              \
    return PF_REAL(Name)(Buffer, Bytes, Count, F);                                                 \
  }
PF_FWRITE(fwrite)
PF_FWRITE(fwrite_unlocked)

// At the end of the file nothing is stored, but that it has ended is known.
#define PF_FGETS(Name, Parameters, ...)                                                            \
  PF_INTERCEPT(char *, Name, Parameters) {                                                         \
    char *Result = PF_REAL(Name)(__VA_ARGS__, F);                                                  \
    PF_WATCH("fgets") {                                                                            \
      hasRead(E, F);                                                                               \
      if (Result)                                                                                  \
        writeRange(E, Buffer, strlen(Buffer) + 1);                                                 \
    }                                                                                              \
    return Result;                                                                                 \
  }
PF_FGETS(fgets, (char *Buffer, int Bytes, FILE *F), Buffer, Bytes)
PF_FGETS(fgets_unlocked, (char *Buffer, int Bytes, FILE *F), Buffer, Bytes)
PF_FGETS(__fgets_chk, (char *Buffer, size_t Room, int Bytes, FILE *F), Buffer, Room, Bytes)
PF_FGETS(__fgets_unlocked_chk, (char *Buffer, size_t Room, int Bytes, FILE *F), Buffer, Room, Bytes)

#define PF_FPUTS(Name)                                                                             \
  PF_INTERCEPT(int, Name, (const char *S, FILE *F)) {                                              \
    PF_WATCH("fputs") {                                                                            \
      readString(E, S);                                                                            \
      aboutToWrite(E, F);                                                                          \
    }                                                                                              \
    return PF_REAL(Name)(S, F);                                                                    \
  }
PF_FPUTS(fputs)
PF_FPUTS(fputs_unlocked)

PF_INTERCEPT(int, puts, (const char *S)) {
  PF_WATCH("puts") {
    readString(E, S);
    aboutToWrite(E, stdout);
  }
  return PF_REAL(puts)(S);
}

#define PF_GETC(Name)                                                                              \
  PF_INTERCEPT_C(int, Name, (FILE * F)) {                                                          \
    int Result = PF_REAL(Name)(F);                                                                 \
    PF_WATCH(#Name)                                                                                \
    hasRead(E, F);                                                                                 \
    return Result;                                                                                 \
  }
PF_GETC(getc)
PF_GETC(fgetc)

PF_INTERCEPT_C(int, getchar, ()) {
  int Result = PF_REAL(getchar)();
  PF_WATCH("getchar")
  hasRead(E, stdin);
  return Result;
}

#define PF_PUTC(Name)                                                                              \
  PF_INTERCEPT_C(int, Name, (int C, FILE *F)) {                                                    \
    PF_WATCH(#Name)                                                                                \
    aboutToWrite(E, F);                                                                            \
    return PF_REAL(Name)(C, F);                                                                    \
  }
PF_PUTC(putc)
PF_PUTC(fputc)

PF_INTERCEPT_C(int, putchar, (int C)) {
  PF_WATCH("putchar")
  aboutToWrite(E, stdout);
  return PF_REAL(putchar)(C);
}

// The line, a block that grows, and what the caller knows of it.
#define PF_GETDELIM(Name, Parameters, ...)                                                         \
  PF_INTERCEPT_C(ssize_t, Name, Parameters) {                                                      \
    PF_WATCH("getline") {                                                                          \
      readRange(E, static_cast<void *>(Line), sizeof(*Line));                                      \
      readRange(E, Room, sizeof(*Room));                                                           \
    }                                                                                              \
    ssize_t Result = PF_REAL(Name)(__VA_ARGS__, F);                                                \
    PF_WATCH("getline") {                                                                          \
      hasRead(E, F);                                                                               \
      if (Result >= 0) {                                                                           \
        writeRange(E, static_cast<void *>(Line), sizeof(*Line));                                   \
        writeRange(E, Room, sizeof(*Room));                                                        \
        writeRange(E, *Line, size_t(Result) + 1);                                                  \
      }                                                                                            \
    }                                                                                              \
    return Result;                                                                                 \
  }
PF_GETDELIM(getline, (char **Line, size_t *Room, FILE *F), Line, Room)
PF_GETDELIM(getdelim, (char **Line, size_t *Room, int Delimiter, FILE *F), Line, Room, Delimiter)
PF_GETDELIM(__getdelim, (char **Line, size_t *Room, int Delimiter, FILE *F), Line, Room, Delimiter)

// Streams themselves.

#define PF_FFLUSH(Name)                                                                            \
  PF_INTERCEPT(int, Name, (FILE * F)) {                                                            \
    if (F)                                                                                         \
      PF_WATCH("fflush")                                                                           \
    aboutToWrite(E, F);                                                                            \
    return PF_REAL(Name)(F);                                                                       \
  }
PF_FFLUSH(fflush)
PF_FFLUSH(fflush_unlocked)

#define PF_FOPEN(Name, Parameters, ...)                                                            \
  PF_INTERCEPT(FILE *, Name, Parameters) {                                                         \
    PF_WATCH(#Name) {                                                                              \
      readString(E, What);                                                                         \
      readString(E, Mode);                                                                         \
    }                                                                                              \
    FILE *F = PF_REAL(Name)(__VA_ARGS__);                                                          \
    if (F)                                                                                         \
      descriptorRenewed(F->_fileno);                                                               \
    return F;                                                                                      \
  }
PF_FOPEN(fopen, (const char *What, const char *Mode), What, Mode)
PF_FOPEN(fopen64, (const char *What, const char *Mode), What, Mode)
PF_FOPEN(popen, (const char *What, const char *Mode), What, Mode)

// The number may be another thread's descriptor, and F another stream, as soon as it is closed.
static void aboutToClose(Entered &E, FILE *F) {
  descriptorClosed(E, F->_fileno);
  lockForgotten(E, F);
}

#define PF_FREOPEN(Name)                                                                           \
  PF_INTERCEPT(FILE *, Name, (const char *Path, const char *Mode, FILE *F)) {                      \
    PF_WATCH("freopen")                                                                            \
    descriptorClosed(E, F->_fileno);                                                               \
    FILE *Result = PF_REAL(Name)(Path, Mode, F);                                                   \
    if (Result)                                                                                    \
      descriptorRenewed(Result->_fileno);                                                          \
    return Result;                                                                                 \
  }
PF_FREOPEN(freopen)
PF_FREOPEN(freopen64)

PF_INTERCEPT(int, fclose, (FILE * F)) {
  PF_WATCH("fclose")
  aboutToClose(E, F);
  return PF_REAL(fclose)(F);
}

PF_INTERCEPT(int, pclose, (FILE * F)) {
  PF_WATCH("pclose")
  aboutToClose(E, F);
  return PF_REAL(pclose)(F);
}

// acquire(F) after
PF_INTERCEPT(void, flockfile, (FILE * F)) {
  PF_REAL(flockfile)(F);
  PF_WATCH("flockfile")
  lockAcquired(E, F, LockKind::Mutex);
}

PF_INTERCEPT(int, ftrylockfile, (FILE * F)) {
  int Result = PF_REAL(ftrylockfile)(F);
  if (Result == 0)
    PF_WATCH("ftrylockfile")
  lockAcquired(E, F, LockKind::Mutex);
  return Result;
}

// release(F) before
PF_INTERCEPT(void, funlockfile, (FILE * F)) {
  PF_WATCH("funlockfile")
  lockReleased(E, F);
  PF_REAL(funlockfile)(F);
}
