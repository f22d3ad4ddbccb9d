//===- frames.h - Calling contexts ------------------------------------------===//
//
// A report shows the stack of both accesses, so the runtime has to know at any time which
// calls are active. Functions keep that in the thread's stack of frames (abi.h):
//
//   entry    saved = __pf_thread.stack_top
//            __pf_thread.stack_top = saved + 1
//            saved->return_address = return address, saved->context = 0
//   return   __pf_thread.stack_top = saved
//   landing  __pf_thread.stack_top = saved + 1
//
// where a landing is a landing pad, or a call that returns twice: whatever was active above
// has been left without a word. The stack grows before the new frame is written, and both
// are volatile, so that a signal handler that runs in between uses the frame above.
//
// A function that calls nothing but the runtime, and that only where inlined tests fail, has its
// frame around each of these calls instead: while its tests succeed, it pays for none. Where such
// calls are many, or may be made again and again, one frame is cheaper, because it keeps the
// context that the runtime has made of it.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_PLACEMENT_FRAMES_H
#define PHOTOFINISH_PLACEMENT_FRAMES_H

#include "placement/contract.h"
#include "llvm/Analysis/LoopInfo.h"

namespace photofinish {

/// IsLeaf: it calls nothing that a report might show above it.
void addFrame(llvm::Function &F, Contract &C, const llvm::LoopInfo &Loops, bool IsLeaf);

} // namespace photofinish

#endif // PHOTOFINISH_PLACEMENT_FRAMES_H
