//===- instrumentation.cpp - The module pass --------------------------------===//

#include "placement/instrumentation.h"

#include "placement/accesses.h"
#include "placement/contexts.h"
#include "placement/contract.h"
#include "placement/effects.h"
#include "placement/emission.h"
#include "placement/frames.h"
#include "placement/interleaving.h"
#include "placement/lowering.h"
#include "placement/sites.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/GlobalIFunc.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace photofinish {

namespace {

cl::opt<cl::boolOrDefault>
    InlineChecks("photofinish-inline-checks",
                 cl::desc("Test inline whether a check is needed before it is called; by default "
                          "where checks are placed for shadow memory that knows (bigfoot)"));
cl::opt<PlacementMode> Placement(
    "photofinish-placement", cl::desc("Where checks go"), cl::init(PlacementMode::Access),
    cl::values(clEnumValN(PlacementMode::Access, "access", "before every access"),
               clEnumValN(PlacementMode::RedCard, "redcard",
                          "before every access that no other check covers"),
               clEnumValN(PlacementMode::BigFoot, "bigfoot",
                          "where one covers as many accesses as can be, behind loops as ranges")));
cl::opt<bool>
    Verify("photofinish-verify", cl::init(false),
           cl::desc("Announce accesses whose checks are elsewhere, so that a recorded run "
                    "shows whether checks are where they should be"));
cl::opt<bool>
    PrintStatistics("photofinish-stats", cl::init(false),
                    cl::desc("Print what became of each function's and module's accesses"));

/// Set on a module that is done. A pipeline that meets it again, such as the second half of
/// a ThinLTO compilation, leaves it alone.
constexpr StringLiteral DoneFlag = "photofinish.instrumented";

/// Before constructors of the program's own.
constexpr int ConstructorPriority = 1;

bool mayBeInstrumented(const Function &F) {
  return !F.isDeclaration() && !F.hasFnAttribute(Attribute::Naked) &&
         !F.hasFnAttribute(Attribute::DisableSanitizerInstrumentation);
}

/// Run by the dynamic linker before thread-local memory exists.
SmallPtrSet<const Function *, 4> ifuncResolvers(const Module &M) {
  SmallPtrSet<const Function *, 4> Resolvers;
  for (const GlobalIFunc &I : M.ifuncs())
    Resolvers.insert(I.getResolverFunction());
  return Resolvers;
}

Function *announce(Module &M, Contract &C, SiteTable &Sites, StringRef Name, Entry E) {
  auto *F = Function::createWithDefaultAttr(
      FunctionType::get(Type::getVoidTy(M.getContext()), false), GlobalValue::InternalLinkage,
      M.getDataLayout().getProgramAddressSpace(), Name, &M);
  F->addFnAttr(Attribute::NoUnwind);
  F->addFnAttr(Attribute::DisableSanitizerInstrumentation);
  IRBuilder<> B(BasicBlock::Create(M.getContext(), "", F));
  C.call(B, E, {Sites.first(), Sites.end()});
  B.CreateRetVoid();
  return F;
}

/// What is a call to a library function now shall be one in the end, for the runtime to see: code
/// generation would replace some (memcmp, strlen) by loads that nobody checks. Not so sqrt, which
/// it has an instruction for.
void keepLibraryCalls(Function &F, const TargetLibraryInfo &Libraries) {
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallInst>(&I); Call && !isArithmetic(*Call, Libraries))
      maybeMarkSanitizerLibraryCallNoBuiltin(Call, &Libraries);
}

/// Emits the checks that need not stay with their accesses, and leaves only the others in Found.
void emitPlaced(Function &F, FunctionAccesses &Found, Emitter &E, const ModuleEffects &TheEffects,
                FunctionAnalysisManager &Analyses, Statistics &Stats) {
  auto &DT = Analyses.getResult<DominatorTreeAnalysis>(F);
  auto &LI = Analyses.getResult<LoopAnalysis>(F);
  auto &SE = Analyses.getResult<ScalarEvolutionAnalysis>(F);
  auto &Frequencies = Analyses.getResult<BlockFrequencyAnalysis>(F);
  std::vector<Access> Rest;
  auto Planned = Contexts(F, Placement, TheEffects, DT, LI, SE, Frequencies)
                     .place(Found.Plain, Rest, Stats.Placed);
  if (!Planned)
    return;
  if (Placement == PlacementMode::BigFoot)
    interleave(*Planned, SE);
  E.emit(lower(*Planned, F, DT, LI, SE));
  if (Verify)
    for (const Access &A : Found.Plain)
      if (none_of(Rest, [&](const Access &Other) { return Other.At == A.At; }))
        E.announce(A);
  Found.Plain = std::move(Rest);
}

/// What became of the plain accesses of one function: `Before` and `Now` are counts of the module.
void print(const Function &F, size_t Accesses, size_t InPlace, uint64_t Joined,
           const PlacementCounts &Before, const PlacementCounts &Now) {
  uint64_t Checks = Now.Checks - Before.Checks - Joined + InPlace;
  errs() << "photofinish: " << F.getParent()->getSourceFileName() << ": " << demangle(F.getName())
         << ": " << Accesses << " plain accesses, " << Checks << " checks ("
         << format("%.2f", double(Checks) / double(Accesses))
         << "): " << Now.Removed - Before.Removed << " removed, "
         << Now.OutOfLoops - Before.OutOfLoops << " moved out of loops, " << Joined << " joined"
         << (Now.TooLarge != Before.TooLarge ? "; too large to analyse\n" : "\n");
}

