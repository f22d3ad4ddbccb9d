//===- builtin.cpp - The functions that the compiler calls by itself ----------===//
//
// Everywhere else in the runtime these names mean base/builtins.cpp. Here they are what the
// program calls (this file alone is compiled with PF_DEFINES_BUILTINS), so that nothing in
// this file may make the compiler call one.
//
//===----------------------------------------------------------------------===//

#include "runtime/intercept/watch.h"

using namespace photofinish::rt;

PF_INTERCEPT(void *, memcpy, (void *To, const void *From, size_t Bytes)) {
  PF_WATCH("memcpy") {
    readRange(E, From, Bytes);
    writeRange(E, To, Bytes);
  }
  return PF_REAL(memcpy)(To, From, Bytes);
}

PF_INTERCEPT(void *, memmove, (void *To, const void *From, size_t Bytes)) {
  PF_WATCH("memmove") {
    readRange(E, From, Bytes);
    writeRange(E, To, Bytes);
  }
  return PF_REAL(memmove)(To, From, Bytes);
}

PF_INTERCEPT(void *, memset, (void *To, int Byte, size_t Bytes)) {
  PF_WATCH("memset")
  writeRange(E, To, Bytes);
  return PF_REAL(memset)(To, Byte, Bytes);
}

/// The bytes that have to be looked at to compare: up to the first difference, and with it.
static size_t comparedBytes(const void *First, const void *Second, size_t Bytes) {
  const char *A = static_cast<const char *>(First);
  const char *B = static_cast<const char *>(Second);
  for (size_t I = 0; I < Bytes; ++I)
    if (A[I] != B[I])
      return I + 1;
  return Bytes;
}

PF_INTERCEPT(int, memcmp, (const void *First, const void *Second, size_t Bytes)) {
  int Result = PF_REAL(memcmp)(First, Second, Bytes);
  PF_WATCH("memcmp") {
    size_t Read = Result ? comparedBytes(First, Second, Bytes) : Bytes;
    readRange(E, First, Read);
    readRange(E, Second, Read);
  }
  return Result;
}

PF_INTERCEPT(int, bcmp, (const void *First, const void *Second, size_t Bytes)) {
  int Result = PF_REAL(bcmp)(First, Second, Bytes);
  PF_WATCH("bcmp") {
    size_t Read = Result ? comparedBytes(First, Second, Bytes) : Bytes;
    readRange(E, First, Read);
    readRange(E, Second, Read);
  }
  return Result;
}

PF_INTERCEPT(size_t, strlen, (const char *S)) {
  size_t Length = PF_REAL(strlen)(S);
  PF_WATCH("strlen")
  readRange(E, S, Length + 1);
  return Length;
}
