//===- sites.cpp - The module's table of sites ------------------------------===//

#include "placement/sites.h"

#include "abi/abi.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/bit.h"
#include "llvm/IR/Constants.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace photofinish {

namespace {

// The fields of pf_site, by their position in SiteType.
enum Field : unsigned { File, FunctionName, Line, Column, Size, Flags, InlinedAt };

static_assert(offsetof(pf_site, file) == 0 && offsetof(pf_site, function) == 4 &&
                  offsetof(pf_site, line) == 8 && offsetof(pf_site, column) == 12 &&
                  offsetof(pf_site, size) == 14 && offsetof(pf_site, flags) == 15 &&
                  offsetof(pf_site, inlined_at) == 16 && sizeof(pf_site) == 20 &&
                  alignof(pf_site) == 4,
              "SiteType below mirrors pf_site");

template <class Narrow> Narrow saturate(uint64_t Value, Narrow Otherwise) {
  return Value <= std::numeric_limits<Narrow>::max() ? static_cast<Narrow>(Value) : Otherwise;
}

/// Such that a report can open the file from another directory than the compiler's.
std::string pathOf(const DIFile *F) {
  if (!F)
    return "";
  SmallString<256> Path;
  if (!sys::path::is_absolute(F->getFilename()))
    Path = F->getDirectory();
  sys::path::append(Path, F->getFilename());
  sys::path::remove_dots(Path);
  return std::string(Path);
}

} // namespace

SiteTable::SiteTable(Module &M) : M(M) {
  LLVMContext &Context = M.getContext();
  Type *I8 = Type::getInt8Ty(Context);
  Type *I16 = Type::getInt16Ty(Context);
  Type *I32 = Type::getInt32Ty(Context);
  SiteType = StructType::get(Context, {I32, I32, I32, I16, I8, I8, I32});
}

/// The location of an access. One that the optimizer has moved or merged has none, or line 0: then
/// that of what it was moved to, the nearest instruction with a line, the next ones first.
static const DILocation *locationOf(const Instruction &I) {
  auto HasLine = [](const Instruction &At) {
    return At.getDebugLoc() && At.getDebugLoc()->getLine();
  };
  for (const Instruction *At = &I; At; At = At->getNextNode())
    if (HasLine(*At))
      return At->getDebugLoc();
  for (const Instruction *At = &I; At; At = At->getPrevNode())
    if (HasLine(*At))
      return At->getDebugLoc();
  if (const BasicBlock *Next = I.getParent()->getSingleSuccessor())
    for (const Instruction &At : *Next)
      if (HasLine(At))
        return At.getDebugLoc();
  return I.getDebugLoc();
}

void SiteTable::locate(ArrayRef<const Instruction *> Instructions) {
  Located.clear();
  for (const Instruction *I : Instructions)
    Located[I] = locationOf(*I);
}

Constant *SiteTable::site(const Instruction &I, uint64_t Bytes, unsigned Flags) {
  const Function &F = *I.getFunction();
  auto Narrow = saturate<uint8_t>(Bytes, 0);
  auto Known = Located.find(&I);
  if (const DILocation *Location = Known != Located.end() ? Known->second : locationOf(I))
    return describe(*Location, F, Narrow, Flags);
  // An instruction of the compiler's own, or no debug information at all.
  const DISubprogram *SP = F.getSubprogram();
  return intern({string(SP ? pathOf(SP->getFile()) : M.getSourceFileName()), string(F.getName()), 0,
                 0, Narrow, Flags, nullptr});
}

GlobalVariable *SiteTable::describe(const DILocation &Location, const Function &F, uint8_t Size,
                                    uint8_t Flags) {
  GlobalVariable *Call = nullptr;
  if (const DILocation *At = Location.getInlinedAt())
    Call = describe(*At, F, 0, PF_SITE_CALL);
  StringRef Name;
  if (const DISubprogram *SP = Location.getScope()->getSubprogram())
    Name = SP->getLinkageName().empty() ? SP->getName() : SP->getLinkageName();
  return intern({string(pathOf(Location.getFile())), string(Name.empty() ? F.getName() : Name),
                 Location.getLine(), saturate<uint16_t>(Location.getColumn(), 0), Size, Flags,
                 Call});
}

