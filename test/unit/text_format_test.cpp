//===- text_format_test.cpp - Reading and writing traces as text -----------===//
//
// What every operand means, every error message word by word, and that the writer's
// text is canonical. Files, pipes and gzip are tested here too: text is what comes
// out of them most simply.
//
//===----------------------------------------------------------------------===//

#include "test/unit/trace_testing.h"
#include "trace/trace_file.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include "gtest/gtest.h"

#include <zlib.h>

#include <csignal>
#include <fcntl.h>
#include <unistd.h>

using namespace photofinish;
using namespace photofinish::testing;

//===----------------------------------------------------------------------===//
// Meaning
//===----------------------------------------------------------------------===//

TEST(TextFormat, EveryKindOfOperation) {
  llvm::StringRef Text = "A|r(0x10)\nA|w(0x10,8)\nA|aload(0x10,con)\nA|astore(0x10,4,rel)\n"
                         "A|armw(0x10,8,4,ar)\nA|fence(sc)\nA|acq(m)\nA|rel(m)\nA|rlk(n)\n"
                         "A|rul(n)\nA|fork(B)\nA|join(B)\nA|start()\nA|exit()\nA|wait(c,n)\n"
                         "A|wake(c,n)\nA|notify(d)\nA|arrive(b)\nA|depart(b)\nA|once(o)\n"
                         "A|alloc(0x100,16)\nA|free(0x100)\n";
  ReadResult Result = readText(Text);
  ASSERT_EQ(Result.Error, "");
  ASSERT_EQ(Result.Ops.size(), NumOpKinds);
  for (unsigned K = 0; K != NumOpKinds; ++K)
    EXPECT_EQ(Result.Ops[K].Kind, OpKind(K));
  EXPECT_EQ(Result.Ops[2].Order, MemoryOrder::Consume);
  EXPECT_EQ(Result.Ops[3].Order, MemoryOrder::Release);
  EXPECT_EQ(Result.Ops[4].Order, MemoryOrder::AcqRel);
  EXPECT_EQ(Result.Ops[4].Target, 0x18u);
  EXPECT_EQ(Result.Ops[4].Size, 4u);
  EXPECT_EQ(Result.Ops[5].Order, MemoryOrder::SeqCst);
  EXPECT_EQ(Result.Ops[8].Target, 1u) << "lock n";
  EXPECT_EQ(Result.Ops[10].Target, 1u) << "thread B";
  EXPECT_EQ(Result.Ops[14].Target, 0u) << "condition c";
  EXPECT_EQ(Result.Ops[14].Lock, 1u) << "lock n";
  EXPECT_EQ(Result.Ops[16].Target, 1u) << "condition d";
  EXPECT_EQ(Result.Ops[21].Size, 16u) << "free knows the size of the allocation";
}

TEST(TextFormat, MemoryOperands) {
  ReadResult R = readText("T|r(x)\nT|r(x,8)\nT|r(x,56,8)\nT|r(0x7f0010)\nT|r(0x7F0010,8)\n"
                          "T|r(0X7f0010,64,8)\nT|r(y)\n");
  ASSERT_EQ(R.Error, "");
  uint64_t X = R.Ops[0].Target;
  EXPECT_GE(X, SymbolTable::NamedBase);
  EXPECT_EQ(R.Ops[0].Size, 1u);
  EXPECT_EQ(R.Ops[1].Target, X);
  EXPECT_EQ(R.Ops[1].Size, 8u);
  EXPECT_EQ(R.Ops[2].Target, X + 56);
  EXPECT_EQ(R.Ops[2].Size, 8u);
  EXPECT_EQ(R.Ops[3].Target, 0x7f0010u);
  EXPECT_EQ(R.Ops[3].Size, 1u);
  EXPECT_EQ(R.Ops[4].Target, 0x7f0010u);
  EXPECT_EQ(R.Ops[5].Target, 0x7f0050u);
  EXPECT_GE(R.Ops[6].Target, X + 64);
}

TEST(TextFormat, SixtyFourBitExtremes) {
  uint64_t Max = ~uint64_t(0);
  EXPECT_EQ(readLine("T|r(0xffffffffffffffff)").Target, Max);
  EXPECT_EQ(readLine("T|r(0x8000000000000000,9223372036854775808)").Size, uint64_t(1) << 63);
  EXPECT_EQ(readLine("T|r(0x0,4611686018427387904)").Size, uint64_t(1) << 62);
  EXPECT_EQ(readLine("T|r(0x0,18446744073709551615,1)").Target, Max);
  EXPECT_EQ(readLine("T|r(0x3fffffffffffffff)").Target, (uint64_t(1) << 62) - 1);
}

