//===- plugin.cpp - Where the passes go in clang's pipeline ------------------===//
//
// A plugin for clang-19 (-fpass-plugin) and opt (--load-pass-plugin). Clang runs with
// -fsanitize=thread, which marks the functions to instrument and keeps the optimizer from
// inventing accesses in them; but the instrumentation is Photofinish's, so that of clang's own
// passes nothing may remain.
//
// The instrumentation's place:
//
//   -O1 and up  when the module has been simplified, before loops are vectorized
//               (OptimizerEarly)
//   -O0         at the end (OptimizerLast): coroutines are split just before
//
// Link-time optimization has the same places in the pipeline of the compiler, and nothing is left
// to do for the linker.
//
//===----------------------------------------------------------------------===//

#include "placement/instrumentation.h"
#include "placement/speculation.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"

using namespace llvm;
using namespace photofinish;

namespace {

constexpr StringLiteral TsanConstructor = "tsan.module_ctor";
constexpr StringLiteral TsanInit = "__tsan_init";

/// Comes before clang's ModuleThreadSanitizerPass, which adds a constructor to the module unless
/// it finds one of that name.
class DisarmTsanPass : public PassInfoMixin<DisarmTsanPass> {
public:
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    M.getOrInsertFunction(TsanConstructor, Type::getVoidTy(M.getContext()));
    return PreservedAnalyses::all();
  }

  static bool isRequired() { return true; }
};

/// After clang's pass: nothing uses the two declarations, but the symbol table of a bitcode
/// file would ask the linker for them.
void removeTsanDeclarations(StringRef Pass, Any IR, const PreservedAnalyses &) {
  if (Pass != "ModuleThreadSanitizerPass")
    return;
  const auto *const *M = any_cast<const Module *>(&IR);
  if (!M)
    return;
  for (StringRef Name : {TsanConstructor, TsanInit})
    if (Function *F = const_cast<Module *>(*M)->getFunction(Name);
        F && F->isDeclaration() && F->use_empty())
      F->eraseFromParent();
}

void registerPasses(PassBuilder &PB) {
  PB.registerOptimizerEarlyEPCallback([](ModulePassManager &MPM, OptimizationLevel Level) {
    if (Level != OptimizationLevel::O0)
      MPM.addPass(InstrumentationPass());
  });
  PB.registerOptimizerLastEPCallback([](ModulePassManager &MPM, OptimizationLevel Level) {
    if (Level == OptimizationLevel::O0)
      MPM.addPass(InstrumentationPass());
    MPM.addPass(DisarmTsanPass());
  });
  PB.registerPipelineParsingCallback(
      [](StringRef Name, ModulePassManager &MPM, ArrayRef<PassBuilder::PipelineElement>) {
        if (Name != "photofinish")
          return false;
        MPM.addPass(InstrumentationPass());
        return true;
      });
  if (PassInstrumentationCallbacks *Callbacks = PB.getPassInstrumentationCallbacks()) {
    suppressSpeculation(*Callbacks);
    Callbacks->registerAfterPassCallback(removeTsanDeclarations);
  }
}

} // namespace

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "photofinish", PHOTOFINISH_VERSION, registerPasses};
}
