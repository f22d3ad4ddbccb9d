//===- builtins_test.cpp - The runtime's memory functions, beside the library's -------===//

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>

extern "C" {
void *__pf_internal_memcpy(void *To, const void *From, size_t Bytes);
void *__pf_internal_memmove(void *To, const void *From, size_t Bytes);
void *__pf_internal_memset(void *To, int Byte, size_t Bytes);
int __pf_internal_memcmp(const void *A, const void *B, size_t Bytes);
size_t __pf_internal_strlen(const char *Text);
}

namespace {

/// Around every border between two ways to do it.
std::vector<size_t> lengths() {
  std::vector<size_t> Some;
  for (size_t N = 0; N <= 130; ++N)
    Some.push_back(N);
  for (size_t N = 500; N <= 530; ++N)
    Some.push_back(N);
  return Some;
}

std::string someBytes(size_t Count) {
  std::mt19937 Random(42);
  std::string Bytes(Count, 0);
  for (char &C : Bytes)
    C = char(Random());
  return Bytes;
}

TEST(Builtins, CopiesOverlapOrNot) {
  const std::string Before = someBytes(1400);
  for (size_t Bytes : lengths())
    for (size_t From : {300, 301})
      for (ptrdiff_t Distance = -140; Distance <= 140; ++Distance) {
        std::string Expected = Before, Mine = Before;
        std::memmove(&Expected[From + Distance], &Expected[From], Bytes);
        ASSERT_EQ(__pf_internal_memmove(&Mine[From + Distance], &Mine[From], Bytes),
                  &Mine[From + Distance]);
        ASSERT_EQ(Mine, Expected) << Bytes << " bytes, " << Distance << " away";
      }
  for (size_t Bytes : lengths())
    for (size_t To = 700; To < 720; ++To) {
      std::string Expected = Before, Mine = Before;
      std::memcpy(&Expected[To], &Expected[3], Bytes);
      ASSERT_EQ(__pf_internal_memcpy(&Mine[To], &Mine[3], Bytes), &Mine[To]);
      ASSERT_EQ(Mine, Expected) << Bytes << " bytes";
    }
}

TEST(Builtins, SetsNothingElse) {
  const std::string Before = someBytes(700);
  for (size_t Bytes : lengths())
    for (size_t To = 40; To < 60; ++To) {
      std::string Expected = Before, Mine = Before;
      std::memset(&Expected[To], 0x1e5, Bytes);
      ASSERT_EQ(__pf_internal_memset(&Mine[To], 0x1e5, Bytes), &Mine[To]);
      ASSERT_EQ(Mine, Expected) << Bytes << " bytes";
    }
}

TEST(Builtins, ComparesAsUnsignedBytesInOrder) {
  for (size_t Bytes : lengths())
    for (size_t At = 0; At < Bytes; ++At) {
      std::string A = someBytes(Bytes), B = A;
      ASSERT_EQ(__pf_internal_memcmp(A.data(), B.data(), Bytes), 0);
      B[At] = char(B[At] + 0x55); // across 0x80, for some
      if (At + 1 < Bytes)
        B[At + 1] = char(~B[At + 1]); // does not count
      int Expected = std::memcmp(A.data(), B.data(), Bytes);
      int Mine = __pf_internal_memcmp(A.data(), B.data(), Bytes);
      ASSERT_EQ(Expected < 0, Mine < 0) << At << " of " << Bytes;
      ASSERT_NE(Mine, 0);
    }
}

TEST(Builtins, TextsEndWithZero) {
  for (size_t Bytes : lengths())
    ASSERT_EQ(__pf_internal_strlen(std::string(Bytes, 'x').c_str()), Bytes);
}

} // namespace