GlobalVariable *SiteTable::intern(const Description &D) {
  GlobalVariable *&Site = Sites[D];
  if (Site)
    return Site;
  const auto &[FileName, Function, SourceLine, SourceColumn, Bytes, Kind, Call] = D;
  Site = new GlobalVariable(M, SiteType, /*isConstant=*/true, GlobalValue::PrivateLinkage, nullptr,
                            "pf_site");
  Site->setSection(PF_SITES_SECTION);
  Site->setAlignment(Align(alignof(pf_site)));

  auto DistanceTo = [&](GlobalVariable *Target, Field From) -> Constant * {
    if (!Target)
      return ConstantInt::get(Type::getInt32Ty(M.getContext()), 0);
    return distance(Target, Site, SiteType, From);
  };
  auto Number = [&](Field F, uint64_t N) {
    return ConstantInt::get(SiteType->getElementType(F), N);
  };
  Site->setInitializer(ConstantStruct::get(
      SiteType, {DistanceTo(FileName, File), DistanceTo(Function, FunctionName),
                 Number(Line, SourceLine), Number(Column, SourceColumn), Number(Size, Bytes),
                 Number(Flags, Kind), DistanceTo(Call, InlinedAt)}));
  return Site;
}

Constant *SiteTable::distance(Constant *To, GlobalVariable *From, Type *T,
                              ArrayRef<unsigned> Part) {
  Type *I32 = Type::getInt32Ty(M.getContext());
  Type *I64 = Type::getInt64Ty(M.getContext());
  SmallVector<Constant *, 4> Indices = {ConstantInt::get(I32, 0)};
  for (unsigned I : Part)
    Indices.push_back(ConstantInt::get(I32, I));
  Constant *Here = ConstantExpr::getInBoundsGetElementPtr(T, From, Indices);
  return ConstantExpr::getTrunc(ConstantExpr::getSub(ConstantExpr::getPtrToInt(To, I64),
                                                     ConstantExpr::getPtrToInt(Here, I64)),
                                I32);
}

static_assert(offsetof(pf_group, read) == 0 && offsetof(pf_group, written) == 8 &&
                  offsetof(pf_group, read_whole) == 16 && offsetof(pf_group, written_whole) == 17 &&
                  offsetof(pf_group, count) == 18 && sizeof(pf_group) == 24 &&
                  offsetof(pf_group_member, site) == 4 && sizeof(pf_group_member) == 8,
              "the types below mirror pf_group");

uint64_t GroupBits::extent() const {
  return std::max(bit_width(Bytes[0] | Bytes[1]),
                  bit_width(Whole[0] | Whole[1]) * PF_GRANULE_BYTES);
}

GroupBits SiteTable::bitsOf(ArrayRef<Member> Members) {
  GroupBits Bits;
  auto First = [](unsigned Count) { return (uint64_t(1) << Count) - 1; };
  for (const Member &Each : Members)
    if (Each.Bytes < PF_GRANULE_BYTES)
      Bits.Bytes[Each.Write] |= First(Each.Bytes) << Each.Offset;
    else
      Bits.Whole[Each.Write] |= First(Each.Bytes / PF_GRANULE_BYTES)
                                << Each.Offset / PF_GRANULE_BYTES;
  return Bits;
}

