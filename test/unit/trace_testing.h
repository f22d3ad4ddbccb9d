//===- trace_testing.h - Traces in and out of strings, for tests -----------===//
//
// Every helper returns what it read or wrote together with the error message it
// met, so that a test states both in one line.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_TEST_UNIT_TRACE_TESTING_H
#define PHOTOFINISH_TEST_UNIT_TRACE_TESTING_H

#include "trace/binary_format.h"
#include "trace/feasibility.h"
#include "trace/text_format.h"

#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <random>
#include <string>
#include <utility>

namespace photofinish::testing {

inline InputBuffer bufferOf(llvm::StringRef Bytes, std::string Name = "t") {
  return InputBuffer(std::make_unique<MemoryInput>(Bytes), std::move(Name));
}

struct ReadResult {
  Trace Ops;
  std::string Error; // empty if there was none
};

inline ReadResult readAll(TraceSource &Source) {
  ReadResult Result;
  Operation Op;
  for (;;) {
    llvm::Expected<bool> HasNext = Source.next(Op);
    if (!HasNext) {
      Result.Error = llvm::toString(HasNext.takeError());
      return Result;
    }
    if (!*HasNext)
      return Result;
    Result.Ops.push_back(Op);
  }
}

inline ReadResult readText(llvm::StringRef Text) {
  TextReader Reader(bufferOf(Text));
  return readAll(Reader);
}

inline ReadResult readBinary(llvm::StringRef Bytes) {
  BinaryReader Reader(bufferOf(Bytes));
  return readAll(Reader);
}

/// The one operation of a line.
inline Operation readLine(llvm::StringRef Line) {
  ReadResult Result = readText(Line);
  return Result.Error.empty() && Result.Ops.size() == 1 ? Result.Ops[0] : Operation();
}

struct WriteResult {
  std::string Bytes;
  std::string Error;
};

/// Everything from Source to a Writer.
template <typename Writer> WriteResult writeAll(TraceSource &Source) {
  WriteResult Result;
  llvm::raw_string_ostream OS(Result.Bytes);
  Writer W(OS, "out");
  Operation Op;
  for (;;) {
    llvm::Expected<bool> HasNext = Source.next(Op);
    if (!HasNext) {
      Result.Error = llvm::toString(HasNext.takeError());
      return Result;
    }
    if (!*HasNext)
      break;
    if (llvm::Error E = W.write(Op, Source.symbols())) {
      Result.Error = llvm::toString(std::move(E));
      return Result;
    }
  }
  if (llvm::Error E = W.finish())
    Result.Error = llvm::toString(std::move(E));
  return Result;
}

inline WriteResult textToText(llvm::StringRef Text) {
  TextReader Reader(bufferOf(Text));
  return writeAll<TextWriter>(Reader);
}
inline WriteResult textToBinary(llvm::StringRef Text) {
  TextReader Reader(bufferOf(Text));
  return writeAll<BinaryWriter>(Reader);
}
inline WriteResult binaryToText(llvm::StringRef Bytes) {
  BinaryReader Reader(bufferOf(Bytes));
  return writeAll<TextWriter>(Reader);
}

/// NumLines lines with every kind of operation, in canonical text. Most are not
/// feasible together: this is about the formats, not about what can have happened.
inline std::string randomText(unsigned Seed, unsigned NumLines) {
  std::mt19937 Random(Seed);
  auto Below = [&](unsigned Limit) { return unsigned(Random() % Limit); };
  auto Number = [](uint64_t N) { return std::to_string(N); };
  std::string Text;
  // Allocations that are live, so that every free has its size and no name is allocated twice.
  std::vector<std::pair<std::string, uint64_t>> Live;
  for (unsigned Line = 0; Line != NumLines; ++Line) {
    OpKind Kind = OpKind(Below(NumOpKinds));
    const OpInfo &Info = opInfo(Kind);
    std::string Operands;
    if (Kind == OpKind::Allocate) {
      bool IsNamed = Below(2);
      std::string Where = IsNamed ? "h" + Number(Below(20)) : "0x" + Number(1 + Below(50)) + "0000";
      uint64_t Size = 1 + Below(Below(2) ? 100 : 9000);
      bool IsLive = false;
      for (auto &[Name, OldSize] : Live)
        IsLive |= Name == Where;
      if (IsLive)
        continue;
      Live.push_back({Where, Size});
      Operands = Where + "," + Number(Size);
    } else if (Kind == OpKind::Free) {
      if (Live.empty())
        continue;
      size_t Index = Below(unsigned(Live.size()));
      Operands = Live[Index].first + "," + Number(Live[Index].second);
      Live.erase(Live.begin() + ptrdiff_t(Index));
    } else if (Info.Target == TargetKind::Memory) {
      switch (Below(5)) {
      case 0:
        Operands = "x" + Number(Below(30));
        break;
      case 1:
        Operands = "V" + Number(Below(300)) + ".7[0],8";
        break;
      case 2:
        Operands = "y" + Number(Below(5)) + "," + Number(1 + Below(56)) + ",8";
        break;
      case 3:
        Operands = "0x7f00" + Number(10 + Below(80));
        break;
      default:
        Operands = "0xffffffffffffff" + Number(10 + Below(80)) + "," + Number(2 + Below(8));
        break;
      }
    } else if (Info.Target != TargetKind::None) {
      static constexpr const char *Prefixes[] = {"", "", "L", "T", "c", "b", "once "};
      Operands = Prefixes[unsigned(Info.Target)] + Number(Below(12));
    }
    if (Kind == OpKind::Wait || Kind == OpKind::Wake)
      Operands += ",L" + Number(Below(5));
    if (Info.HasOrder) {
      MemoryOrder Order;
      do
        Order = MemoryOrder(Below(6));
      while (!isValidOrder(Kind, Order));
      Operands += (Operands.empty() ? "" : ",") + std::string(orderName(Order));
    }
    Text += "T" + Number(Below(6)) + "|" + Info.Name + "(" + Operands + ")";
    if (Below(4) != 0)
      Text += "|file.c:" + Number(Below(500));
    Text += "\n";
  }
  return Text;
}

} // namespace photofinish::testing

#endif // PHOTOFINISH_TEST_UNIT_TRACE_TESTING_H
