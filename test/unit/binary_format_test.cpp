//===- binary_format_test.cpp - Reading and writing binary traces ----------===//
//
// Three questions: does everything come back, is it small, and is every kind of
// damage noticed? Files with a right checksum and wrong contents, which no damage
// makes, are built by hand here.
//
//===----------------------------------------------------------------------===//

#include "test/unit/trace_testing.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

#include "gtest/gtest.h"

#include <zlib.h>

using namespace photofinish;
using namespace photofinish::testing;

//===----------------------------------------------------------------------===//
// There and back
//===----------------------------------------------------------------------===//

/// Text -> binary -> text and operations, both unchanged.
static void expectRoundTrip(const std::string &Text) {
  WriteResult Binary = textToBinary(Text);
  ASSERT_EQ(Binary.Error, "");
  ReadResult Ops = readBinary(Binary.Bytes);
  EXPECT_EQ(Ops.Error, "");
  EXPECT_TRUE(Ops.Ops == readText(Text).Ops);
  WriteResult Back = binaryToText(Binary.Bytes);
  EXPECT_EQ(Back.Error, "");
  EXPECT_TRUE(Back.Bytes == Text);
}

TEST(BinaryFormat, EveryKindOfOperationComesBack) {
  expectRoundTrip("A|r(0x10)\nA|w(0x10,8)|a.c:1\nA|aload(0x10,con)\nA|astore(x,4,rel)\n"
                  "A|armw(x,8,4,ar)|a.c:2\nA|fence(sc)\nA|acq(m)|a.c:1\nA|rel(m)\nA|rlk(n)\n"
                  "A|rul(n)\nA|fork(B)\nB|join(A)\nA|start()\nA|exit()\nC|wait(c,n)\n"
                  "A|wake(c,l)\nA|notify(d)\nA|arrive(b)\nA|depart(b)\nA|once(o)\n"
                  "A|alloc(0x100,16)\nA|free(0x100,16)\nA|alloc(x,16)\nA|free(x,16)\n"
                  "A|free(x)\nA|free(0x5)\nA|r(y,63,1)\n");
}

TEST(BinaryFormat, EmptyTrace) { expectRoundTrip(""); }

TEST(BinaryFormat, RandomTracesComeBack) {
  for (unsigned Seed = 0; Seed != 20; ++Seed)
    expectRoundTrip(randomText(Seed, 2000));
}

TEST(BinaryFormat, ManyBlocksComeBack) { expectRoundTrip(randomText(100, 100000)); }

TEST(BinaryFormat, SixtyFourBitExtremes) {
  expectRoundTrip("T|r(0x0)\nT|r(0xffffffffffffffff)\nT|r(0x0)\nT|r(0x3fffffffffffffff)\n"
                  "T|r(0x8000000000000000,9223372036854775808)\nT|r(0x0,4611686018427387904)\n"
                  "T|alloc(0xffffffffffffffff,1)\nT|free(0xffffffffffffffff,1)\n"
                  "T|alloc(big,1152921504606846976)\nT|r(big,1152921504606846975,1)\n");
}

TEST(BinaryFormat, LongNamesComeBack) {
  std::string Long(MaxNameLength, 'n');
  expectRoundTrip(Long + "|wait(" + Long + "," + Long + ")|" + Long + "\n" + Long + "|w(" + Long +
                  ")\n");
}

TEST(BinaryFormat, NamesThatAreAllocatedAndFreedForHours) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  for (unsigned I = 0; I != SymbolTable::RememberedFrees + 5000; ++I) {
    unsigned Size = 1 + I % 300;
    OS << "T|alloc(h" << I << "," << Size << ")\nT|w(h" << I << ")\nT|free(h" << I << "," << Size
       << ")\n";
    if (I % 3 == 0) // also of names freed so long ago that they are forgotten
      OS << "T|r(h" << I / 2 << ")\n";
  }
  for (unsigned I = 0; I < 5000; I += 7)
    OS << "T|w(h" << I << ",60,4)\n";
  expectRoundTrip(Text);
}

