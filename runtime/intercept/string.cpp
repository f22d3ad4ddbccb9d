//===- string.cpp - Functions on strings ----------------------------------------===//
//
// Each one checks the bytes that it has to look at, and no more: a comparison ends with the
// first difference, a search with what it finds, a conversion with the first byte that does
// not belong to the number. The zero byte at the end is read like any other. Destinations
// are checked before they are written. wide_string.cpp has the wchar_t functions.
//
//===----------------------------------------------------------------------===//

#include "runtime/intercept/allocation.h"
#include "runtime/intercept/watch.h"

using namespace photofinish::rt;

namespace {

size_t atMost(size_t Bytes, size_t Most) { return Bytes < Most ? Bytes : Most; }

/// The length of a string of which only Most bytes are looked at.
size_t lengthWithin(const char *S, size_t Most) {
  size_t Length = 0;
  while (Length < Most && S[Length])
    ++Length;
  return Length;
}

void readString(Entered &E, const char *S) { readRange(E, S, strlen(S) + 1); }

/// Of a string, the bytes up to the one at Found, or all of it.
void readUpTo(Entered &E, const char *S, const char *Found) {
  readRange(E, S, Found ? size_t(Found - S) + 1 : strlen(S) + 1);
}

/// The bytes that a comparison of at most Most bytes looks at, each byte taken as Fold says.
template <class Folding>
void readCompared(Entered &E, const char *A, const char *B, size_t Most, Folding Fold) {
  size_t I = 0;
  while (I < Most && A[I] && Fold(A[I]) == Fold(B[I]))
    ++I;
  size_t Bytes = atMost(I + 1, Most);
  readRange(E, A, Bytes);
  readRange(E, B, Bytes);
}

int asIs(char C) { return C; }
int lower(char C) { return tolower(static_cast<unsigned char>(C)); }

} // namespace

// Lengths.

PF_INTERCEPT(size_t, strnlen, (const char *S, size_t Most)) {
  size_t Length = PF_REAL(strnlen)(S, Most);
  PF_WATCH("strnlen")
  readRange(E, S, atMost(Length + 1, Most));
  return Length;
}

// Copies.

namespace {

void copied(Entered &E, char *To, const char *From) {
  size_t Bytes = strlen(From) + 1;
  readRange(E, From, Bytes);
  writeRange(E, To, Bytes);
}

/// strncpy fills the rest with zeros.
void copiedWithin(Entered &E, char *To, const char *From, size_t Bytes) {
  readRange(E, From, atMost(lengthWithin(From, Bytes) + 1, Bytes));
  writeRange(E, To, Bytes);
}

/// strncat ends with a zero byte in any case.
void appended(Entered &E, char *To, const char *From, size_t Most) {
  size_t Length = lengthWithin(From, Most), Start = strlen(To);
  readRange(E, To, Start + 1);
  readRange(E, From, atMost(Length + 1, Most));
  writeRange(E, To + Start, Length + 1);
}

} // namespace

