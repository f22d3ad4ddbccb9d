//===- symbolize.cpp - Addresses to names ---------------------------------===//

#include "report/symbolize.h"

#include "report/variable_path.h"

#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/DebugInfo/Symbolize/SymbolizableModule.h"
#include "llvm/DebugInfo/Symbolize/Symbolize.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Object/ObjectFile.h"

#include <map>

namespace photofinish {

using llvm::StringRef;

class Symbolizer::Impl {
public:
  void addModules(const std::vector<Module> &Loaded) {
    Modules.insert(Modules.end(), Loaded.begin(), Loaded.end());
  }
  void resolve(Stack &S);
  void resolve(HeldLock &L, const Race &R);
  void resolve(ObjectInfo &O, uint64_t Address, uint64_t Size);

private:
  const Module *find(uint64_t Address) const;
  Stack framesAt(uint64_t Pc);
  /// The debug information of a file; null if it has none that can be read.
  llvm::DWARFContext *debugInfo(const std::string &Path);

  struct Variable {
    std::string Name, File;
    uint64_t Start = 0, Size = 0, Line = 0;
  };
  std::optional<Variable> variableAt(uint64_t Address);

  struct DebugFile {
    llvm::object::OwningBinary<llvm::object::ObjectFile> Binary;
    std::unique_ptr<llvm::DWARFContext> Context;
  };

  llvm::symbolize::LLVMSymbolizer Llvm;
  std::vector<Module> Modules;
  std::map<std::string, DebugFile> DebugFiles;
};

static std::string known(const std::string &Name) {
  return Name == llvm::DILineInfo::BadString ? "" : Name;
}

const Module *Symbolizer::Impl::find(uint64_t Address) const {
  for (const Module &M : llvm::reverse(Modules))
    if (Address >= M.Start && Address < M.End)
      return &M;
  return nullptr;
}

Stack Symbolizer::Impl::framesAt(uint64_t Pc) {
  // The return address belongs to what comes after the call, maybe to another line.
  uint64_t Call = Pc - 1;
  const Module *M = find(Call);
  if (!M)
    return {};
  llvm::Expected<llvm::DIInliningInfo> Found = Llvm.symbolizeInlinedCode(
      M->Path, {Call - M->Base, llvm::object::SectionedAddress::UndefSection});
  if (!Found) {
    llvm::consumeError(Found.takeError());
    return {};
  }
  Stack Frames;
  for (uint32_t N = 0; N < Found->getNumberOfFrames(); ++N) {
    const llvm::DILineInfo &Info = Found->getFrame(N);
    Frame F;
    F.Function = known(Info.FunctionName);
    F.File = known(Info.FileName);
    F.Line = Info.Line;
    F.Column = Info.Column;
    if (!F.Function.empty() || !F.File.empty())
      Frames.push_back(std::move(F));
  }
  return Frames;
}

void Symbolizer::Impl::resolve(Stack &S) {
  Stack Whole;
  for (Frame &F : S) {
    Stack Found;
    if (F.Pc && F.Function.empty())
      Found = framesAt(*F.Pc);
    if (Found.empty()) {
      F.Function = llvm::demangle(F.Function);
      if (const Module *M = F.Pc ? find(*F.Pc - 1) : nullptr)
        F.Module = M->Path;
      Whole.push_back(std::move(F));
    } else {
      std::move(Found.begin(), Found.end(), std::back_inserter(Whole));
    }
  }
  S = std::move(Whole);
}

std::optional<Symbolizer::Impl::Variable> Symbolizer::Impl::variableAt(uint64_t Address) {
  const Module *M = find(Address);
  if (!M)
    return std::nullopt;
  llvm::Expected<llvm::DIGlobal> Found = Llvm.symbolizeData(
      M->Path, {Address - M->Base, llvm::object::SectionedAddress::UndefSection});
  if (!Found) {
    llvm::consumeError(Found.takeError());
    return std::nullopt;
  }
  uint64_t Offset = Address - M->Base;
  // The symbol table answers with the nearest symbol below, even if it ends before the address.
  if (known(Found->Name).empty() || Offset < Found->Start ||
      Offset >= Found->Start + std::max<uint64_t>(Found->Size, 1))
    return std::nullopt;
  Variable V;
  V.Name = Found->Name;
  V.Start = Found->Start + M->Base;
  V.Size = Found->Size;
  if (Found->DeclFile != llvm::DILineInfo::BadString) {
    V.File = Found->DeclFile;
    V.Line = Found->DeclLine;
  }
  return V;
}

llvm::DWARFContext *Symbolizer::Impl::debugInfo(const std::string &Path) {
  auto [It, IsNew] = DebugFiles.try_emplace(Path);
  DebugFile &File = It->second;
  if (IsNew) {
    auto Binary = llvm::object::ObjectFile::createObjectFile(Path);
    if (Binary) {
      File.Binary = std::move(*Binary);
      // A broken section is no reason to say anything: the report has the symbol's name.
      auto Ignore = [](llvm::Error E) { llvm::consumeError(std::move(E)); };
      File.Context = llvm::DWARFContext::create(
          *File.Binary.getBinary(), llvm::DWARFContext::ProcessDebugRelocations::Process,
          /*L=*/nullptr, /*DWPName=*/"", Ignore, Ignore);
    } else {
      llvm::consumeError(Binary.takeError());
    }
  }
  return File.Context.get();
}

void Symbolizer::Impl::resolve(ObjectInfo &O, uint64_t Address, uint64_t Size) {
  resolve(O.Stack);
  if (O.Freed)
    resolve(O.Freed->Stack);
  if (O.Type != "global" || !O.Name.empty())
    return;
  std::optional<Variable> V = variableAt(Address);
  if (!V)
    return;
  O.Name = V->Name;
  O.Start = V->Start;
  if (V->Size)
    O.Size = V->Size;
  O.File = V->File;
  O.Line = V->Line;
  const Module *M = find(Address);
  if (llvm::DWARFContext *Debug = debugInfo(M->Path))
    O.Member = variablePath(*Debug, V->Start - M->Base, Address - V->Start, Size);
}

void Symbolizer::Impl::resolve(HeldLock &L, const Race &R) {
  if (!L.Name.empty())
    return;
  if (std::optional<Variable> V = variableAt(L.Address)) {
    uint64_t Offset = L.Address - V->Start;
    const Module *M = find(L.Address);
    std::string Part;
    if (llvm::DWARFContext *Debug = Offset ? debugInfo(M->Path) : nullptr)
      Part = variablePath(*Debug, V->Start - M->Base, Offset, 0);
    // Two locks of one variable need two names.
    if (Offset && Part.empty())
      Part = "+" + std::to_string(Offset);
    L.Name = V->Name + Part;
  } else if (const ObjectInfo &O = R.Object; O.Type == "heap" && O.Start && O.Size &&
                                             L.Address >= *O.Start &&
                                             L.Address < *O.Start + *O.Size) {
    L.Name = "byte " + std::to_string(L.Address - *O.Start) + " of the same heap block";
  }
}

Symbolizer::Symbolizer() : I(std::make_unique<Impl>()) {}
Symbolizer::~Symbolizer() = default;

void Symbolizer::addModules(const std::vector<Module> &Loaded) { I->addModules(Loaded); }

void Symbolizer::resolve(Race &R) {
  for (Access &A : R.Accesses) {
    I->resolve(A.Stack);
    for (HeldLock &L : A.Locks)
      I->resolve(L, R);
  }
  for (ThreadInfo &T : R.Threads)
    I->resolve(T.Stack);
  I->resolve(R.Object, R.Address, R.Size);
}

} // namespace photofinish