TEST(BinaryFormat, TracesInMemoryGetNames) {
  // Ids that are neither dense nor in order of first use.
  Trace Ops(4);
  Ops[0].Thread = 4000000000;
  Ops[0].Kind = OpKind::Acquire;
  Ops[0].Target = 5;
  Ops[1] = Ops[0];
  Ops[1].Kind = OpKind::Release;
  Ops[2].Thread = 3;
  Ops[2].Target = 0x10;
  Ops[2].Size = 4;
  Ops[2].Site = 9;
  Ops[3] = Ops[2];
  VectorSource First(Ops), Second(Ops);
  EXPECT_EQ(binaryToText(writeAll<BinaryWriter>(First).Bytes).Bytes,
            writeAll<TextWriter>(Second).Bytes);
}

TEST(BinaryFormat, WhatCannotBeWritten) {
  auto Write = [](const Operation &Op) {
    Trace Ops = {Op};
    VectorSource Source(Ops);
    return writeAll<BinaryWriter>(Source).Error;
  };
  Operation Op;
  EXPECT_EQ(Write(Op), "out: cannot write r of 0 bytes at 0x0: they are neither part of one "
                       "variable nor at a numeric address");
  Op.Size = 1;
  Op.Order = MemoryOrder::Acquire;
  EXPECT_EQ(Write(Op), "out: cannot write r with order acq");
  Op.Order = MemoryOrder::Relaxed;
  EXPECT_EQ(Write(Op), "");

  std::string Bytes;
  llvm::raw_string_ostream OS(Bytes);
  BinaryWriter Writer(OS, "out");
  SymbolTable Symbols;
  Op.Thread = Symbols.intern(NameKind::Thread, "a|b");
  EXPECT_EQ(llvm::toString(Writer.write(Op, Symbols)),
            "out: cannot write the name 'a|b': no trace can contain it");
  Op.Thread = Symbols.intern(NameKind::Thread, "T");
  Symbols.place("wide", {SymbolTable::NamedBase, 1000});
  Op.Target = SymbolTable::NamedBase + 500;
  EXPECT_EQ(llvm::toString(Writer.write(Op, Symbols)),
            "out: cannot write the variable 'wide': it is used without having been allocated like "
            "this");
}

/// The example at the end of docs/traces.md, byte for byte.
TEST(BinaryFormat, TheDocumentedExample) {
  EXPECT_EQ(llvm::toHex(textToBinary("T|w(x)\nT|w(x)\n").Bytes), "895046540D0A1A0A"
                                                                 "01000000"
                                                                 "013D2B2D"
                                                                 "09000000"
                                                                 "09000000"
                                                                 "02000000"
                                                                 "00000000"
                                                                 "4C21BE92"
                                                                 "37000154000178"
                                                                 "1700"
                                                                 "08000000"
                                                                 "08000000"
                                                                 "00000000"
                                                                 "02000000"
                                                                 "CEB90942"
                                                                 "0200000000000000");
}

TEST(BinaryFormat, Position) {
  std::string Binary = textToBinary("T|w(x)\nT|w(x)\n").Bytes;
  BinaryReader Reader(bufferOf(Binary));
  Operation Op;
  ASSERT_TRUE(*Reader.next(Op));
  EXPECT_EQ(Reader.position(), "t: byte 36 (operation 1)");
  ASSERT_TRUE(*Reader.next(Op));
  EXPECT_EQ(Reader.position(), "t: byte 43 (operation 2)");
}

//===----------------------------------------------------------------------===//
// Size
//===----------------------------------------------------------------------===//

static void expectAtMostAFifth(const std::string &Text) {
  WriteResult Binary = textToBinary(Text);
  ASSERT_EQ(Binary.Error, "");
  EXPECT_LE(Binary.Bytes.size() * 5, Text.size());
}

TEST(BinaryFormat, RapidTracesShrinkToAFifth) {
  std::mt19937 Random(1);
  std::string Text;
  for (unsigned I = 0; I != 100000; ++I) {
    unsigned Location = unsigned(Random() % 3000);
    Text += "T" + std::to_string(Random() % 8) + (Location % 3 ? "|r(V" : "|w(V") +
            std::to_string(Location / 3) + "." + std::to_string(Location % 7) + "[0])|" +
            std::to_string(Location) + "\n";
  }
  expectAtMostAFifth(Text);
}

TEST(BinaryFormat, TracesWithoutLocationsShrinkToAFifth) {
  std::mt19937 Random(1);
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  for (unsigned I = 0; I != 100000; ++I)
    OS << "T" << Random() % 8 << (Random() % 3 ? "|r(0x" : "|w(0x")
       << llvm::utohexstr(0x10000 + Random() % 512 * 8, true) << ",8)\n";
  expectAtMostAFifth(Text);
}

