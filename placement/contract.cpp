//===- contract.cpp - abi/ as LLVM declarations -----------------------------===//

#include "placement/contract.h"

#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace photofinish {

namespace {

// The letters of entry_points.def.
enum Letter : uint8_t { VOID, PTR, I32, I64, SITE, GROUP };

struct EntryRow {
  StringRef Name;
  Letter Result;
  SmallVector<Letter, 5> Parameters;
  CallingConv::ID Convention = CallingConv::C;
};

const EntryRow &row(Entry E) {
  static const EntryRow Rows[] = {
#define PF_ENTRY(Name, Result, ...) {#Name, Result, {__VA_ARGS__}},
#define PF_RARE_ENTRY(Name, Result, ...) {#Name, Result, {__VA_ARGS__}, CallingConv::PreserveMost},
#include "abi/entry_points.def"
  };
  return Rows[static_cast<size_t>(E)];
}

StringRef nameOf(Object O) {
  static constexpr StringLiteral Names[] = {
#define PF_GLOBAL(Name) #Name,
#include "abi/entry_points.def"
  };
  return Names[static_cast<size_t>(O)];
}

Type *typeOf(Letter L, LLVMContext &Context) {
  switch (L) {
  case VOID:
    return Type::getVoidTy(Context);
  case PTR:
  case SITE:
  case GROUP:
    return PointerType::getUnqual(Context);
  case I32:
    return Type::getInt32Ty(Context);
  case I64:
    return Type::getInt64Ty(Context);
  }
  llvm_unreachable("a letter that entry_points.def does not have");
}

#define PF_STRING_OF(X) #X
#define PF_NAME_OF(X) PF_STRING_OF(X)

} // namespace

std::optional<Entry> entryForSize(uint64_t Bytes, bool Write, bool IsFirst) {
  if (!isPowerOf2_64(Bytes) || Bytes > (IsFirst ? PF_GRANULE_BYTES : 16))
    return std::nullopt;
  // As they are in the table.
  Entry Of1 = IsFirst ? Write ? Entry::__pf_first_write1 : Entry::__pf_first_read1
              : Write ? Entry::__pf_write1
                      : Entry::__pf_read1;
  return static_cast<Entry>(static_cast<unsigned>(Of1) + Log2_64(Bytes));
}

// Names with this prefix are the runtime's alone.
bool isEntry(const Function &F) { return F.getName().starts_with("__pf_"); }
bool isRareEntry(const Function &F) {
  return isEntry(F) && F.getCallingConv() == CallingConv::PreserveMost;
}

Contract::Contract(Module &M) : M(M) {}

FunctionCallee Contract::declare(Entry E) {
  const EntryRow &Row = row(E);
  LLVMContext &Context = M.getContext();
  SmallVector<Type *, 5> Parameters;
  AttributeList Attributes;
  // A check may end the program, call the user's report callback, and reads what threads
  // share with the runtime: nothing but "does not throw" can be promised. Addresses are
  // remembered as numbers; nothing is accessed through them later.
  Attributes = Attributes.addFnAttribute(Context, Attribute::NoUnwind);
  for (auto [I, L] : enumerate(Row.Parameters)) {
    Parameters.push_back(typeOf(L, Context));
    if (L == PTR && Row.Result == VOID)
      Attributes = Attributes.addParamAttribute(Context, I, Attribute::NoCapture);
  }
  FunctionCallee Declared = M.getOrInsertFunction(
      Row.Name, FunctionType::get(typeOf(Row.Result, Context), Parameters, false), Attributes);
  if (auto *F = dyn_cast<Function>(Declared.getCallee()))
    F->setCallingConv(Row.Convention);
  return Declared;
}

CallInst *Contract::call(IRBuilderBase &B, Entry E, ArrayRef<Value *> Args) {
  FunctionCallee Callee = declare(E);
  SmallVector<Value *, 5> Fitting;
  for (auto [Argument, Parameter] : zip_equal(Args, Callee.getFunctionType()->params()))
    Fitting.push_back(Parameter->isIntegerTy() ? B.CreateZExtOrTrunc(Argument, Parameter)
                                               : Argument);
  CallInst *Call = B.CreateCall(Callee, Fitting);
  Call->setCallingConv(row(E).Convention);
  Call->setDoesNotThrow();
  return Call;
}

GlobalVariable *Contract::object(Object O) {
  StringRef Name = nameOf(O);
  if (GlobalVariable *Known = M.getNamedGlobal(Name))
    return Known;
  bool PerThread = O == Object::__pf_thread;
  Type *Ty = PerThread
                 ? static_cast<Type *>(ArrayType::get(Type::getInt64Ty(M.getContext()),
                                                      sizeof(pf_thread_head) / sizeof(uint64_t)))
                 : PointerType::getUnqual(M.getContext());
  return new GlobalVariable(
      M, Ty, /*isConstant=*/false, GlobalValue::ExternalLinkage, nullptr, Name, nullptr,
      PerThread ? GlobalValue::InitialExecTLSModel : GlobalValue::NotThreadLocal);
}

Value *Contract::thread(IRBuilderBase &B) {
  return B.CreateThreadLocalAddress(object(Object::__pf_thread));
}

void Contract::demandVersion() {
  auto *Version = cast<GlobalVariable>(
      M.getOrInsertGlobal(PF_NAME_OF(PF_VERSION_SYMBOL), Type::getInt8Ty(M.getContext())));
  auto *Reference =
      new GlobalVariable(M, Version->getType(), /*isConstant=*/true, GlobalValue::PrivateLinkage,
                         Version, "__pf_version_reference");
  // Kept through the optimizer and the linker's garbage collection: an unmet reference in
  // a section that is dropped is no error.
  appendToUsed(M, {Reference});
}

} // namespace photofinish
