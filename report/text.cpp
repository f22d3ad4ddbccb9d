//===- text.cpp - Words for people ----------------------------------------===//

#include "report/text.h"

#include "llvm/ADT/Twine.h"

namespace photofinish {

using llvm::StringRef;

std::string printable(StringRef Text) {
  std::string Clean = Text.str();
  for (char &C : Clean)
    if ((static_cast<unsigned char>(C) < 0x20 && C != '\t') || C == 0x7f)
      C = '?';
  return Clean;
}

std::string plural(uint64_t N, StringRef One) {
  return (llvm::Twine(N) + " " + One + (N == 1 ? "" : "s")).str();
}

} // namespace photofinish
