//===- wide_string.cpp - Functions on strings of wchar_t -------------------------===//
//
// As string.cpp, for the functions that programs use on wide strings.
//
//===----------------------------------------------------------------------===//

#include "runtime/intercept/allocation.h"
#include "runtime/intercept/watch.h"

using namespace photofinish::rt;

namespace {

size_t atMost(size_t Count, size_t Most) { return Count < Most ? Count : Most; }

size_t lengthWithin(const wchar_t *S, size_t Most) {
  size_t Length = 0;
  while (Length < Most && S[Length])
    ++Length;
  return Length;
}
size_t lengthOf(const wchar_t *S) { return lengthWithin(S, SIZE_MAX); }

void reads(Entered &E, const wchar_t *S, size_t Count) { readRange(E, S, Count * sizeof(*S)); }
void writes(Entered &E, wchar_t *S, size_t Count) { writeRange(E, S, Count * sizeof(*S)); }

void readString(Entered &E, const wchar_t *S) { reads(E, S, lengthOf(S) + 1); }

void readUpTo(Entered &E, const wchar_t *S, const wchar_t *Found) {
  reads(E, S, Found ? size_t(Found - S) + 1 : lengthOf(S) + 1);
}

void readCompared(Entered &E, const wchar_t *A, const wchar_t *B, size_t Most) {
  size_t I = 0;
  while (I < Most && A[I] && A[I] == B[I])
    ++I;
  reads(E, A, atMost(I + 1, Most));
  reads(E, B, atMost(I + 1, Most));
}

void copied(Entered &E, wchar_t *To, const wchar_t *From) {
  size_t Count = lengthOf(From) + 1;
  reads(E, From, Count);
  writes(E, To, Count);
}

void copiedWithin(Entered &E, wchar_t *To, const wchar_t *From, size_t Count) {
  reads(E, From, atMost(lengthWithin(From, Count) + 1, Count));
  writes(E, To, Count);
}

void appended(Entered &E, wchar_t *To, const wchar_t *From, size_t Most) {
  size_t Length = lengthWithin(From, Most), Start = lengthOf(To);
  reads(E, To, Start + 1);
  reads(E, From, atMost(Length + 1, Most));
  writes(E, To + Start, Length + 1);
}

} // namespace

PF_INTERCEPT(size_t, wcslen, (const wchar_t *S)) {
  size_t Length = PF_REAL(wcslen)(S);
  PF_WATCH("wcslen")
  reads(E, S, Length + 1);
  return Length;
}

PF_INTERCEPT(size_t, wcsnlen, (const wchar_t *S, size_t Most)) {
  size_t Length = PF_REAL(wcsnlen)(S, Most);
  PF_WATCH("wcsnlen")
  reads(E, S, atMost(Length + 1, Most));
  return Length;
}

#define PF_COPY(Name, Told)                                                                        \
  PF_INTERCEPT(wchar_t *, Name, (wchar_t * To, const wchar_t *From)) {                             \
    PF_WATCH(#Name) { Told; }                                                                      \
    return PF_REAL(Name)(To, From);                                                                \
  }                                                                                                \
  PF_INTERCEPT(wchar_t *, __##Name##_chk, (wchar_t * To, const wchar_t *From, size_t Room)) {      \
    PF_WATCH(#Name) { Told; }                                                                      \
    return PF_REAL(__##Name##_chk)(To, From, Room);                                                \
  }
#define PF_COPY_WITHIN(Name, Told)                                                                 \
  PF_INTERCEPT(wchar_t *, Name, (wchar_t * To, const wchar_t *From, size_t Count)) {               \
    PF_WATCH(#Name) { Told; }                                                                      \
    return PF_REAL(Name)(To, From, Count);                                                         \
  }                                                                                                \
  PF_INTERCEPT(wchar_t *, __##Name##_chk,                                                          \
               (wchar_t * To, const wchar_t *From, size_t Count, size_t Room)) {                   \
    PF_WATCH(#Name) { Told; }                                                                      \
    return PF_REAL(__##Name##_chk)(To, From, Count, Room);                                         \
  }
PF_COPY(wcscpy, copied(E, To, From))
PF_COPY(wcpcpy, copied(E, To, From))
PF_COPY(wcscat, appended(E, To, From, SIZE_MAX))
PF_COPY_WITHIN(wcsncpy, copiedWithin(E, To, From, Count))
PF_COPY_WITHIN(wcpncpy, copiedWithin(E, To, From, Count))
PF_COPY_WITHIN(wcsncat, appended(E, To, From, Count))

PF_INTERCEPT(wchar_t *, wcsdup, (const wchar_t *S)) {
  PF_WATCH("wcsdup")
  readString(E, S);
  size_t Bytes = (lengthOf(S) + 1) * sizeof(*S);
  void *Copy = allocateBlock(PF_FUNCTION_SITE("wcsdup"), PF_CALLER, Bytes);
  return Copy ? static_cast<wchar_t *>(memcpy(Copy, S, Bytes)) : nullptr;
}

PF_INTERCEPT(int, wcscmp, (const wchar_t *A, const wchar_t *B)) {
  PF_WATCH("wcscmp")
  readCompared(E, A, B, SIZE_MAX);
  return PF_REAL(wcscmp)(A, B);
}

PF_INTERCEPT(int, wcsncmp, (const wchar_t *A, const wchar_t *B, size_t Most)) {
  PF_WATCH("wcsncmp")
  readCompared(E, A, B, Most);
  return PF_REAL(wcsncmp)(A, B, Most);
}

PF_INTERCEPT_C(wchar_t *, wcschr, (const wchar_t *S, wchar_t C)) {
  wchar_t *Found = PF_REAL(wcschr)(S, C);
  PF_WATCH("wcschr")
  readUpTo(E, S, Found);
  return Found;
}

PF_INTERCEPT_C(wchar_t *, wcsrchr, (const wchar_t *S, wchar_t C)) {
  PF_WATCH("wcsrchr")
  readString(E, S);
  return PF_REAL(wcsrchr)(S, C);
}

PF_INTERCEPT_C(wchar_t *, wcsstr, (const wchar_t *S, const wchar_t *Wanted)) {
  wchar_t *Found = PF_REAL(wcsstr)(S, Wanted);
  PF_WATCH("wcsstr") {
    size_t Length = lengthOf(Wanted);
    reads(E, Wanted, Length + 1);
    if (Length)
      readUpTo(E, S, Found ? Found + Length - 1 : nullptr);
  }
  return Found;
}

PF_INTERCEPT_C(wchar_t *, wcspbrk, (const wchar_t *S, const wchar_t *Set)) {
  wchar_t *Found = PF_REAL(wcspbrk)(S, Set);
  PF_WATCH("wcspbrk") {
    readUpTo(E, S, Found);
    readString(E, Set);
  }
  return Found;
}

#define PF_SPAN(Name)                                                                              \
  PF_INTERCEPT(size_t, Name, (const wchar_t *S, const wchar_t *Set)) {                             \
    size_t Length = PF_REAL(Name)(S, Set);                                                         \
    PF_WATCH(#Name) {                                                                              \
      reads(E, S, Length + 1);                                                                     \
      readString(E, Set);                                                                          \
    }                                                                                              \
    return Length;                                                                                 \
  }
PF_SPAN(wcsspn)
PF_SPAN(wcscspn)
