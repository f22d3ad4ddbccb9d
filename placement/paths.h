//===- paths.h - Memory named by a function's values -------------------------===//
//
// A path (bigfoot.txt, section 3) is memory that the function accesses, as an expression over its
// values: an element of so many bytes at an address, or a number of such elements, a stride apart:
//
//   p->x          (8 bytes at %p + 16)
//   a[0..n]       (4 bytes at %a, 4 apart, %n times)
//
// Values are in SSA form: nobody changes them, so that a path means the same memory for as long as
// its values live, which is until the loop that computes them begins its next iteration.
//
// A check of one path covers that of another if it is for all of its bytes and at least as strong:
// a check for a write covers a read, never the reverse.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_PLACEMENT_PATHS_H
#define PHOTOFINISH_PLACEMENT_PATHS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"

#include <map>
#include <tuple>
#include <vector>

namespace photofinish {

struct Path {
  const llvm::SCEV *Start; // the address of the first element
  uint64_t Bytes;          // of an element
  bool Write;
  const llvm::SCEV *Stride = nullptr; // in bytes, signed; null if there is one element
  const llvm::SCEV *Count = nullptr;

  bool isRange() const { return Stride != nullptr; }
};

/// Which expressions can be computed where. All but a division are harmless; one that the program
/// has made by then is, too.
class Computability {
public:
  Computability(llvm::Function &F, llvm::DominatorTree &DT, llvm::ScalarEvolution &SE);

  /// At At, and wherever At has been executed before.
  bool canCompute(const llvm::SCEV *S, const llvm::Instruction &At) const;

private:
  llvm::DominatorTree &DT;
  llvm::DenseMap<const llvm::SCEV *, llvm::SmallVector<const llvm::Instruction *, 1>> Divisions;
};

class PathTable {
public:
  explicit PathTable(llvm::ScalarEvolution &SE) : SE(SE) {}

  using Number = unsigned;

  Number intern(const Path &P);

  const Path &operator[](Number N) const { return Paths[N]; }
  Number size() const { return Number(Paths.size()); }

  /// Whether it means other memory in another iteration of L.
  bool varies(Number N, const llvm::Loop &L) const;

  /// The instructions that compute its values, and the loops whose iteration it depends on.
  struct Origins {
    llvm::SmallVector<const llvm::Instruction *, 4> Instructions;
    llvm::SmallVector<const llvm::Loop *, 2> Loops;
  };
  Origins origins(Number N) const;

  /// When all paths are known: finds which covers which.
  void relate();
  /// The paths that a check of this one covers, and those that cover it; itself is not among them.
  llvm::ArrayRef<Number> covered(Number N) const { return Covered[N]; }
  llvm::ArrayRef<Number> covering(Number N) const { return Covering[N]; }
  /// The paths of the same base, itself among them.
  llvm::ArrayRef<Number> neighbours(Number N) const { return Groups[GroupOf[N]]; }

private:
  /// An address as another and a constant.
  std::pair<const llvm::SCEV *, int64_t> split(const llvm::SCEV *Address) const;

  llvm::ScalarEvolution &SE;
  std::vector<Path> Paths;
  std::map<std::tuple<const llvm::SCEV *, uint64_t, bool, const llvm::SCEV *, const llvm::SCEV *>,
           Number>
      Numbers;
  std::vector<llvm::SmallVector<Number, 2>> Covered;
  std::vector<llvm::SmallVector<Number, 2>> Covering;
  std::vector<unsigned> GroupOf;
  std::vector<llvm::SmallVector<Number, 4>> Groups;
};

} // namespace photofinish

#endif // PHOTOFINISH_PLACEMENT_PATHS_H
