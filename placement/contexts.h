//===- contexts.h - Where checks go ------------------------------------------===//
//
// BigFoot's analysis (bigfoot.txt, sections 2 and 3) on the control flow graph of one function.
// Each program point has a context H . A:
//
//   H, forward    of each path, whether it has been checked with no release since, or accessed,
//   with
//                 a check still to come and neither acquire nor release since; for a path that
//                 varies in a loop, also whether that is so of all its earlier iterations
//   A, backward   the paths that will be accessed, whatever happens, with no acquire before
//
// A check is deferred for as long as it stays legitimate, covering and certain to be reached. It
// comes
//
//   before an acquire, and before whatever may free memory or never come back    [ACQ], [CALL]
//   before a release, unless the path is anticipated behind it                   [REL]
//   at the end of a branch whose sibling did not make the access, likewise       [IF]
//   at the end of an iteration, unless all iterations make it: then behind
//   the loop, as one range; or as several, if they read the pointer anew,
//   and it has become another one                                                [LOOP]
//   before the function returns                                                  [STMT]
//
// Nor is a check deferred past what may crash the program (faults.h), or past an iteration of a
// loop that is not known to end. A pointer that is read is checked with the read. If such a check
// is the same in all iterations, and anticipated where they begin, it comes before the loop: a
// check that precedes its access is legitimate, too. The exception is a loop that is left with
// ranges: what it has accessed when it crashes is not checked.
//
// An access needs none if its path is checked already. What is merged keeps its site: two branches
// that access a path at different places check it each for itself, so that a report never names a
// line that was not executed.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_PLACEMENT_CONTEXTS_H
#define PHOTOFINISH_PLACEMENT_CONTEXTS_H

#include "placement/accesses.h"
#include "placement/effects.h"
#include "placement/paths.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Dominators.h"

#include <optional>
#include <vector>

namespace photofinish {

enum class PlacementMode : uint8_t { Access, RedCard, BigFoot };

/// A check that is to be: where, of which path, and for which access.
struct PlannedCheck {
  llvm::Instruction *Before = nullptr; // or else on an edge:
  llvm::BasicBlock *From = nullptr;
  llvm::BasicBlock *To = nullptr;

  Path What;
  const Access *Origin;
  /// The elements are those of the iterations of this loop so far, with or without the current one:
  /// What is one iteration's share.
  const llvm::Loop *Counted = nullptr;
  bool WithCurrent = false;
  /// Where that loop reads its pointer in each iteration, at this address, by these loads: the
  /// elements are those since it was last another one. What.Start is the distance from it.
  const llvm::SCEV *Reread = nullptr;
  llvm::SmallVector<llvm::LoadInst *, 1> Bases = {};

  /// Where an element is made of several accesses' bytes (interleaving.h): whose they are.
  struct Part {
    unsigned Offset;
    unsigned Bytes;
    const Access *Origin;
  };
  llvm::SmallVector<Part, 0> Parts = {};
};

class Contexts {
public:
  Contexts(llvm::Function &F, PlacementMode Mode, const ModuleEffects &Effects,
           llvm::DominatorTree &DT, llvm::LoopInfo &LI, llvm::ScalarEvolution &SE,
           const llvm::BlockFrequencyInfo &Frequencies)
      : F(F), Mode(Mode), TheEffects(Effects), DT(DT), LI(LI), SE(SE), Frequencies(Frequencies),
        Computable(F, DT, SE), Paths(SE) {}

  /// The checks that the accesses need; nothing if the function is beyond what can be analysed. The
  /// accesses that have no path are left to be checked where they are: Rest.
  std::optional<std::vector<PlannedCheck>>
  place(const std::vector<Access> &Accesses, std::vector<Access> &Rest, PlacementCounts &Counts);

private:
  using PathNumber = PathTable::Number;

  /// What H says of a path: nothing, that it is checked, or that the check for an access is
  /// pending. They are ordered, None < each Pending < Checked; two pendings of different accesses
  /// are not.
  class Status {
  public:
    constexpr Status() = default;
    static constexpr Status none() { return Status(0); }
    static constexpr Status checked() { return Status(1); }
    static constexpr Status pending(unsigned Access) { return Status(Access + 2); }

    bool isNone() const { return Code == 0; }
    bool isChecked() const { return Code == 1; }
    bool isPending() const { return Code >= 2; }
    unsigned access() const { return Code - 2; }
    bool operator==(const Status &) const = default;

    static Status meet(Status A, Status B) {
      if (A == B || B.isChecked())
        return A;
      return A.isChecked() ? B : none();
    }

  private:
    constexpr explicit Status(unsigned Code) : Code(Code) {}
    unsigned Code = 0;
  };
  using History = std::vector<Status>;

  /// An instruction that matters: an access with a path, or something with effects.
  struct Event {
    llvm::Instruction *At;
    unsigned Access = 0;
    PathNumber ItsPath = 0;
    bool IsAccess = false;
    bool CannotWait = false;
    bool MayFault = false; // faults.h
    Effects ItsEffects = {};
    llvm::BitVector AnticipatedAfter = {}; // where it is asked for
  };
  struct Block {
    llvm::BasicBlock *Its = nullptr;
    std::vector<Event> Events;
    History In, Out;
    bool IsReached = false;
    llvm::BitVector AnticipatedIn;
  };