TEST(BinaryFormat, LoopsShrinkToATenth) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  for (unsigned I = 0; I != 20000; ++I) {
    std::string Thread = "T" + std::to_string(I / 100 % 4);
    std::string Address = llvm::utohexstr(0x7f000000 + I * 8, true);
    OS << Thread << "|r(0x" << Address << ",8)|sor.c:81\n"
       << Thread << "|r(0x" << Address << ",8,8)|sor.c:82\n"
       << Thread << "|w(0x" << Address << ",8)|sor.c:83\n";
  }
  WriteResult Binary = textToBinary(Text);
  EXPECT_LE(Binary.Bytes.size() * 10, Text.size());
}

//===----------------------------------------------------------------------===//
// Damage
//===----------------------------------------------------------------------===//

/// A small file with a deflated block; that of one single operation is stored.
static std::string smallFile() {
  std::string Text;
  for (unsigned I = 0; I != 40; ++I)
    Text += "T0|w(x)|a.c:1\nT1|acq(m)|a.c:2\n";
  return textToBinary(Text).Bytes;
}

TEST(BinaryFormat, EveryTruncationIsNoticed) {
  for (const std::string &Whole : {smallFile(), textToBinary("T|w(x)\n").Bytes}) {
    ASSERT_EQ(readBinary(Whole).Error, "");
    for (size_t Length = 0; Length != Whole.size(); ++Length) {
      std::string Error = readBinary(llvm::StringRef(Whole).take_front(Length)).Error;
      EXPECT_EQ(Error.substr(0, 8 + std::to_string(Length).size()),
                "t: byte " + std::to_string(Length));
      EXPECT_NE(Error.find("cut short"), std::string::npos) << Error;
    }
  }
}

TEST(BinaryFormat, EveryFlippedBitIsNoticed) {
  for (const std::string &Whole : {smallFile(), textToBinary("T|w(x)\n").Bytes})
    for (size_t Byte = 0; Byte != Whole.size(); ++Byte)
      for (unsigned Bit = 0; Bit != 8; ++Bit) {
        std::string Damaged = Whole;
        Damaged[Byte] = char(Damaged[Byte] ^ (1 << Bit));
        EXPECT_EQ(readBinary(Damaged).Error.substr(0, 8), "t: byte ") << Byte << " " << Bit;
        // And the same if the format has to be guessed first.
        auto Source = openTrace(std::make_unique<MemoryInput>(Damaged), "t");
        ASSERT_TRUE(bool(Source));
        EXPECT_NE(readAll(**Source).Error, "") << Byte << " " << Bit;
      }
}

TEST(BinaryFormat, RandomBytesAreNoTrace) {
  std::mt19937 Random(1);
  std::string Header = textToBinary("").Bytes.substr(0, BinaryHeaderSize);
  for (unsigned I = 0; I != 1000; ++I) {
    std::string Bytes = I % 2 ? Header : "";
    for (unsigned J = 0; J != 200; ++J)
      Bytes += char(Random());
    EXPECT_NE(readBinary(Bytes).Error, "");
  }
}

//===----------------------------------------------------------------------===//
// Messages, from files made by hand
//===----------------------------------------------------------------------===//

namespace {

std::string u32(uint32_t Value) {
  char Bytes[4];
  llvm::support::endian::write32le(Bytes, Value);
  return std::string(Bytes, 4);
}
std::string u64(uint64_t Value) { return u32(uint32_t(Value)) + u32(uint32_t(Value >> 32)); }

uint32_t crc(const std::string &Bytes) {
  return uint32_t(crc32(0, reinterpret_cast<const Bytef *>(Bytes.data()), uInt(Bytes.size())));
}

std::string header(uint32_t Version = BinaryVersion) {
  std::string Bytes = BinaryMagic.str() + u32(Version);
  return Bytes + u32(crc(Bytes));
}
std::string block(uint32_t RawLength, uint32_t Count, uint32_t Flags, const std::string &Stored) {
  std::string Fields = u32(uint32_t(Stored.size())) + u32(RawLength) + u32(Count) + u32(Flags);
  return Fields + u32(crc(Fields + Stored)) + Stored;
}
std::string end(uint64_t Total) { return block(8, 0, BlockIsEnd, u64(Total)); }

/// The error about a file whose one block has this payload.
std::string errorOf(const std::string &Payload, uint32_t Count = 1) {
  return readBinary(header() + block(uint32_t(Payload.size()), Count, 0, Payload) + end(Count))
      .Error;
}

std::string bytes(std::initializer_list<unsigned> Values) {
  std::string Result;
  for (unsigned Value : Values)
    Result += char(Value);
  return Result;
}

constexpr unsigned Thread = 0x20, Site = 0x40, Size = 0x80, Named = NumOpKinds;
const std::string DefineT = bytes({0, 1, 'T'}); // thread 0 is called T

std::string first(unsigned Code) { return bytes({Code | Thread}) + DefineT; }

} // namespace

