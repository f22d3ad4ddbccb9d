//===- libatomic.cpp - Atomic operations that are calls ---------------------===//

#include "placement/libatomic.h"

#include "llvm/IR/Constants.h"

using namespace llvm;

namespace photofinish {

namespace {

/// The parameters of a function, by position; a letter each:
///
///   n  size                  o  order (of success)     v  a value of the sized forms
///   p  the atomic object     f  order of failure
///   r  buffer that is read   w  buffer that is written
///   e  buffer with the expected value: read, and written in case of failure
struct Shape {
  StringRef Operation; // after __atomic_
  AtomicOperation::Operation Kind;
  StringRef Generic; // without a size in the name; empty if there is no such form
  StringRef Sized;   // with one
};

const Shape Shapes[] = {
    {"load", AtomicOperation::Load, "npwo", "po"},
    {"store", AtomicOperation::Store, "npro", "pvo"},
    {"exchange", AtomicOperation::ReadModifyWrite, "nprwo", "pvo"},
    {"compare_exchange", AtomicOperation::CompareExchange, "nperof", "pevof"},
    {"fetch_add", AtomicOperation::ReadModifyWrite, "", "pvo"},
    {"fetch_sub", AtomicOperation::ReadModifyWrite, "", "pvo"},
    {"fetch_and", AtomicOperation::ReadModifyWrite, "", "pvo"},
    {"fetch_or", AtomicOperation::ReadModifyWrite, "", "pvo"},
    {"fetch_xor", AtomicOperation::ReadModifyWrite, "", "pvo"},
    {"fetch_nand", AtomicOperation::ReadModifyWrite, "", "pvo"},
};

bool fits(const CallBase &Call, StringRef Letters) {
  if (Letters.empty() || Call.arg_size() != Letters.size())
    return false;
  for (auto [I, Letter] : enumerate(Letters)) {
    Type *Ty = Call.getArgOperand(I)->getType();
    if (StringRef("prwe").contains(Letter) ? !Ty->isPointerTy()
                                           : Letter != 'v' && !Ty->isIntegerTy())
      return false;
  }
  return Letters.contains('e') ? Call.getType()->isIntegerTy() : true;
}

} // namespace

std::optional<LibatomicOperation> libatomicOperation(CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  if (!Callee || !Callee->isDeclaration())
    return std::nullopt;
  StringRef Name = Callee->getName();
  if (!Name.consume_front("__atomic_"))
    return std::nullopt;

  auto [Stem, Suffix] = Name.rsplit('_');
  uint64_t Bytes = 0;
  bool Sized = !Suffix.getAsInteger(10, Bytes);
  if (!Sized)
    Stem = Name;
  const Shape *Found = find_if(Shapes, [&](const Shape &S) { return S.Operation == Stem; });
  if (Found == std::end(Shapes))
    return std::nullopt;
  StringRef Letters = Sized ? Found->Sized : Found->Generic;
  if (!fits(Call, Letters))
    return std::nullopt;

  LibatomicOperation Result{
      {.At = &Call,
       .Pointer = nullptr,
       .Bytes = Sized ? ConstantInt::get(Type::getInt64Ty(Call.getContext()), Bytes) : nullptr,
       .Kind = Found->Kind,
       .Order = nullptr},
      {}};
  AtomicOperation &Operation = Result.Operation;
  for (auto [I, Letter] : enumerate(Letters)) {
    Value *Argument = Call.getArgOperand(I);
    switch (Letter) {
    case 'n':
      Operation.Bytes = Argument;
      break;
    case 'p':
      Operation.Pointer = Argument;
      break;
    case 'o':
      Operation.Order = Argument;
      break;
    case 'f':
      Operation.FailureOrder = Argument;
      break;
    case 'e':
      Operation.Expected = Argument;
      Result.Buffers.push_back({Argument, /*Write=*/false});
      break;
    case 'r':
    case 'w':
      Result.Buffers.push_back({Argument, Letter == 'w'});
      break;
    default:
      break;
    }
  }
  return Result;
}

} // namespace photofinish
