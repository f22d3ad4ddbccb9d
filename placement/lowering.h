//===- lowering.h - Planned checks as values ---------------------------------===//
//
// A planned check names memory by expressions, and its place by an instruction or an edge. This
// finds the instruction, splitting edges that need it, and the values, computing what the function
// does not compute itself.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_PLACEMENT_LOWERING_H
#define PHOTOFINISH_PLACEMENT_LOWERING_H

#include "placement/contexts.h"

namespace photofinish {

struct LoweredCheck {
  llvm::Instruction *Before;
  const Access *Origin;
  bool Write;
  uint64_t Bytes; // of an element
  llvm::Value *Pointer;
  llvm::Value *Stride = nullptr; // null if there is one element
  llvm::Value *Count = nullptr;
  llvm::ArrayRef<PlannedCheck::Part> Parts = {};
  bool IsRare = false; // it is hardly ever made
};

/// They refer to Checks.
std::vector<LoweredCheck> lower(llvm::ArrayRef<PlannedCheck> Checks, llvm::Function &F,
                                llvm::DominatorTree &DT, llvm::LoopInfo &LI,
                                llvm::ScalarEvolution &SE);

} // namespace photofinish

#endif // PHOTOFINISH_PLACEMENT_LOWERING_H
