//===- builtins.cpp - Memory functions for the runtime alone -----------------===//
//
// See redefine_builtins.h. Compiled with PF_DEFINES_BUILTINS and -fno-builtin, so that no loop here
// is recognised as the very function it implements. The program's own copies come here, too, when
// the compiler has made them (__pf_memcpy): most are a few bytes, some are megabytes.
//
//===----------------------------------------------------------------------===//

#include <cstddef>
#include <cstdint>

namespace {

using Block = uint64_t __attribute__((vector_size(16)));

template <class T> T load(const char *From) {
  T Value;
  __builtin_memcpy_inline(&Value, From, sizeof(T));
  return Value;
}
template <class T> void store(char *To, T Value) {
  __builtin_memcpy_inline(To, &Value, sizeof(T));
}

/// From sizeof(T) to twice as many bytes, which may overlap: all is read before any is written.
template <class T> void copyTwo(char *To, const char *From, size_t Bytes) {
  T First = load<T>(From), Last = load<T>(From + Bytes - sizeof(T));
  store(To, First);
  store(To + Bytes - sizeof(T), Last);
}
constexpr size_t Small = 32;
void copySmall(char *To, const char *From, size_t Bytes) {
  if (Bytes >= 16)
    copyTwo<Block>(To, From, Bytes);
  else if (Bytes >= 8)
    copyTwo<uint64_t>(To, From, Bytes);
  else if (Bytes >= 4)
    copyTwo<uint32_t>(To, From, Bytes);
  else if (Bytes >= 2)
    copyTwo<uint16_t>(To, From, Bytes);
  else if (Bytes)
    *To = *From;
}

/// From here on the processor's own loop is faster.
constexpr size_t Large = 512;

/// More than a block. To may overlap what is before it, not what is behind.
void copyUpwards(char *To, const char *From, size_t Bytes) {
  Block Last = load<Block>(From + Bytes - sizeof(Block));
  char *LastTo = To + Bytes - sizeof(Block);
  for (; To < LastTo; To += sizeof(Block), From += sizeof(Block))
    store(To, load<Block>(From));
  store(LastTo, Last);
}
/// The other way round.
void copyDownwards(char *To, const char *From, size_t Bytes) {
  Block First = load<Block>(From);
  for (size_t Left = Bytes; Left > sizeof(Block);) {
    Left -= sizeof(Block);
    store(To + Left, load<Block>(From + Left));
  }
  store(To, First);
}

} // namespace

extern "C" {

void *__pf_internal_memcpy(void *To, const void *From, size_t Bytes) {
  void *Result = To;
  if (Bytes <= Small)
    copySmall(static_cast<char *>(To), static_cast<const char *>(From), Bytes);
  else if (Bytes < Large)
    copyUpwards(static_cast<char *>(To), static_cast<const char *>(From), Bytes);
  else
    asm volatile("rep movsb" : "+D"(To), "+S"(From), "+c"(Bytes) : : "memory");
  return Result;
}

void *__pf_internal_memmove(void *To, const void *From, size_t Bytes) {
  auto *T = static_cast<char *>(To);
  const auto *F = static_cast<const char *>(From);
  if (Bytes <= Small)
    copySmall(T, F, Bytes);
  else if (T >= F + Bytes || F >= T + Bytes)
    return __pf_internal_memcpy(To, From, Bytes);
  else if (T <= F)
    copyUpwards(T, F, Bytes);
  else
    copyDownwards(T, F, Bytes);
  return To;
}

void *__pf_internal_memset(void *To, int Byte, size_t Bytes) {
  auto *T = static_cast<char *>(To);
  uint64_t Word = uint8_t(Byte) * UINT64_C(0x0101010101010101);
  if (Bytes >= Large) {
    void *At = To;
    asm volatile("rep stosb" : "+D"(At), "+c"(Bytes) : "a"(Byte) : "memory");
  } else if (Bytes >= 16) {
    Block Both = {Word, Word};
    char *Last = T + Bytes - sizeof(Block);
    for (; T < Last; T += sizeof(Block))
      store(T, Both);
    store(Last, Both);
  } else if (Bytes >= 8) {
    store(T, Word);
    store(T + Bytes - 8, Word);
  } else if (Bytes >= 4) {
    store(T, uint32_t(Word));
    store(T + Bytes - 4, uint32_t(Word));
  } else {
    while (Bytes--)
      *T++ = char(Byte);
  }
  return To;
}

int __pf_internal_memcmp(const void *A, const void *B, size_t Bytes) {
  const auto *X = static_cast<const char *>(A);
  const auto *Y = static_cast<const char *>(B);
  for (; Bytes >= 8; Bytes -= 8, X += 8, Y += 8) {
    uint64_t Of = load<uint64_t>(X), Other = load<uint64_t>(Y);
    if (Of != Other)
      return __builtin_bswap64(Of) < __builtin_bswap64(Other) ? -1 : 1;
  }
  for (; Bytes; --Bytes, ++X, ++Y)
    if (*X != *Y)
      return uint8_t(*X) < uint8_t(*Y) ? -1 : 1;
  return 0;
}

size_t __pf_internal_strlen(const char *Text) {
  size_t Length = 0;
  while (Text[Length])
    ++Length;
  return Length;
}

} // extern "C"