TEST(TextFormat, RapidTraces) {
  ReadResult R = readText("T1|begin(0)|1\nT1|r(V234.23[0])|345\nT1|req(L2a45c47085)|3\n"
                          "T1|acq(L2a45c47085)|3\nT1|branch|4\nT1|w(V234.23[0])|345\n"
                          "T1|rel(L2a45c47085)|3\nT1|end|5\nT1|fork(T2)|6\n");
  ASSERT_EQ(R.Error, "");
  ASSERT_EQ(R.Ops.size(), 5u);
  EXPECT_EQ(R.Ops[0].Site, R.Ops[2].Site);
  EXPECT_EQ(R.Ops[0].Target, R.Ops[2].Target);
  EXPECT_EQ(R.Ops[4].Kind, OpKind::Fork);
}

TEST(TextFormat, WhiteSpaceCommentsAndLineEnds) {
  ReadResult R = readText("\n# a comment\n  \t \n  T 0 | w ( x , 8 ) | a b.c:1 \r\n"
                          "\t# another\nT 0|w(x,8)|a b.c:1\nT 0|w(x)|\r\nT 0|w(x)");
  ASSERT_EQ(R.Error, "");
  ASSERT_EQ(R.Ops.size(), 4u);
  EXPECT_EQ(R.Ops[0], R.Ops[1]);
  EXPECT_EQ(R.Ops[0].Site, 1u);
  EXPECT_EQ(R.Ops[2].Site, 0u) << "an empty location is none";
  EXPECT_EQ(R.Ops[2], R.Ops[3]) << "the last line needs no line feed";
  EXPECT_TRUE(readText("").Error.empty());
}

TEST(TextFormat, ALocationIsAnyText) {
  TextReader Reader(bufferOf("T|w(x)|operator|(a, b) # 1\n"));
  ReadResult R = readAll(Reader);
  ASSERT_EQ(R.Error, "");
  EXPECT_EQ(Reader.symbols().name(NameKind::Site, R.Ops[0].Site), "operator|(a, b) # 1");
}

TEST(TextFormat, FreedNamesAreAllocatedAgain) {
  ReadResult R = readText("T|alloc(x,8)\nT|free(x)\nT|w(x)\nT|alloc(x,100)\nT|w(x,92,8)\n"
                          "T|free(x,100)\n");
  ASSERT_EQ(R.Error, "");
  EXPECT_EQ(R.Ops[1].Target, R.Ops[0].Target);
  EXPECT_EQ(R.Ops[1].Size, 8u);
  EXPECT_EQ(R.Ops[2].Target, R.Ops[0].Target) << "a use after free";
  EXPECT_EQ(R.Ops[4].Target, R.Ops[3].Target + 92);
}

TEST(TextFormat, PositionAndProgress) {
  TextReader Reader(bufferOf("# one\nT|w(x)\n"));
  Operation Op;
  ASSERT_TRUE(*Reader.next(Op));
  EXPECT_EQ(Reader.position(), "t:2");
  EXPECT_EQ(Reader.progress(), 1.0);
  EXPECT_FALSE(*Reader.next(Op));
  EXPECT_FALSE(*Reader.next(Op)) << "the end stays the end";
}

