//===- speculation.h - No reads that the program does not make ---------------===//
//
// To the optimizer a read is free: `c ? a : b` becomes two reads and a selection when both
// can be read without a fault, and a loop that may read or write a global reads it in
// advance. To a race detector these are accesses, and another thread's write would be
// reported although the program, as it is written, never looks there.
//
// `sanitize_thread` keeps LLVM 19 from most such reads (llvm::mustSuppressSpeculation), but not
// from these; LLVM 20 knows of the first:
//
//   InstCombine, SROA    a load through a selected pointer: hidden from them by making it volatile
//                        while they run
//   LICM                 promotion of memory to registers: switched off
//   ArgumentPromotion    loads an argument in the caller: not run
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_PLACEMENT_SPECULATION_H
#define PHOTOFINISH_PLACEMENT_SPECULATION_H

#include "llvm/IR/PassInstrumentation.h"

namespace photofinish {

/// From now on, in every pipeline of the process that reports to Callbacks.
void suppressSpeculation(llvm::PassInstrumentationCallbacks &Callbacks);

} // namespace photofinish

#endif // PHOTOFINISH_PLACEMENT_SPECULATION_H