  /// A path that would have a range, if only a pointer that is read in each iteration were the
  /// same in all of them. Chances are that it is, and who knows is the program, when it runs.
  struct Reread {
    llvm::LoadInst *Base;
    const llvm::SCEV *At;
    const llvm::SCEVAddRecExpr *Distance;
  };

  /// How a path that varies in a loop leaves it by one of its exits: as that many elements.
  struct Closing {
    PathNumber Inside;
    llvm::BasicBlock *From;
    llvm::BasicBlock *To;
    bool WithCurrent; // the iteration that leaves has made the access, too
    std::optional<PathNumber> Outside;
  };

  // Preparation.
  bool isWithinReach() const;
  bool pathOf(const Access &A, Path &P) const;
  void findEvents();
  void findLoops();
  void findHaste();
  std::optional<Path> closed(const Path &P, const llvm::Loop &L,
                             const llvm::SCEV *Iterations) const;
  std::optional<Reread> reread(PathTable::Number N, const llvm::Loop &L) const;
  bool isQuiet(const llvm::Loop &L) const;
  bool hasFewChecks(const llvm::Loop &L, unsigned EachTime) const;
  unsigned countInterleaved(PathTable::Number N, const llvm::Loop &L) const;
  bool canBeClosedAgain(const Path &Once, const llvm::Loop &L) const;
  void closeOver(llvm::Loop &L);

  // The rules.
  template <class Emit> void ruleAccess(History &H, const Event &E, Emit &&Check) const;
  template <class Emit> void checkPending(History &H, Emit &&Check) const;
  template <class Emit> void ruleRelease(History &H, const Event &E, Emit &&Check) const;
  template <class Emit> void follow(History &H, const Block &B, Emit &&Check) const;
  History across(const Block &From, const llvm::BasicBlock &To) const;
  Status closing(const Block &From, const Closing &C) const;
  template <class Emit>
  void ruleEdge(const Block &From, const llvm::BasicBlock &To, Emit &&Check) const;

  void setChecked(History &H, PathNumber P) const;

  // The data flow.
  void anticipate();
  void checkBeforeLoops();
  void anticipateThrough(Block &B, llvm::BitVector &A, bool Keep);
  void flowForward();
  void plan(std::vector<PlannedCheck> &Checks);
  void planEdges(const Block &B, std::vector<PlannedCheck> &Checks);

  const Block &blockOf(const llvm::BasicBlock &B) const { return Blocks[Numbers.lookup(&B)]; }
  bool isFiniteLoop(const llvm::Loop &L) const { return Finite.lookup(&L); }
  bool checksAllOn(const llvm::BasicBlock &From, const llvm::BasicBlock &To) const;

  llvm::Function &F;
  PlacementMode Mode;
  const ModuleEffects &TheEffects;
  llvm::DominatorTree &DT;
  llvm::LoopInfo &LI;
  llvm::ScalarEvolution &SE;
  const llvm::BlockFrequencyInfo &Frequencies;
  Computability Computable;

  const std::vector<Access> *Accesses = nullptr;
  std::vector<std::optional<PathNumber>> PathOfAccess;
  PathTable Paths;
  std::vector<Block> Blocks; // in reverse post order
  llvm::DenseMap<const llvm::BasicBlock *, unsigned> Numbers;
  llvm::DenseMap<const llvm::Loop *, bool> Finite;
  /// Paths whose anticipation ends where one of their values is computed, or an iteration begins.
  llvm::DenseMap<const llvm::Instruction *, llvm::SmallVector<PathNumber, 2>> EndsAt;
  llvm::DenseMap<const llvm::BasicBlock *, llvm::SmallVector<PathNumber, 4>> EndsAbove;

  /// The loop that a path can be closed over, and what is known of its earlier iterations.
  std::vector<const llvm::Loop *> ClosedOver;
  History Earlier;
  llvm::DenseMap<PathNumber, Reread> Rereads; // those that are closed over a loop so
  /// Loops before which all that is pending is checked: those that are left with ranges, and may
  /// crash before; and those in which something checks what is pending, again and again.
  llvm::SmallPtrSet<const llvm::Loop *, 4> Hasty;
  llvm::DenseMap<const llvm::Loop *, llvm::BitVector> VaryingIn;
  /// The paths that are checked before a loop begins; by its header.
  llvm::DenseMap<const llvm::BasicBlock *, llvm::BitVector> CheckedBefore;
  std::vector<unsigned> AccessOf; // by path, of those
  llvm::DenseMap<std::pair<const llvm::BasicBlock *, const llvm::BasicBlock *>,
                 llvm::SmallVector<Closing, 4>>
      Closings;
};

} // namespace photofinish

#endif // PHOTOFINISH_PLACEMENT_CONTEXTS_H
