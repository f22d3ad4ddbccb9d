//===- emission.h - Checks as code ------------------------------------------===//
//
// Turns accesses into calls of the runtime. A check comes where it has been placed or, if nobody
// has, immediately before the instruction whose access it is about; an atomic operation stays where
// it is, between a call that begins it and one that ends it.
//
// A check is either a call or, with inlined checks, first the test (inlined_test.h) whether this
// thread has done the same since it last synchronized, and a call only if it has not:
//
//   if (!noted(p))
//     __pf_first_write4(p, site)
//
// A test is many times the code of a call, and takes as many times as long to compile. So where a
// module has many accesses, those alone have one that are in small functions, or are made again and
// again: in innermost loops, unless these are many, too.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_PLACEMENT_EMISSION_H
#define PHOTOFINISH_PLACEMENT_EMISSION_H

#include "placement/accesses.h"
#include "placement/contract.h"
#include "placement/lowering.h"
#include "placement/sites.h"

namespace photofinish {

class Emitter {
public:
  /// Verifies: checks that are placed say so, and their accesses are announced (abi.h).
  Emitter(Contract &C, SiteTable &Sites, const llvm::Module &M, bool InlineChecks, bool Verifies);

  /// Before anything is emitted into a function that makes these plain accesses. Loops are kept up
  /// to date.
  void begin(llvm::Function &F, llvm::LoopInfo &Loops, llvm::ArrayRef<Access> Accesses);
  void emit(const FunctionAccesses &Found);
  /// Checks that go to one place and are of neighbouring bytes become one.
  void emit(llvm::ArrayRef<LoweredCheck> Checks);
  /// That the access of a check elsewhere is made, if anyone wants to know.
  void announce(const Access &A);
  /// How many checks have become part of another.
  uint64_t numJoined() const { return Joined; }

private:
  void emit(const LoweredCheck &Check);
  void emitGroups(llvm::ArrayRef<LoweredCheck> OfOnePlace);
  void emitAccess(const Access &A);
  void emitLanes(const Access &A);
  void emitMemoryOperation(const MemoryOperation &M);
  void emitAtomic(const AtomicOperation &A);
  void emitFence(const Fence &F);

  /// At: whose site it is. Bytes: how many at Pointer.
  void check(llvm::IRBuilderBase &B, llvm::Instruction &At, llvm::Value *Pointer, uint64_t Bytes,
             bool Write, llvm::Align Alignment, unsigned MoreFlags = 0);
  void checkRange(llvm::IRBuilderBase &B, llvm::Value *Pointer, llvm::Value *Bytes, bool Write,
                  llvm::Value *Site);
  /// Of a strided check at Pointer, or at one that is a multiple of Period away.
  llvm::Value *siteOf(llvm::IRBuilderBase &B, const LoweredCheck &L, llvm::Value *Pointer,
                      uint64_t Period);
  llvm::Constant *siteOf(llvm::Instruction &At, llvm::Value *Bytes, bool Write);
  /// Is a check that goes into a block worth an inlined test?
  bool isTestedIn(const llvm::BasicBlock &Block) const;
  /// Moves B to where the call belongs that is needed if an inlined test has said no.
  void callUnless(llvm::IRBuilderBase &B, llvm::Value *Again);

  Contract &C;
  SiteTable &Sites;
  bool InlineChecks;
  bool IsLarge; ///< the module
  unsigned PlacedFlag;
  llvm::LoopInfo *Loops = nullptr; ///< of the function
  enum { Everywhere, InInnermostLoops, Nowhere } Tested = Nowhere;
  uint64_t Joined = 0;
};

} // namespace photofinish

#endif // PHOTOFINISH_PLACEMENT_EMISSION_H
