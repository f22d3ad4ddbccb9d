//===- speculation.cpp - No reads that the program does not make -------------===//

#include "placement/speculation.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Support/CommandLine.h"

#include <memory>

using namespace llvm;

namespace photofinish {

namespace {

bool isThroughChosenPointer(const LoadInst &Load) {
  // Looks through offsets, and stops at selections and merges.
  const Value *Base = getUnderlyingObject(Load.getPointerOperand(), /*MaxLookup=*/0);
  return isa<SelectInst>(Base) || isa<PHINode>(Base);
}

/// Makes loads volatile for as long as a pass runs.
class HiddenLoads {
public:
  void hide(StringRef Pass, Any IR) {
    F = nullptr;
    Hidden.clear();
    if (Pass != "InstCombinePass" && Pass != "SROAPass")
      return;
    const auto *const *Unit = any_cast<const Function *>(&IR);
    if (!Unit || !(*Unit)->hasFnAttribute(Attribute::SanitizeThread))
      return;
    // Passes own what they run on; callbacks see it as constant.
    F = const_cast<Function *>(*Unit);
    HasVolatileLoads = false;
    for (Instruction &I : instructions(*F)) {
      auto *Load = dyn_cast<LoadInst>(&I);
      if (!Load)
        continue;
      HasVolatileLoads |= Load->isVolatile();
      if (Load->isSimple() && isThroughChosenPointer(*Load))
        Hidden.emplace_back(Load);
    }
    for (const WeakVH &Load : Hidden)
      cast<LoadInst>(Load)->setVolatile(true);
  }

  void reveal() {
    if (!F || Hidden.empty())
      return;
    for (const WeakVH &Handle : Hidden)
      if (Value *Load = Handle)
        cast<LoadInst>(Load)->setVolatile(false);
    // The pass may have replaced some by others; unless the program has volatile loads, all that
    // there are come from here. Otherwise a few may stay, which only costs speed.
    if (!HasVolatileLoads)
      for (Instruction &I : instructions(*F))
        if (auto *Load = dyn_cast<LoadInst>(&I))
          Load->setVolatile(false);
    Hidden.clear();
  }

private:
  // Of the pass that runs: no other runs inside those that loads are hidden from.
  Function *F = nullptr;
  bool HasVolatileLoads = false;
  std::vector<WeakVH> Hidden;
};

void switchOn(StringRef OptionName) {
  auto &Options = cl::getRegisteredOptions();
  if (auto Option = Options.find(OptionName); Option != Options.end())
    static_cast<cl::opt<bool> *>(Option->second)->setValue(true);
}

} // namespace

void suppressSpeculation(PassInstrumentationCallbacks &Callbacks) {
  switchOn("disable-licm-promotion");
  Callbacks.registerShouldRunOptionalPassCallback(
      [](StringRef Pass, Any) { return Pass != "ArgumentPromotionPass"; });

  auto Loads = std::make_shared<HiddenLoads>();
  Callbacks.registerBeforeNonSkippedPassCallback(
      [Loads](StringRef Pass, Any IR) { Loads->hide(Pass, std::move(IR)); });
  Callbacks.registerAfterPassCallback(
      [Loads](StringRef, Any, const PreservedAnalyses &) { Loads->reveal(); });
}

} // namespace photofinish
