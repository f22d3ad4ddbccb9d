//===- builtins.cpp - Memory functions for the runtime alone -----------------===//
//
// See redefine_builtins.h. Compiled with PF_DEFINES_BUILTINS and -fno-builtin, so that no loop here
// is recognised as the very function it implements.
//
//===----------------------------------------------------------------------===//

#include <cstddef>
#include <cstdint>

extern "C" {

void *__pf_internal_memcpy(void *To, const void *From, size_t Bytes) {
  void *Result = To;
  asm volatile("rep movsb" : "+D"(To), "+S"(From), "+c"(Bytes) : : "memory");
  return Result;
}

void *__pf_internal_memmove(void *To, const void *From, size_t Bytes) {
  auto *T = static_cast<char *>(To);
  const auto *F = static_cast<const char *>(From);
  if (T <= F || T >= F + Bytes)
    return __pf_internal_memcpy(To, From, Bytes);
  while (Bytes--)
    T[Bytes] = F[Bytes];
  return To;
}

void *__pf_internal_memset(void *To, int Byte, size_t Bytes) {
  void *Result = To;
  auto *T = static_cast<unsigned char *>(To);
  uint64_t Word = uint8_t(Byte) * UINT64_C(0x0101010101010101);
  for (; Bytes >= 8; Bytes -= 8, T += 8)
    __builtin_memcpy_inline(T, &Word, 8);
  while (Bytes--)
    *T++ = uint8_t(Byte);
  return Result;
}

int __pf_internal_memcmp(const void *A, const void *B, size_t Bytes) {
  const auto *X = static_cast<const unsigned char *>(A);
  const auto *Y = static_cast<const unsigned char *>(B);
  for (; Bytes; --Bytes, ++X, ++Y)
    if (*X != *Y)
      return *X < *Y ? -1 : 1;
  return 0;
}

size_t __pf_internal_strlen(const char *Text) {
  size_t Length = 0;
  while (Text[Length])
    ++Length;
  return Length;
}

} // extern "C"
