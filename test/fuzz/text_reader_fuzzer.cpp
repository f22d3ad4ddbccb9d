//===- text_reader_fuzzer.cpp - Any bytes as text --------------------------===//
//
// No input may crash the text reader, and what it accepts has to come back from
// both formats (round_trip.h).
//
//===----------------------------------------------------------------------===//

#include "test/fuzz/round_trip.h"

using namespace photofinish;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  llvm::StringRef Bytes(reinterpret_cast<const char *>(Data), Size);
  // First without the checker, which would end most inputs early.
  TextReader Unchecked(fuzzing::bufferOf(Bytes));
  fuzzing::drain(Unchecked);
  TextReader Reader(fuzzing::bufferOf(Bytes));
  fuzzing::checkRoundTrip(Reader);
  return 0;
}
