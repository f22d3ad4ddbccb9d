//===- binary_reader_fuzzer.cpp - Any bytes as a binary trace ---------------===//
//
// Checksums keep a fuzzer away from what lies behind them: hardly any mutation has
// the right one. So the first byte of the input says how the rest is used:
//
//   bit 0 clear   as a file, as it is: headers, checksums, gzip
//   bit 0 set     as the payload of a block, in a file whose checksums are right
//     bit 1 set   the same, deflated
//     bit 2 set   the payload is cut into two blocks in the middle
//
// What is accepted has to come back from both formats (round_trip.h).
//
//===----------------------------------------------------------------------===//

#include "test/fuzz/round_trip.h"

#include "llvm/Support/Endian.h"

#include <zlib.h>

using namespace photofinish;

static void putU32(std::string &To, uint32_t Value) {
  char Bytes[4];
  llvm::support::endian::write32le(Bytes, Value);
  To.append(Bytes, sizeof(Bytes));
}

static uint32_t checksum(llvm::StringRef Bytes) {
  return uint32_t(crc32(0, reinterpret_cast<const Bytef *>(Bytes.data()), uInt(Bytes.size())));
}

static std::string deflated(llvm::StringRef Payload) {
  z_stream Stream = {};
  fuzzing::require(deflateInit2(&Stream, 1, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) == Z_OK,
                   "zlib works");
  std::string Result(deflateBound(&Stream, Payload.size()), '\0');
  Stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(Payload.data()));
  Stream.avail_in = uInt(Payload.size());
  Stream.next_out = reinterpret_cast<Bytef *>(Result.data());
  Stream.avail_out = uInt(Result.size());
  fuzzing::require(deflate(&Stream, Z_FINISH) == Z_STREAM_END, "zlib deflates");
  Result.resize(Stream.total_out);
  deflateEnd(&Stream);
  return Result;
}

static void putBlock(std::string &To, llvm::StringRef Payload, uint32_t Count, bool IsDeflated) {
  std::string Stored = IsDeflated ? deflated(Payload) : Payload.str();
  std::string Block;
  putU32(Block, uint32_t(Stored.size()));
  putU32(Block, uint32_t(Payload.size()));
  putU32(Block, Count);
  putU32(Block, IsDeflated ? BlockIsDeflated : 0);
  putU32(Block, checksum(Block + Stored));
  To += Block + Stored;
}

static std::string wrapped(llvm::StringRef Payload, bool IsDeflated, bool IsCut) {
  std::string File = BinaryMagic.str();
  putU32(File, BinaryVersion);
  putU32(File, checksum(File));
  if (IsCut) {
    // One operation a block: all the rest of its payload is then an error, unless the
    // operation happens to end right there.
    putBlock(File, Payload.take_front(Payload.size() / 2), 1, IsDeflated);
    Payload = Payload.drop_front(Payload.size() / 2);
  }
  // More operations than can be there: the reader delivers all there are before it complains.
  putBlock(File, Payload, ~uint32_t(0), IsDeflated);
  return File;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  if (Size == 0)
    return 0;
  uint8_t How = Data[0];
  llvm::StringRef Bytes(reinterpret_cast<const char *>(Data) + 1, Size - 1);
  if (How & 1) {
    std::string File = wrapped(Bytes, How & 2, How & 4);
    BinaryReader Unchecked(fuzzing::bufferOf(File));
    fuzzing::drain(Unchecked);
    BinaryReader Reader(fuzzing::bufferOf(File));
    fuzzing::checkRoundTrip(Reader);
    return 0;
  }
  llvm::Expected<std::unique_ptr<TraceSource>> Source =
      openTrace(std::make_unique<MemoryInput>(Bytes), "input");
  if (Source)
    fuzzing::checkRoundTrip(**Source);
  else
    llvm::consumeError(Source.takeError());
  return 0;
}
