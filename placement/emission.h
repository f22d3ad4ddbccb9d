//===- emission.h - Checks as code ------------------------------------------===//
//
// Turns accesses into calls of the runtime. A check comes immediately before the
// instruction whose access it is about; an atomic operation stays where it is, between
// a call that begins it and one that ends it.
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
#include "placement/sites.h"

namespace photofinish {

class Emitter {
public:
  Emitter(Contract &C, SiteTable &Sites, bool InlineChecks)
      : C(C), Sites(Sites), InlineChecks(InlineChecks) {}

  void emit(const FunctionAccesses &Found);

private:
  void emitAccess(const Access &A);
  void emitLanes(const Access &A);
  void emitMemoryOperation(const MemoryOperation &M);
  void emitAtomic(const AtomicOperation &A);
  void emitFence(const Fence &F);

  /// At: whose site it is. Bytes: how many at Pointer.
  void check(llvm::IRBuilderBase &B, llvm::Instruction &At, llvm::Value *Pointer, uint64_t Bytes,
             bool Write, llvm::Align Alignment);
  void checkRange(llvm::IRBuilderBase &B, llvm::Instruction &At, llvm::Value *Pointer,
                  llvm::Value *Bytes, bool Write);
  /// Moves B to where the call belongs that is needed if the inlined test fails.
  void inlineTest(llvm::IRBuilderBase &B, llvm::Value *Pointer, uint64_t Bytes, bool Write);

  Contract &C;
  SiteTable &Sites;
  bool InlineChecks;
};

} // namespace photofinish

#endif // PHOTOFINISH_PLACEMENT_EMISSION_H
