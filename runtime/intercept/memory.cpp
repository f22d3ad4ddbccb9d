//===- memory.cpp - Functions on bytes whose number is given -------------------===//
//
// The mem* family but for the few in builtin.cpp, its wide twin, and the fortified forms
// (NAME_chk, which know the size of the destination). A search reads up to what it finds.
//
//===----------------------------------------------------------------------===//

#include "runtime/intercept/watch.h"

using namespace photofinish::rt;

namespace {

/// From Start to the end of Found, or all of it if nothing was found.
template <class T> size_t searched(const T *Start, const T *Found, size_t Count, size_t Match = 1) {
  return (Found ? size_t(Found - Start) + Match : Count) * sizeof(T);
}

size_t searched(const void *Start, const void *Found, size_t Count, size_t Match = 1) {
  return searched(static_cast<const char *>(Start), static_cast<const char *>(Found), Count, Match);
}

} // namespace

// Copies Count elements of Type (bytes for void); the fortified form is given the room, too.
#define PF_COPY(Type, Bytes, Name, Chk)                                                            \
  PF_INTERCEPT(Type *, Name, (Type * To, const Type *From, size_t Count)) {                        \
    PF_WATCH(#Name) {                                                                              \
      readRange(E, From, Count *(Bytes));                                                          \
      writeRange(E, To, Count *(Bytes));                                                           \
    }                                                                                              \
    return PF_REAL(Name)(To, From, Count);                                                         \
  }                                                                                                \
  PF_COPY_CHK(Type, Bytes, Name, Chk)

#define PF_COPY_CHK(Type, Bytes, Name, Chk)                                                        \
  PF_INTERCEPT(Type *, Chk, (Type * To, const Type *From, size_t Count, size_t Room)) {            \
    PF_WATCH(#Name) {                                                                              \
      readRange(E, From, Count *(Bytes));                                                          \
      writeRange(E, To, Count *(Bytes));                                                           \
    }                                                                                              \
    return PF_REAL(Chk)(To, From, Count, Room);                                                    \
  }

PF_COPY_CHK(void, 1, memcpy, __memcpy_chk)
PF_COPY_CHK(void, 1, memmove, __memmove_chk)
PF_COPY(void, 1, mempcpy, __mempcpy_chk)
PF_COPY(wchar_t, sizeof(wchar_t), wmemcpy, __wmemcpy_chk)
PF_COPY(wchar_t, sizeof(wchar_t), wmemmove, __wmemmove_chk)
PF_COPY(wchar_t, sizeof(wchar_t), wmempcpy, __wmempcpy_chk)

PF_INTERCEPT(void, bcopy, (const void *From, void *To, size_t Bytes)) {
  PF_WATCH("bcopy") {
    readRange(E, From, Bytes);
    writeRange(E, To, Bytes);
  }
  PF_REAL(bcopy)(From, To, Bytes);
}

PF_INTERCEPT(void *, __memset_chk, (void *To, int Byte, size_t Bytes, size_t Room)) {
  PF_WATCH("memset")
  writeRange(E, To, Bytes);
  return PF_REAL(__memset_chk)(To, Byte, Bytes, Room);
}

PF_INTERCEPT(wchar_t *, wmemset, (wchar_t * To, wchar_t Value, size_t Count)) {
  PF_WATCH("wmemset")
  writeRange(E, To, Count * sizeof(wchar_t));
  return PF_REAL(wmemset)(To, Value, Count);
}

PF_INTERCEPT(wchar_t *, __wmemset_chk, (wchar_t * To, wchar_t Value, size_t Count, size_t Room)) {
  PF_WATCH("wmemset")
  writeRange(E, To, Count * sizeof(wchar_t));
  return PF_REAL(__wmemset_chk)(To, Value, Count, Room);
}

PF_INTERCEPT(void, bzero, (void *To, size_t Bytes)) {
  PF_WATCH("bzero")
  writeRange(E, To, Bytes);
  PF_REAL(bzero)(To, Bytes);
}

PF_INTERCEPT(void, explicit_bzero, (void *To, size_t Bytes)) {
  PF_WATCH("explicit_bzero")
  writeRange(E, To, Bytes);
  PF_REAL(explicit_bzero)(To, Bytes);
}

PF_INTERCEPT(void, __explicit_bzero_chk, (void *To, size_t Bytes, size_t Room)) {
  PF_WATCH("explicit_bzero")
  writeRange(E, To, Bytes);
  PF_REAL(__explicit_bzero_chk)(To, Bytes, Room);
}

// Copies up to and including the first Byte.
PF_INTERCEPT(void *, memccpy, (void *To, const void *From, int Byte, size_t Bytes)) {
  PF_WATCH("memccpy") {
    const char *Start = static_cast<const char *>(From);
    size_t Copied = 0;
    while (Copied < Bytes && Start[Copied] != char(Byte))
      ++Copied;
    Copied = Copied < Bytes ? Copied + 1 : Bytes;
    readRange(E, From, Copied);
    writeRange(E, To, Copied);
  }
  return PF_REAL(memccpy)(To, From, Byte, Bytes);
}

PF_INTERCEPT_C(void *, memchr, (const void *Start, int Byte, size_t Bytes)) {
  void *Found = PF_REAL(memchr)(Start, Byte, Bytes);
  PF_WATCH("memchr")
  readRange(E, Start, searched(Start, Found, Bytes));
  return Found;
}

PF_INTERCEPT_C(wchar_t *, wmemchr, (const wchar_t *Start, wchar_t Value, size_t Count)) {
  wchar_t *Found = PF_REAL(wmemchr)(Start, Value, Count);
  PF_WATCH("wmemchr")
  readRange(E, Start, searched(Start, Found, Count));
  return Found;
}

PF_INTERCEPT_C(void *, rawmemchr, (const void *Start, int Byte)) {
  void *Found = PF_REAL(rawmemchr)(Start, Byte);
  PF_WATCH("rawmemchr")
  readRange(E, Start, searched(Start, Found, 0));
  return Found;
}

// Backwards from the end.
PF_INTERCEPT_C(void *, memrchr, (const void *Start, int Byte, size_t Bytes)) {
  void *Found = PF_REAL(memrchr)(Start, Byte, Bytes);
  const char *First = static_cast<const char *>(Found ? Found : Start);
  PF_WATCH("memrchr")
  readRange(E, First, Bytes - size_t(First - static_cast<const char *>(Start)));
  return Found;
}

PF_INTERCEPT(void *, memmem,
             (const void *Start, size_t Bytes, const void *Wanted, size_t WantedBytes)) {
  void *Found = PF_REAL(memmem)(Start, Bytes, Wanted, WantedBytes);
  if (WantedBytes && WantedBytes <= Bytes)
    PF_WATCH("memmem") {
      readRange(E, Start, searched(Start, Found, Bytes, WantedBytes));
      readRange(E, Wanted, WantedBytes);
    }
  return Found;
}

PF_INTERCEPT(int, wmemcmp, (const wchar_t *First, const wchar_t *Second, size_t Count)) {
  PF_WATCH("wmemcmp") {
    size_t Read = 0;
    while (Read < Count && First[Read] == Second[Read])
      ++Read;
    Read = (Read < Count ? Read + 1 : Count) * sizeof(wchar_t);
    readRange(E, First, Read);
    readRange(E, Second, Read);
  }
  return PF_REAL(wmemcmp)(First, Second, Count);
}
