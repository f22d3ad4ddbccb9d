//===- emission.h - Checks as code ------------------------------------------===//
//
// Turns accesses into calls of the runtime. A check comes where it has been placed or, if nobody
// has, immediately before the instruction whose access it is about; an atomic operation stays where
// it is, between a call that begins it and one that ends it.
//
// A check is either a call or, with inlined checks, first the test of abi.h whether this
// thread has done the same since it last synchronized, and a call only if it has not:
//
//   entry = page of p % PF_NOTED_ENTRIES
//   if (__pf_thread.noted->pages[entry].number != page of p ||
//       bytes of p are not all among those written there)
//     __pf_write4(p, site)
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
  Emitter(Contract &C, SiteTable &Sites, bool InlineChecks, bool Verifies)
      : C(C), Sites(Sites), InlineChecks(InlineChecks), PlacedFlag(Verifies ? PF_SITE_CHECK : 0) {}

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
                  llvm::Constant *Site);
  llvm::Constant *siteOf(llvm::Instruction &At, llvm::Value *Bytes, bool Write);
  /// Moves B to where the call belongs that is needed if the inlined test fails.
  void inlineTest(llvm::IRBuilderBase &B, llvm::Value *Pointer, uint64_t Bytes, bool Write);

  Contract &C;
  SiteTable &Sites;
  bool InlineChecks;
  unsigned PlacedFlag;
  uint64_t Joined = 0;
};

} // namespace photofinish

#endif // PHOTOFINISH_PLACEMENT_EMISSION_H