TEST(BinaryFormat, ErrorMessagesAboutTheFile) {
  EXPECT_EQ(readBinary("T|w(x)\nT|w(x)\nT|w(x)\n").Error,
            "t: byte 0: this is not a binary trace: its first bytes are wrong");
  EXPECT_EQ(readBinary(header().substr(0, 15)).Error,
            "t: byte 15: the file ends inside its header: it has been cut short");
  EXPECT_EQ(readBinary(BinaryMagic.str() + u32(1) + u32(0)).Error,
            "t: byte 0: the header is damaged: its checksum does not match");
  EXPECT_EQ(readBinary(header(2)).Error,
            "t: byte 8: format version 2 is not supported, only version 1");
  EXPECT_EQ(readBinary(header()).Error,
            "t: byte 16: the end of the trace is missing: the file has been cut short");
  EXPECT_EQ(readBinary(header() + end(0).substr(0, 27)).Error,
            "t: byte 43: the file ends inside a block: it has been cut short");
  EXPECT_EQ(readBinary(header() + u32(0xffffffff) + u32(0) + u64(0) + u32(0)).Error,
            "t: byte 16: a block of 4294967295 bytes is longer than the limit of 1048576");
  EXPECT_EQ(readBinary(header() + block(MaxBlockLength + 1, 1, BlockIsDeflated, "x")).Error,
            "t: byte 16: a block of 1048577 bytes is longer than the limit of 1048576");
  EXPECT_EQ(readBinary(header() + end(0).substr(0, 27) + "x").Error,
            "t: byte 16: the block is damaged: its checksum does not match");
  EXPECT_EQ(readBinary(header() + block(1, 1, 4, "x")).Error,
            "t: byte 16: the block has unknown flags 4");
  EXPECT_EQ(readBinary(header() + block(100, 1, BlockIsDeflated, "xyz")).Error,
            "t: byte 16: the block cannot be inflated");
  EXPECT_EQ(readBinary(header() + block(1, 0, 0, "x")).Error,
            "t: byte 16: the block holds no operation");
  EXPECT_EQ(readBinary(header() + block(2, 1, 0, "x")).Error,
            "t: byte 16: the block is stored, but its two lengths differ");
  EXPECT_EQ(readBinary(header() + block(7, 0, BlockIsEnd, "1234567")).Error,
            "t: byte 16: the end block is malformed");
  EXPECT_EQ(readBinary(header() + block(8, 1, BlockIsEnd, u64(0))).Error,
            "t: byte 16: the end block is malformed");
  EXPECT_EQ(readBinary(header() + block(8, 0, BlockIsEnd | BlockIsDeflated, u64(0))).Error,
            "t: byte 16: the end block is malformed");
  EXPECT_EQ(readBinary(header() + end(5)).Error,
            "t: byte 16: the file says that it holds 5 operations, but holds 0");
  EXPECT_EQ(readBinary(header() + end(0) + "x").Error,
            "t: byte 44: something follows the end of the trace");
  EXPECT_EQ(errorOf(first(unsigned(OpKind::Begin)) + "x"),
            "t: byte 40: bytes are left after the last operation of the block");
  EXPECT_EQ(readBinary(header() + end(0)).Error, "");
}