Constant *SiteTable::group(ArrayRef<Member> Members) {
  LLVMContext &Context = M.getContext();
  Type *I8 = Type::getInt8Ty(Context), *I16 = Type::getInt16Ty(Context);
  Type *I32 = Type::getInt32Ty(Context), *I64 = Type::getInt64Ty(Context);
  auto *MemberType = StructType::get(Context, {I16, I8, I8, I32});
  auto *MembersType = ArrayType::get(MemberType, Members.size());
  auto *GroupType = StructType::get(Context, {I64, I64, I8, I8, I16, I32, MembersType});
  auto *Group = new GlobalVariable(M, GroupType, /*isConstant=*/true, GlobalValue::PrivateLinkage,
                                   nullptr, "pf_group");
  Group->setAlignment(Align(alignof(pf_group)));
  SmallVector<Constant *, 8> Parts;
  for (const auto &[I, Each] : enumerate(Members))
    Parts.push_back(ConstantStruct::get(
        MemberType, {ConstantInt::get(I16, Each.Offset), ConstantInt::get(I8, Each.Bytes),
                     ConstantInt::get(I8, Each.Write),
                     distance(Each.Site, Group, GroupType, {6, unsigned(I), 3})}));
  GroupBits Bits = bitsOf(Members);
  Group->setInitializer(ConstantStruct::get(
      GroupType, {ConstantInt::get(I64, Bits.Bytes[0]), ConstantInt::get(I64, Bits.Bytes[1]),
                  ConstantInt::get(I8, Bits.Whole[0]), ConstantInt::get(I8, Bits.Whole[1]),
                  ConstantInt::get(I16, Members.size()), ConstantInt::get(I32, 0),
                  ConstantArray::get(MembersType, Parts)}));
  return Group;
}

Constant *SiteTable::row(ArrayRef<Constant *> OfBytes, unsigned TheFlags) {
  GlobalVariable *&Row = Rows[{OfBytes.vec(), TheFlags}];
  if (Row)
    return Row;
  auto *RowType = ArrayType::get(SiteType, OfBytes.size());
  Row = new GlobalVariable(M, RowType, /*isConstant=*/true, GlobalValue::PrivateLinkage, nullptr,
                           "pf_row");
  Row->setSection(PF_SITES_SECTION);
  Row->setAlignment(Align(alignof(pf_site)));
  SmallVector<Constant *, 16> All;
  for (const auto &[I, Site] : enumerate(OfBytes)) {
    SmallVector<Constant *, 7> Fields;
    for (Type *T : SiteType->elements())
      Fields.push_back(Constant::getNullValue(T));
    Fields[Line] = ConstantInt::get(SiteType->getElementType(Line), OfBytes.size());
    Fields[Column] = ConstantInt::get(SiteType->getElementType(Column), I);
    Fields[Flags] = ConstantInt::get(SiteType->getElementType(Flags), TheFlags | PF_SITE_ROW);
    if (Site)
      Fields[InlinedAt] = distance(Site, Row, RowType, {unsigned(I), InlinedAt});
    All.push_back(ConstantStruct::get(SiteType, Fields));
  }
  Row->setInitializer(ConstantArray::get(RowType, All));
  return Row;
}

Value *SiteTable::inRow(IRBuilderBase &B, Constant *Row, uint64_t Period, Value *Address) {
  Value *Number = B.CreateURem(B.CreatePtrToInt(Address, B.getInt64Ty()), B.getInt64(Period));
  return B.CreateInBoundsGEP(SiteType, Row, Number);
}

GlobalVariable *SiteTable::string(StringRef Text) {
  if (Text.empty())
    return nullptr;
  GlobalVariable *&String = Strings[Text];
  if (!String) {
    Constant *Data = ConstantDataArray::getString(M.getContext(), Text);
    String = new GlobalVariable(M, Data->getType(), /*isConstant=*/true,
                                GlobalValue::PrivateLinkage, Data, "pf_string");
    // The linker merges equal strings of all objects.
    String->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    String->setAlignment(Align(1));
  }
  return String;
}

Constant *SiteTable::boundary(StringRef Name) {
  if (GlobalVariable *Known = M.getNamedGlobal(Name))
    return Known;
  // Weak, because the linker drops the section, and with it the symbols, when it finds that
  // no function with a site is used.
  auto *Symbol = new GlobalVariable(M, SiteType, /*isConstant=*/true,
                                    GlobalValue::ExternalWeakLinkage, nullptr, Name);
  Symbol->setVisibility(GlobalValue::HiddenVisibility);
  return Symbol;
}

Constant *SiteTable::first() { return boundary("__start_" PF_SITES_SECTION); }

Constant *SiteTable::end() { return boundary("__stop_" PF_SITES_SECTION); }

} // namespace photofinish