// Name(To, From), and the fortified form, which is given the room.
#define PF_COPY(Name, Told)                                                                        \
  PF_INTERCEPT(char *, Name, (char *To, const char *From)) {                                       \
    PF_WATCH(#Name) { Told; }                                                                      \
    return PF_REAL(Name)(To, From);                                                                \
  }                                                                                                \
  PF_INTERCEPT(char *, __##Name##_chk, (char *To, const char *From, size_t Room)) {                \
    PF_WATCH(#Name) { Told; }                                                                      \
    return PF_REAL(__##Name##_chk)(To, From, Room);                                                \
  }
#define PF_COPY_WITHIN(Name, Told)                                                                 \
  PF_INTERCEPT(char *, Name, (char *To, const char *From, size_t Bytes)) {                         \
    PF_WATCH(#Name) { Told; }                                                                      \
    return PF_REAL(Name)(To, From, Bytes);                                                         \
  }                                                                                                \
  PF_INTERCEPT(char *, __##Name##_chk, (char *To, const char *From, size_t Bytes, size_t Room)) {  \
    PF_WATCH(#Name) { Told; }                                                                      \
    return PF_REAL(__##Name##_chk)(To, From, Bytes, Room);                                         \
  }

PF_COPY(strcpy, copied(E, To, From))
PF_COPY(stpcpy, copied(E, To, From))
PF_COPY(strcat, appended(E, To, From, SIZE_MAX))
PF_COPY_WITHIN(strncpy, copiedWithin(E, To, From, Bytes))
PF_COPY_WITHIN(stpncpy, copiedWithin(E, To, From, Bytes))
PF_COPY_WITHIN(strncat, appended(E, To, From, Bytes))

// A new block with a copy: ours, so that the block is known to be from the caller's line.

static char *duplicate(const pf_site *Site, void *Caller, const char *S, size_t Read,
                       size_t Length) {
  if (isWatched(Caller)) {
    Entered E(Site, Caller);
    readRange(E, S, Read);
  }
  char *Copy = static_cast<char *>(allocateBlock(Site, Caller, Length + 1));
  if (Copy) {
    memcpy(Copy, S, Length);
    Copy[Length] = 0;
  }
  return Copy;
}

#define PF_DUPLICATE(Name)                                                                         \
  PF_INTERCEPT(char *, Name, (const char *S)) {                                                    \
    size_t Length = strlen(S);                                                                     \
    return duplicate(PF_FUNCTION_SITE("strdup"), PF_CALLER, S, Length + 1, Length);                \
  }
#define PF_DUPLICATE_WITHIN(Name)                                                                  \
  PF_INTERCEPT(char *, Name, (const char *S, size_t Most)) {                                       \
    size_t Length = lengthWithin(S, Most);                                                         \
    return duplicate(PF_FUNCTION_SITE("strndup"), PF_CALLER, S, atMost(Length + 1, Most), Length); \
  }
// The second name is what older headers make of the first.
PF_DUPLICATE(strdup)
PF_DUPLICATE(__strdup)
PF_DUPLICATE_WITHIN(strndup)
PF_DUPLICATE_WITHIN(__strndup)

// Comparisons.

#define PF_COMPARE(Name, Fold)                                                                     \
  PF_INTERCEPT(int, Name, (const char *A, const char *B)) {                                        \
    PF_WATCH(#Name)                                                                                \
    readCompared(E, A, B, SIZE_MAX, Fold);                                                         \
    return PF_REAL(Name)(A, B);                                                                    \
  }
#define PF_COMPARE_WITHIN(Name, Fold)                                                              \
  PF_INTERCEPT(int, Name, (const char *A, const char *B, size_t Most)) {                           \
    PF_WATCH(#Name)                                                                                \
    readCompared(E, A, B, Most, Fold);                                                             \
    return PF_REAL(Name)(A, B, Most);                                                              \
  }

PF_COMPARE(strcmp, asIs)
PF_COMPARE(strcasecmp, lower)
PF_COMPARE_WITHIN(strncmp, asIs)
PF_COMPARE_WITHIN(strncasecmp, lower)

// What a locale makes of a string may depend on all of it.
PF_INTERCEPT(int, strcoll, (const char *A, const char *B)) {
  PF_WATCH("strcoll") {
    readString(E, A);
    readString(E, B);
  }
  return PF_REAL(strcoll)(A, B);
}

PF_INTERCEPT(size_t, strxfrm, (char *To, const char *From, size_t Room)) {
  size_t Needed = PF_REAL(strxfrm)(To, From, Room);
  PF_WATCH("strxfrm") {
    readString(E, From);
    writeRange(E, To, atMost(Needed + 1, Room));
  }
  return Needed;
}

// Searches.

#define PF_FIND(Name)                                                                              \
  PF_INTERCEPT_C(char *, Name, (const char *S, int C)) {                                           \
    char *Found = PF_REAL(Name)(S, C);                                                             \
    PF_WATCH(#Name)                                                                                \
    readUpTo(E, S, Found);                                                                         \
    return Found;                                                                                  \
  }
PF_FIND(strchr)
PF_FIND(strchrnul)
PF_FIND(index)

// The last one is only known at the end of the string.
#define PF_FIND_LAST(Name)                                                                         \
  PF_INTERCEPT_C(char *, Name, (const char *S, int C)) {                                           \
    PF_WATCH(#Name)                                                                                \
    readString(E, S);                                                                              \
    return PF_REAL(Name)(S, C);                                                                    \
  }
PF_FIND_LAST(strrchr)
PF_FIND_LAST(rindex)

// Up to the end of the match.
#define PF_FIND_STRING(Name)                                                                       \
  PF_INTERCEPT_C(char *, Name, (const char *S, const char *Wanted)) {                              \
    char *Found = PF_REAL(Name)(S, Wanted);                                                        \
    PF_WATCH(#Name) {                                                                              \
      size_t Length = strlen(Wanted);                                                              \
      readRange(E, Wanted, Length + 1);                                                            \
      if (Length)                                                                                  \
        readUpTo(E, S, Found ? Found + Length - 1 : nullptr);                                      \
    }                                                                                              \
    return Found;                                                                                  \
  }
PF_FIND_STRING(strstr)
PF_FIND_STRING(strcasestr)

#define PF_SPAN(Name)                                                                              \
  PF_INTERCEPT(size_t, Name, (const char *S, const char *Set)) {                                   \
    size_t Length = PF_REAL(Name)(S, Set);                                                         \
    PF_WATCH(#Name) {                                                                              \
      readRange(E, S, Length + 1);                                                                 \
      readString(E, Set);                                                                          \
    }                                                                                              \
    return Length;                                                                                 \
  }
PF_SPAN(strspn)
PF_SPAN(strcspn)

PF_INTERCEPT_C(char *, strpbrk, (const char *S, const char *Set)) {
  char *Found = PF_REAL(strpbrk)(S, Set);
  PF_WATCH("strpbrk") {
    readUpTo(E, S, Found);
    readString(E, Set);
  }
  return Found;
}

// Tokens.

/// What strtok_r and strsep touch: *Next, the set, the string up to the end of the token (behind
/// delimiters, if Skips), where a zero byte is written if the string goes on.
static void cutToken(Entered &E, char *S, const char *Set, char **Next, bool Skips) {
  readRange(E, static_cast<const void *>(Next), sizeof(*Next));
  writeRange(E, static_cast<const void *>(Next), sizeof(*Next));
  if (!S)
    return;
  readString(E, Set);
  auto InSet = [Set](char C) {
    for (const char *D = Set; *D; ++D)
      if (*D == C)
        return true;
    return false;
  };
  char *End = S;
  while (Skips && *End && InSet(*End))
    ++End;
  while (*End && !InSet(*End))
    ++End;
  readRange(E, S, size_t(End - S) + 1);
  if (*End)
    writeRange(E, End, 1);
}

#define PF_TOKEN_R(Name)                                                                           \
  PF_INTERCEPT(char *, Name, (char *S, const char *Set, char **Next)) {                            \
    PF_WATCH("strtok_r")                                                                           \
    cutToken(E, S ? S : *Next, Set, Next, true);                                                   \
    return PF_REAL(Name)(S, Set, Next);                                                            \
  }
PF_TOKEN_R(strtok_r)
PF_TOKEN_R(__strtok_r)

// The state between two calls is the process's: threads that call it at once race for it. It is
// kept here, where it has an address.
PF_INTERCEPT(char *, strtok, (char *S, const char *Set)) {
  static char *Next;
  PF_WATCH("strtok")
  cutToken(E, S ? S : Next, Set, &Next, true);
  return PF_REAL(strtok_r)(S, Set, &Next);
}

PF_INTERCEPT(char *, strsep, (char **Next, const char *Set)) {
  PF_WATCH("strsep")
  cutToken(E, *Next, Set, Next, false);
  return PF_REAL(strsep)(Next, Set);
}

// Numbers.

/// A conversion of S that ended at End: up to the byte that ended it, at least to the first that
/// is not white space; and *Result, if it is wanted.
static void converted(Entered &E, const char *S, const char *End, char **Result) {
  const char *First = S;
  while (isspace(static_cast<unsigned char>(*First)))
    ++First;
  readUpTo(E, S, End > First ? End : First);
  if (Result)
    writeRange(E, static_cast<const void *>(Result), sizeof(*Result));
}

#define PF_TO_INTEGER(Type, Name)                                                                  \
  PF_INTERCEPT(Type, Name, (const char *S, char **Result, int Base)) {                             \
    char *End;                                                                                     \
    Type Value = PF_REAL(Name)(S, &End, Base);                                                     \
    PF_WATCH(#Name)                                                                                \
    converted(E, S, End, Result);                                                                  \
    if (Result)                                                                                    \
      *Result = End;                                                                               \
    return Value;                                                                                  \
  }
PF_TO_INTEGER(long, strtol)
PF_TO_INTEGER(unsigned long, strtoul)
PF_TO_INTEGER(long long, strtoll)
PF_TO_INTEGER(unsigned long long, strtoull)
PF_TO_INTEGER(intmax_t, strtoimax)
PF_TO_INTEGER(uintmax_t, strtoumax)

#define PF_TO_FLOATING(Type, Name)                                                                 \
  PF_INTERCEPT(Type, Name, (const char *S, char **Result)) {                                       \
    char *End;                                                                                     \
    Type Value = PF_REAL(Name)(S, &End);                                                           \
    PF_WATCH(#Name)                                                                                \
    converted(E, S, End, Result);                                                                  \
    if (Result)                                                                                    \
      *Result = End;                                                                               \
    return Value;                                                                                  \
  }
PF_TO_FLOATING(float, strtof)
PF_TO_FLOATING(double, strtod)
PF_TO_FLOATING(long double, strtold)

#define PF_ATO(Type, Name, Conversion)                                                             \
  PF_INTERCEPT_C(Type, Name, (const char *S)) {                                                    \
    char *End;                                                                                     \
    auto Value = static_cast<Type>(Conversion);                                                    \
    PF_WATCH(#Name)                                                                                \
    converted(E, S, End, nullptr);                                                                 \
    return Value;                                                                                  \
  }
PF_ATO(int, atoi, PF_REAL(strtol)(S, &End, 10))
PF_ATO(long, atol, PF_REAL(strtol)(S, &End, 10))
PF_ATO(long long, atoll, PF_REAL(strtoll)(S, &End, 10))
PF_ATO(double, atof, PF_REAL(strtod)(S, &End))