TEST(BinaryFormat, ErrorMessagesAboutAnOperation) {
  auto Code = [](OpKind Kind) { return unsigned(Kind); };
  EXPECT_EQ(errorOf(first(Code(OpKind::Begin))), "") << "the smallest block there is";

  EXPECT_EQ(errorOf(first(Code(OpKind::Begin)), 2),
            "t: byte 40: the block ends inside an operation");
  EXPECT_EQ(errorOf(first(Code(OpKind::Read))), "t: byte 40: the block ends inside an operation");
  EXPECT_EQ(errorOf(bytes({Code(OpKind::Begin) | Thread, 0, 5, 'T'})),
            "t: byte 39: the block ends inside an operation");
  EXPECT_EQ(errorOf(bytes({Code(OpKind::Begin) | Thread})),
            "t: byte 37: the block ends inside an operation");
  EXPECT_EQ(errorOf(bytes({31})), "t: byte 37: unknown operation code");
  EXPECT_EQ(errorOf(first(Code(OpKind::Begin) | Size)),
            "t: byte 40: a size is given for an operation that has none");
  EXPECT_EQ(
      errorOf(first(Code(OpKind::Read)) + bytes({255, 255, 255, 255, 255, 255, 255, 255, 255, 2})),
      "t: byte 50: a number does not fit into 64 bits");
  EXPECT_EQ(errorOf(bytes({Code(OpKind::Begin)})), "t: byte 37: an id is out of range");
  EXPECT_EQ(errorOf(bytes({Code(OpKind::Begin) | Thread, 1, 1, 'T'})),
            "t: byte 38: an id is out of range");
  EXPECT_EQ(errorOf(first(Code(OpKind::Begin) | Site) + bytes({2, 1, 's'})),
            "t: byte 41: an id is out of range");
  EXPECT_EQ(errorOf(first(Code(OpKind::Acquire)) + bytes({1})),
            "t: byte 41: an id is out of range");
  EXPECT_EQ(errorOf(first(Named) + bytes({2})), "t: byte 41: an id is out of range");
  for (llvm::StringRef Bad : {"", "#", "a|b", " a", "a\n", "("})
    EXPECT_EQ(errorOf(bytes({Code(OpKind::Begin) | Thread, 0, unsigned(Bad.size())}) + Bad.str()),
              "t: byte " + std::to_string(39 + Bad.size()) + ": a name is malformed");
  EXPECT_EQ(errorOf(first(Named) + bytes({0, 3, '0', 'x', '1'})),
            "t: byte 45: a name is malformed");
  EXPECT_EQ(errorOf(first(Code(OpKind::Fork)) + bytes({1, 1, 'T'})),
            "t: byte 43: a name is defined twice");
  EXPECT_EQ(errorOf(first(Named) + bytes({0, 1, 'x', Named, 2, 1, 'x'}), 2),
            "t: byte 47: a name is defined twice");
  EXPECT_EQ(errorOf(first(Code(OpKind::Fence)) + bytes({0})),
            "t: byte 41: the operation cannot have this memory order");
  EXPECT_EQ(errorOf(first(Code(OpKind::AtomicRmw)) + bytes({6, 0})),
            "t: byte 41: the operation cannot have this memory order");
  EXPECT_EQ(errorOf(first(Code(OpKind::Read) | Size) + bytes({0, 0})),
            "t: byte 42: the address range is empty, wraps or is reserved for names");
  EXPECT_EQ(errorOf(first(Code(OpKind::Read) | Size) + bytes({2, 1})),
            "t: byte 42: the address range is empty, wraps or is reserved for names");
  EXPECT_EQ(errorOf(first(Named | Size) + bytes({60, 5, 0, 1, 'x'})),
            "t: byte 45: the bytes do not lie in their variable");
  unsigned NamedAllocate = Named + 5;
  EXPECT_EQ(errorOf(first(NamedAllocate | Size) + bytes({0, 8, 0, 1, 'x'})), "");
  // x was used, then allocated with more room: its first range is nobody's any more.
  EXPECT_EQ(errorOf(first(Named) + bytes({0, 1, 'x', NamedAllocate | Size, 0, 100, 0}) +
                        bytes({Named | Size, 0, 1, 1}),
                    3),
            "t: byte 51: an id is out of range");
  EXPECT_EQ(errorOf(first(NamedAllocate | Size) + bytes({1, 8, 0, 1, 'x'})),
            "t: byte 45: a named variable cannot be allocated like this");
  EXPECT_EQ(errorOf(first(NamedAllocate | Size) + bytes({0, 8, 0, 1, 'x', NamedAllocate, 0}), 2),
            "t: byte 47: a named variable cannot be allocated like this");
}

TEST(BinaryFormat, NothingFollowsAnError) {
  std::string Bytes = header() + block(1, 1, 0, bytes({31})) + end(1);
  BinaryReader Reader(bufferOf(Bytes));
  EXPECT_NE(readAll(Reader).Error, "");
  Operation Op;
  EXPECT_FALSE(*Reader.next(Op));
}