/// True if F has been changed.
bool instrument(Function &F, Contract &C, Emitter &E, const ModuleEffects *TheEffects,
                FunctionAnalysisManager &Analyses, Statistics &Stats) {
  auto &Libraries = Analyses.getResult<TargetLibraryAnalysis>(F);
  FunctionAccesses Found =
      findAccesses(F, Libraries, /*PlainToo=*/F.hasFnAttribute(Attribute::SanitizeThread), Stats);
  if (Found.empty() && !Found.HasCalls)
    return false;
  keepLibraryCalls(F, Libraries);
  size_t NumPlain = Found.Plain.size();
  PlacementCounts Before = Stats.Placed;
  uint64_t JoinedBefore = E.numJoined();
  E.begin(F, Analyses.getResult<LoopAnalysis>(F), Found.Plain);
  if (TheEffects)
    emitPlaced(F, Found, E, *TheEffects, Analyses, Stats);
  if (PrintStatistics && NumPlain)
    print(F, NumPlain, Found.Plain.size(), E.numJoined() - JoinedBefore, Before, Stats.Placed);
  E.emit(Found);
  addFrame(F, C, Analyses.getResult<LoopAnalysis>(F), /*IsLeaf=*/!Found.HasCalls);
  // No longer true of it: frames and checks write, and a check may end the program.
  for (Attribute::AttrKind Kind : {Attribute::Memory, Attribute::NoSync, Attribute::WillReturn})
    F.removeFnAttr(Kind);
  // A frame belongs to a call instruction: when the function is inlined by link-time
  // optimization, its return address would be its caller's.
  F.removeFnAttr(Attribute::AlwaysInline);
  F.removeFnAttr(Attribute::InlineHint);
  F.addFnAttr(Attribute::NoInline);
  return true;
}

void print(const Module &M, const Statistics &S, size_t Sites, uint64_t Joined) {
  errs() << "photofinish: " << M.getSourceFileName() << ": " << S.Plain << " plain accesses, "
         << S.Memory << " memory operations, " << S.Atomics << " atomic operations, " << S.Fences
         << " fences; " << Sites << " sites; without a check: " << S.PrivateSkipped
         << " on locals, " << S.ConstantSkipped << " on constants, " << S.ForeignSkipped
         << " foreign, " << S.NotUnderstood << " not understood\n";
  if (Placement == PlacementMode::Access)
    return;
  const PlacementCounts &P = S.Placed;
  errs() << "photofinish: " << M.getSourceFileName() << ": of " << P.Accesses
         << " accesses with a path, " << P.Removed << " without a check of their own; " << P.Checks
         << " checks, " << P.OutOfLoops << " of them for all iterations of a loop, " << Joined
         << " joined with others; " << P.TooLarge << " functions too large to analyse\n";
}

} // namespace

PreservedAnalyses InstrumentationPass::run(Module &M, ModuleAnalysisManager &Analyses) {
  if (M.getModuleFlag(DoneFlag))
    return PreservedAnalyses::all();
  M.addModuleFlag(Module::Max, DoneFlag, 1);

  auto &Functions = Analyses.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  Contract C(M);
  SiteTable Sites(M);
  bool IsInlined = InlineChecks == cl::BOU_UNSET ? Placement == PlacementMode::BigFoot
                                                 : InlineChecks == cl::BOU_TRUE;
  Emitter E(C, Sites, M, IsInlined, Verify);
  Statistics Stats;
  SmallPtrSet<const Function *, 4> Resolvers = ifuncResolvers(M);
  std::optional<ModuleEffects> TheEffects;
  if (Placement != PlacementMode::Access)
    TheEffects.emplace(M, Functions);
  SmallVector<Function *> Candidates;
  for (Function &F : M)
    if (mayBeInstrumented(F))
      Candidates.push_back(&F);
  bool Changed = false;
  for (Function *F : Candidates) {
    if (!Resolvers.contains(F))
      Changed |= instrument(*F, C, E, TheEffects ? &*TheEffects : nullptr, Functions, Stats);
    // Clang's own pass, which -fsanitize=thread brings along, shall leave the function alone;
    // and whoever optimizes it from now on need not be careful.
    F->removeFnAttr(Attribute::SanitizeThread);
    F->addFnAttr(Attribute::DisableSanitizerInstrumentation);
  }
  if (Sites.size()) {
    appendToGlobalCtors(M, announce(M, C, Sites, "__pf_module_ctor", Entry::__pf_module_loaded),
                        ConstructorPriority);
    appendToGlobalDtors(M, announce(M, C, Sites, "__pf_module_dtor", Entry::__pf_module_unloaded),
                        ConstructorPriority);
  }
  if (Changed)
    C.demandVersion();
  if (PrintStatistics)
    print(M, Stats, Sites.size(), E.numJoined());
  return PreservedAnalyses::none();
}

} // namespace photofinish
