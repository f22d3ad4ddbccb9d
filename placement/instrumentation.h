//===- instrumentation.h - The module pass ----------------------------------===//
//
// Instruments every function of a module that has not opted out:
//
//   no_sanitize("thread")                clang leaves out `sanitize_thread`: no checks of plain
//                                        accesses, but synchronization is seen and stacks are kept
//   disable_sanitizer_instrumentation    the function is left as it is
//
// and leaves a table of sites, with a constructor and destructor that announce it.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_PLACEMENT_INSTRUMENTATION_H
#define PHOTOFINISH_PLACEMENT_INSTRUMENTATION_H

#include "llvm/IR/PassManager.h"

namespace photofinish {

class InstrumentationPass : public llvm::PassInfoMixin<InstrumentationPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &);

  static bool isRequired() { return true; }
};

} // namespace photofinish

#endif // PHOTOFINISH_PLACEMENT_INSTRUMENTATION_H