/// Lines that lie across the end of the reader's buffer, of every length.
TEST(TextFormat, LinesAcrossBufferEnds) {
  std::string Text;
  size_t NumLines = 0;
  while (Text.size() < 3 << 20) {
    Text += "T" + std::to_string(NumLines % 7) + "|w(v" + std::to_string(NumLines % 1000) + ")|" +
            std::string(1 + NumLines % 1500, 'l') + "\n";
    ++NumLines;
  }
  WriteResult Result = textToText(Text);
  EXPECT_EQ(Result.Error, "");
  EXPECT_TRUE(Result.Bytes == Text);
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

TEST(TextFormat, ErrorMessages) {
  const std::pair<const char *, const char *> Cases[] = {
      {"T0", "there is no '|': a line reads THREAD|OPERATION(OPERANDS)|LOCATION"},
      {"|w(x)", "the thread has no name"},
      {"T,0|w(x)", "misplaced ',': names contain no '|', ',', '(' or ')'"},
      {"T|fork(#1)", "a thread cannot be called '#1': its own lines would be comments"},
      {"T|write(x)", "unknown operation 'write'"},
      {"T|", "unknown operation ''"},
      {"T|w", "w has no operands in parentheses: write w(VARIABLE,SIZE)"},
      {"T|w|a.c:1", "w has no operands in parentheses: write w(VARIABLE,SIZE)"},
      {"T|exit", "exit has no operands in parentheses: write exit()"},
      {"T|w)x", "misplaced ')': names contain no '|', ',', '(' or ')'"},
      {"T|w(x(1))", "misplaced '(': names contain no '|', ',', '(' or ')'"},
      {"T|w(x|a.c:1", "a ')' is missing after the operands"},
      {"T|w(x", "a ')' is missing after the operands"},
      {"T|w(x) y|a.c:1", "unexpected 'y|a.c:1' after ')'"},
      {"T|w()", "w lacks an operand: write w(VARIABLE,SIZE)"},
      {"T|w(,8)", "w lacks an operand: write w(VARIABLE,SIZE)"},
      {"T|acq()", "acq lacks an operand: write acq(LOCK)"},
      {"T|join()", "join lacks an operand: write join(THREAD)"},
      {"T|wait(c)", "wait lacks an operand: write wait(CONDITION,LOCK)"},
      {"T|notify()", "notify lacks an operand: write notify(CONDITION)"},
      {"T|arrive()", "arrive lacks an operand: write arrive(BARRIER)"},
      {"T|once()", "once lacks an operand: write once(ONCE)"},
      {"T|fence()", "fence lacks an operand: write fence(ORDER)"},
      {"T|aload(x)", "aload lacks an operand: write aload(VARIABLE,SIZE,ORDER)"},
      {"T|acq(m,n)", "acq has too many operands: write acq(LOCK)"},
      {"T|start(x)", "start has too many operands: write start()"},
      {"T|w(x,1,2,3)", "w has too many operands: write w(VARIABLE,SIZE)"},
      {"T|armw(x,1,2,3,sc)", "armw has too many operands: write armw(VARIABLE,SIZE,ORDER)"},
      {"T|aload(x,8)", "'8' is not a memory order: use rlx, con, acq, rel, ar or sc"},
      {"T|fence(seq)", "'seq' is not a memory order: use rlx, con, acq, rel, ar or sc"},
      {"T|aload(x,rel)", "aload cannot have order rel: use one of rlx, con, acq, sc"},
      {"T|astore(x,acq)", "astore cannot have order acq: use one of rlx, rel, sc"},
      {"T|fence(rlx)", "fence cannot have order rlx: use one of con, acq, rel, ar, sc"},
      {"T|w(x,8b)", "'8b' is not a decimal number"},
      {"T|w(x,-1)", "'-1' is not a decimal number"},
      {"T|w(x,0x8)", "'0x8' is not a decimal number"},
      {"T|w(x,18446744073709551616)", "'18446744073709551616' does not fit into 64 bits"},
      {"T|w(x,18446744073709551616,1)", "'18446744073709551616' does not fit into 64 bits"},
      {"T|w(0x)", "'0x' is not a hexadecimal address"},
      {"T|w(0x12g)", "'0x12g' is not a hexadecimal address"},
      {"T|w(0x10000000000000000)", "address '0x10000000000000000' does not fit into 64 bits"},
      {"T|w(x,0)", "w of 0 bytes: the size must be at least 1"},
      {"T|alloc(0x10,0)", "alloc of 0 bytes: the size must be at least 1"},
      {"T|w(x,65)", "65 bytes from byte 0 on do not fit into 'x', which has room for 64: alloc "
                    "gives a variable more"},
      {"T|w(x,64,1)", "1 bytes from byte 64 on do not fit into 'x', which has room for 64: alloc "
                      "gives a variable more"},
      {"T|w(x,18446744073709551615,18446744073709551615)",
       "18446744073709551615 bytes from byte 18446744073709551615 on do not fit into 'x', which "
       "has room for 64: alloc gives a variable more"},
      {"T|w(0xffffffffffffffff,2)",
       "2 bytes from byte 0 of 0xffffffffffffffff on run past the end of the address space"},
      {"T|w(0x10,18446744073709551615,1)",
       "1 bytes from byte 18446744073709551615 of 0x10 on run past the end of the address space"},
      {"T|w(0x4000000000000000)",
       "1 bytes at 0x4000000000000000 meet the addresses of named variables, 2^62 to 2^63"},
      {"T|w(0x3fffffffffffffff,2)",
       "2 bytes at 0x3fffffffffffffff meet the addresses of named variables, 2^62 to 2^63"},
      {"T|w(0x0,18446744073709551615)",
       "18446744073709551615 bytes at 0x0 meet the addresses of named variables, 2^62 to 2^63"},
      {"T|alloc(x)", "alloc needs a size: write alloc(x,SIZE)"},
      {"T|alloc(x,8,8)", "alloc of a part of 'x': a named variable is allocated as a whole"},
      {"T|alloc(x,9223372036854775808)",
       "no address space is left for 9223372036854775808 bytes named 'x'"},
  };
  for (auto [Line, Message] : Cases) {
    EXPECT_EQ(readText(Line).Error, std::string("t:1: ") + Message) << Line;
    // The line number counts all lines, and what came before is delivered.
    ReadResult Later = readText(std::string("# one\n\nA|w(y)\n") + Line + "\n");
    EXPECT_EQ(Later.Error, std::string("t:4: ") + Message);
    EXPECT_EQ(Later.Ops.size(), 1u);
  }
  EXPECT_EQ(readText("T|alloc(x,8)\nT|alloc(x,8)\n").Error,
            "t:2: 'x' is allocated already: free it first");
}

TEST(TextFormat, LongLinesAndNames) {
  std::string Longest = std::string(MaxLineLength, '#');
  EXPECT_EQ(readText(Longest + "\nT|w(x)\n").Error, "");
  EXPECT_EQ(readText(Longest + "\nT|w(x)\n").Ops.size(), 1u);
  EXPECT_EQ(readText("T|w(x)\n#" + Longest + "\n").Error,
            "t:2: the line is longer than 65536 bytes");
  EXPECT_EQ(readText("#" + Longest).Error, "t:1: the line is longer than 65536 bytes");

  std::string LongName(MaxNameLength, 'n');
  EXPECT_EQ(readText(LongName + "|w(" + LongName + ")|" + LongName).Error, "");
  std::string Message =
      "t:1: the name '" + LongName.substr(0, 60) + "...' is longer than 16000 bytes";
  for (const std::string &Line :
       {"n" + LongName + "|w(x)", "T|w(n" + LongName + ")", "T|acq(n" + LongName + ")",
        "T|wait(c,n" + LongName + ")", "T|w(x)|n" + LongName})
    EXPECT_EQ(readText(Line).Error, Message);
}

TEST(TextFormat, MessagesAreOneLineOfPlainText) {
  EXPECT_EQ(readText("T|a\x01\xff\tb(x)").Error, "t:1: unknown operation 'a???b'");
}

TEST(TextFormat, NothingFollowsAnError) {
  TextReader Reader(bufferOf("bad\nT|w(x)\n"));
  EXPECT_NE(readAll(Reader).Error, "");
  Operation Op;
  EXPECT_FALSE(*Reader.next(Op));
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

TEST(TextFormat, CanonicalForm) {
  EXPECT_EQ(textToText(" T 0 | w( x , 1 ) | a.c:1 \n#\nT1|w(x,0,8)\nT1|w(x,8,1)\n"
                       "T1|w(0X7F,1,8)|\nT|alloc(y,1)\nT|free(y)\nT|alloc(0x10,0,8)\n"
                       "T|free(0x10)\nT|free(0x10)\nT|aload(x,acq)\nT|armw(x,8,ar)\n"
                       "T|begin()\nT|fence(sc)\nT|wait(c,m)\nT|exit( )\n")
                .Bytes,
            "T 0|w(x)|a.c:1\nT1|w(x,8)\nT1|w(x,8,1)\nT1|w(0x80,8)\nT|alloc(y,1)\n"
            "T|free(y,1)\nT|alloc(0x10,8)\nT|free(0x10,8)\nT|free(0x10)\nT|aload(x,acq)\n"
            "T|armw(x,8,ar)\nT|fence(sc)\nT|wait(c,m)\nT|exit()\n");
}

TEST(TextFormat, RandomTracesComeBackUnchanged) {
  for (unsigned Seed = 0; Seed != 20; ++Seed) {
    std::string Text = randomText(Seed, 1000);
    WriteResult Result = textToText(Text);
    EXPECT_EQ(Result.Error, "");
    EXPECT_TRUE(Result.Bytes == Text) << "seed " << Seed;
  }
}

TEST(TextFormat, TracesInMemoryGetNames) {
  Trace Ops(3);
  Ops[0].Kind = OpKind::Wait;
  Ops[0].Target = 2;
  Ops[0].Lock = 1;
  Ops[1].Thread = 7;
  Ops[1].Target = ~uint64_t(0) - 7;
  Ops[1].Size = 8;
  Ops[1].Site = 3;
  Ops[2].Kind = OpKind::Join;
  Ops[2].Target = 7;
  VectorSource Source(Ops);
  EXPECT_EQ(writeAll<TextWriter>(Source).Bytes,
            "T0|wait(c2,m1)\nT7|r(0xfffffffffffffff8,8)|site 3\nT0|join(T7)\n");
}

TEST(TextFormat, AddressesThatNoTextCanSay) {
  auto Write = [](uint64_t Address, uint64_t Size) {
    Trace Ops(1);
    Ops[0].Target = Address;
    Ops[0].Size = Size;
    VectorSource Source(Ops);
    return writeAll<TextWriter>(Source).Error;
  };
  EXPECT_EQ(Write(SymbolTable::NamedBase, 1),
            "out: cannot write r of 1 bytes at 0x4000000000000000: they are neither part of one "
            "variable nor at a numeric address");
  EXPECT_NE(Write(~uint64_t(0), 2), "");
  EXPECT_NE(Write(16, 0), "");
  EXPECT_EQ(Write(~uint64_t(0), 1), "");
}

//===----------------------------------------------------------------------===//
// Files, pipes, gzip
//===----------------------------------------------------------------------===//

namespace {

/// A file that is gone when the test is over.
class TemporaryFile {
public:
  explicit TemporaryFile(llvm::StringRef Bytes) {
    int Fd;
    EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("photofinish", "trace", Fd, Path));
    llvm::raw_fd_ostream OS(Fd, /*shouldClose=*/true);
    OS << Bytes;
  }
  ~TemporaryFile() { EXPECT_FALSE(llvm::sys::fs::remove(Path)); }
  llvm::StringRef path() const { return Path; }

private:
  llvm::SmallString<128> Path;
};

std::string gzip(llvm::StringRef Bytes) {
  z_stream Stream = {};
  EXPECT_EQ(deflateInit2(&Stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string Zipped(deflateBound(&Stream, Bytes.size()) + 32, '\0');
  Stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(Bytes.data()));
  Stream.avail_in = uInt(Bytes.size());
  Stream.next_out = reinterpret_cast<Bytef *>(Zipped.data());
  Stream.avail_out = uInt(Zipped.size());
  EXPECT_EQ(deflate(&Stream, Z_FINISH), Z_STREAM_END);
  Zipped.resize(Stream.total_out);
  deflateEnd(&Stream);
  return Zipped;
}

/// Everything in a file, as canonical text.
WriteResult fileToText(llvm::StringRef Path) {
  llvm::Expected<std::unique_ptr<TraceSource>> Source = openTrace(Path);
  if (!Source)
    return {"", llvm::toString(Source.takeError())};
  return writeAll<TextWriter>(**Source);
}

/// The same for bytes under the name "t".
WriteResult bytesToText(llvm::StringRef Bytes) {
  auto Source = openTrace(std::make_unique<MemoryInput>(Bytes), "t");
  if (!Source)
    return {"", llvm::toString(Source.takeError())};
  return writeAll<TextWriter>(**Source);
}

} // namespace

TEST(TraceFile, FindsOutWhatItHasBeenGiven) {
  std::string Text = randomText(1, 3000);
  std::string Binary = textToBinary(Text).Bytes;
  for (const std::string &Bytes : {Text, Binary, gzip(Text), gzip(Binary)}) {
    TemporaryFile File(Bytes);
    WriteResult Result = fileToText(File.path());
    EXPECT_EQ(Result.Error, "");
    EXPECT_TRUE(Result.Bytes == Text);
  }
}

TEST(TraceFile, EmptyFilesAreEmptyTraces) {
  TemporaryFile Empty("");
  EXPECT_EQ(fileToText(Empty.path()).Error, "");
  EXPECT_EQ(bytesToText(gzip("")).Error, "");
}

TEST(TraceFile, StandardInput) {
  TemporaryFile File("T|w(x)\nbad\n");
  int Saved = ::dup(STDIN_FILENO);
  int Fd = ::open(File.path().str().c_str(), O_RDONLY);
  ASSERT_GE(Fd, 0);
  ::dup2(Fd, STDIN_FILENO);
  WriteResult Result = fileToText("-");
  ::dup2(Saved, STDIN_FILENO);
  ::close(Fd);
  ::close(Saved);
  EXPECT_EQ(Result.Error,
            "<stdin>:2: there is no '|': a line reads THREAD|OPERATION(OPERANDS)|LOCATION");
}

TEST(TraceFile, FilesThatCannotBeRead) {
  EXPECT_EQ(fileToText("/nonexistent/trace").Error,
            "/nonexistent/trace: No such file or directory");
  llvm::SmallString<128> Directory;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("photofinish", Directory));
  auto Remove = llvm::make_scope_exit([&] { EXPECT_FALSE(llvm::sys::fs::remove(Directory)); });
  EXPECT_EQ(fileToText(Directory).Error, Directory.str().str() + ": Is a directory");
  if (::geteuid() == 0)
    return; // root may read everything
  TemporaryFile File("T|w(x)\n");
  ASSERT_EQ(::chmod(File.path().str().c_str(), 0), 0);
  EXPECT_EQ(fileToText(File.path()).Error, File.path().str() + ": Permission denied");
}

TEST(TraceFile, GzipMembersFollowEachOther) {
  WriteResult Result = bytesToText(gzip("T|w(x)\nT|r(") + gzip("") + gzip("y)\n"));
  EXPECT_EQ(Result.Error, "");
  EXPECT_EQ(Result.Bytes, "T|w(x)\nT|r(y)\n");
}

TEST(TraceFile, DamagedGzip) {
  std::string Zipped = gzip(randomText(2, 20));
  EXPECT_EQ(bytesToText(Zipped + "x").Error, "t: byte " + std::to_string(Zipped.size()) +
                                                 ": something that is not gzip data follows the "
                                                 "gzip data");
  std::string Wrong = Zipped;
  Wrong[Wrong.size() - 5] ^= 1; // the checksum
  EXPECT_EQ(bytesToText(Wrong).Error, "t: byte " + std::to_string(Zipped.size() - 4) +
                                          ": the gzip data is damaged: incorrect data check");
  for (size_t Length = 2; Length != Zipped.size(); ++Length)
    EXPECT_EQ(bytesToText(llvm::StringRef(Zipped).take_front(Length)).Error,
              "t: byte " + std::to_string(Length) +
                  ": the gzip data ends too early: the file has been cut short");
}

TEST(TraceFile, ProgressOfAFile) {
  std::string Text = randomText(3, 40000);
  TemporaryFile File(Text);
  auto Source = openTrace(File.path());
  ASSERT_TRUE(bool(Source));
  Operation Op;
  ASSERT_TRUE(*(*Source)->next(Op));
  EXPECT_GT((*Source)->progress(), 0.0);
  EXPECT_LT((*Source)->progress(), 0.9);
  readAll(**Source);
  EXPECT_EQ((*Source)->progress(), 1.0);
}

TEST(TraceFile, WriteErrorsAreReported) {
  for (bool IsText : {true, false}) {
    std::error_code Ignored;
    llvm::raw_fd_ostream Full("/dev/full", Ignored);
    std::unique_ptr<TraceSink> Sink =
        IsText ? createTextWriter(Full, "full") : createBinaryWriter(Full, "full");
    SymbolTable Symbols;
    Operation Op;
    Op.Size = 1;
    EXPECT_FALSE(bool(Sink->write(Op, Symbols)));
    EXPECT_EQ(llvm::toString(Sink->finish()), "full: No space left on device");
  }
}

TEST(TraceFile, AClosedPipeIsReportedWhileWriting) {
  auto Restore =
      llvm::make_scope_exit([Old = std::signal(SIGPIPE, SIG_IGN)] { std::signal(SIGPIPE, Old); });
  int Ends[2];
  ASSERT_EQ(::pipe(Ends), 0);
  ::close(Ends[0]);
  llvm::raw_fd_ostream OS(Ends[1], /*shouldClose=*/true);
  std::unique_ptr<TraceSink> Sink = createTextWriter(OS, "pipe");
  SymbolTable Symbols;
  Operation Op;
  Op.Size = 1;
  std::string Error;
  for (unsigned I = 0; I != 100000 && Error.empty(); ++I)
    if (llvm::Error E = Sink->write(Op, Symbols))
      Error = llvm::toString(std::move(E));
  EXPECT_EQ(Error, "pipe: Broken pipe");
}
