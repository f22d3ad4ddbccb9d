//===- inlined_test.h - Has the thread noted an access? ------------------------===//
//
// The test of abi.h, as code: an i1 that is true only if the thread has made the same accesses
// since it last synchronized.
//
//   entry = page of p % PF_NOTED_ENTRIES
//   __pf_thread.noted->pages[entry].number == page of p &&
//       bytes of p are all among those written there
//
// A group asks the same of the page of its last byte, and for more bits.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_PLACEMENT_INLINED_TEST_H
#define PHOTOFINISH_PLACEMENT_INLINED_TEST_H

#include "placement/contract.h"
#include "placement/sites.h"

namespace photofinish {

/// Of an access to 1, 2, 4 or 8 bytes of a granule.
llvm::Value *testAccess(llvm::IRBuilderBase &B, Contract &C, llvm::Value *Pointer, uint64_t Bytes,
                        bool Write);

/// Of the accesses of a group at Pointer, which is so aligned: a granule's address, if it has whole
/// ones.
llvm::Value *testGroup(llvm::IRBuilderBase &B, Contract &C, llvm::Value *Pointer,
                       const GroupBits &Wanted, llvm::Align Alignment);

} // namespace photofinish

#endif // PHOTOFINISH_PLACEMENT_INLINED_TEST_H
