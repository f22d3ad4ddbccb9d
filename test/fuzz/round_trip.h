//===- round_trip.h - What every reader promises, for the fuzzers ----------===//
//
// Whatever a reader accepts and the feasibility checker accepts can be written in
// both formats and comes back from both: the same operations, the same text.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_TEST_FUZZ_ROUND_TRIP_H
#define PHOTOFINISH_TEST_FUZZ_ROUND_TRIP_H

#include "trace/binary_format.h"
#include "trace/feasibility.h"
#include "trace/text_format.h"

#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

namespace photofinish::fuzzing {

inline void require(bool Condition, const char *What) {
  if (Condition)
    return;
  llvm::errs() << "broken promise: " << What << "\n";
  std::abort();
}

/// A buffer so small that refilling it is tested too.
inline InputBuffer bufferOf(llvm::StringRef Bytes) {
  return InputBuffer(std::make_unique<MemoryInput>(Bytes), "input", 64);
}

/// A trace in all its forms.
struct Forms {
  Trace Ops;
  std::string Text, Binary;
  bool IsComplete = false; ///< the source ended without an error
};

/// Reads until the end or the first error, and writes what came before it.
inline Forms readAndWrite(TraceSource &Source) {
  Forms F;
  llvm::raw_string_ostream TextStream(F.Text), BinaryStream(F.Binary);
  TextWriter ToText(TextStream, "text");
  BinaryWriter ToBinary(BinaryStream, "binary");
  Operation Op;
  for (;;) {
    llvm::Expected<bool> HasNext = Source.next(Op);
    if (!HasNext) {
      std::string Message = llvm::toString(HasNext.takeError());
      require(llvm::StringRef(Message).starts_with("input:"), "a message begins with the place");
      require(Message.find('\n') == std::string::npos, "a message is one line");
      break;
    }
    if (!*HasNext) {
      F.IsComplete = true;
      break;
    }
    F.Ops.push_back(Op);
    require(!ToText.write(Op, Source.symbols()), "what was read can be written as text");
    require(!ToBinary.write(Op, Source.symbols()), "what was read can be written in binary");
  }
  require(!ToText.finish(), "text can be finished");
  require(!ToBinary.finish(), "binary can be finished");
  return F;
}

/// Reads to the end or the first error, and does nothing with it.
inline void drain(TraceSource &Source) {
  Operation Op;
  for (;;) {
    llvm::Expected<bool> HasNext = Source.next(Op);
    if (!HasNext)
      llvm::consumeError(HasNext.takeError());
    if (!HasNext || !*HasNext)
      return;
  }
}

inline void checkRoundTrip(TraceSource &Source) {
  CheckedSource Checked(Source);
  Forms First = readAndWrite(Checked);
  TextReader FromText(bufferOf(First.Text));
  BinaryReader FromBinary(bufferOf(First.Binary));
  for (TraceSource *Again :
       {static_cast<TraceSource *>(&FromText), static_cast<TraceSource *>(&FromBinary)}) {
    CheckedSource CheckedAgain(*Again);
    Forms Second = readAndWrite(CheckedAgain);
    require(Second.IsComplete, "what was written can be read, and is feasible");
    require(Second.Ops == First.Ops, "the operations are the same");
    require(Second.Text == First.Text, "the text is the same");
    require(Second.Binary == First.Binary, "the binary form is the same");
  }
}

} // namespace photofinish::fuzzing

#endif // PHOTOFINISH_TEST_FUZZ_ROUND_TRIP_H
