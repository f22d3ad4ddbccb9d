//===- effects.h - What an instruction may do beside accessing memory ------===//
//
// Where a check may be, and what it covers, depends on what happens between it and the access
// (bigfoot.txt, section 2). Five things matter in C and C++:
//
//   acquire     no check behind it covers an access before it
//   release     no check behind it is legitimate for an access before it
//   free        memory may be somebody else's behind it
//   unwind      control may leave by an exception
//   no return   control may never come back: exit, longjmp, a loop without an end
//
// The effects of a module's functions are computed bottom-up over its call graph; library functions
// have a table; a function that nobody knows may do it all.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_PLACEMENT_EFFECTS_H
#define PHOTOFINISH_PLACEMENT_EFFECTS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/PassManager.h"

namespace photofinish {

struct Effects {
  bool Acquires = false;
  bool Releases = false;
  bool Frees = false;
  bool Unwinds = false;
  bool NeverReturns = false;

  static Effects all() { return {true, true, true, true, true}; }

  bool any() const { return Acquires || Releases || Frees || Unwinds || NeverReturns; }
  /// Whether what follows is reached with the memory as it was.
  bool mayLeave() const { return Frees || Unwinds || NeverReturns; }

  Effects &operator|=(const Effects &Other) {
    Acquires |= Other.Acquires;
    Releases |= Other.Releases;
    Frees |= Other.Frees;
    Unwinds |= Other.Unwinds;
    NeverReturns |= Other.NeverReturns;
    return *this;
  }
  bool operator==(const Effects &) const = default;
};

/// Whether L is left after a number of iterations that has a bound.
bool isFinite(const llvm::Loop &L, llvm::ScalarEvolution &SE);

/// Whether a library function computes a number from numbers, and does nothing else but, perhaps,
/// set errno: no report shows it, and nothing is lost when the compiler computes it itself.
bool isArithmetic(const llvm::CallBase &Call, const llvm::TargetLibraryInfo &Libraries);

class ModuleEffects {
public:
  ModuleEffects(llvm::Module &M, llvm::FunctionAnalysisManager &Analyses);

  /// Of executing I, beside its own plain accesses.
  Effects of(const llvm::Instruction &I) const;

private:
  Effects ofBody(llvm::Function &F) const;
  Effects ofCall(const llvm::CallBase &Call) const;

  llvm::FunctionAnalysisManager &Analyses;
  llvm::DenseMap<const llvm::Function *, Effects> Known;
};

} // namespace photofinish

#endif // PHOTOFINISH_PLACEMENT_EFFECTS_H
