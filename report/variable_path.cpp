//===- variable_path.cpp - Which part of a variable -----------------------===//

#include "report/variable_path.h"

#include "llvm/DebugInfo/DWARF/DWARFDie.h"
#include "llvm/DebugInfo/DWARF/DWARFUnit.h"

#include <optional>

namespace photofinish {

using llvm::DWARFDie;
namespace dwarf = llvm::dwarf;

namespace {

DWARFDie typeOf(DWARFDie Die) {
  return Die.getAttributeValueAsReferencedDie(dwarf::DW_AT_type).resolveTypeUnitReference();
}

/// Without names and qualifiers: the structure, array or scalar itself.
DWARFDie strip(DWARFDie Type) {
  while (Type) {
    switch (Type.getTag()) {
    case dwarf::DW_TAG_typedef:
    case dwarf::DW_TAG_const_type:
    case dwarf::DW_TAG_volatile_type:
    case dwarf::DW_TAG_restrict_type:
    case dwarf::DW_TAG_atomic_type:
      Type = typeOf(Type);
      continue;
    default:
      return Type;
    }
  }
  return Type;
}

uint64_t sizeOf(DWARFDie Type) {
  return Type ? Type.getTypeSize(/*PointerSize=*/8).value_or(0) : 0;
}

/// How many elements each dimension has; empty if some dimension does not say.
std::vector<uint64_t> dimensions(DWARFDie Array) {
  std::vector<uint64_t> Counts;
  for (DWARFDie Child : Array.children()) {
    if (Child.getTag() != dwarf::DW_TAG_subrange_type)
      continue;
    std::optional<uint64_t> Count = dwarf::toUnsigned(Child.find(dwarf::DW_AT_count));
    if (!Count)
      if (std::optional<uint64_t> Upper = dwarf::toUnsigned(Child.find(dwarf::DW_AT_upper_bound)))
        Count = *Upper + 1;
    if (!Count || *Count == 0)
      return {};
    Counts.push_back(*Count);
  }
  return Counts;
}

/// The bytes that are looked for, relative to the type that the walk has reached.
struct Walk {
  uint64_t Offset, Size;
  std::string Path;
  bool IsUnnamed = false; ///< the last step added nothing to Path: a base, an anonymous union

  bool isWhole(DWARFDie Type) const { return Offset == 0 && (Size == 0 || Size == sizeOf(Type)); }
  bool within(uint64_t Start, uint64_t Length) const {
    return Offset >= Start && Offset < Start + Length && Offset + Size <= Start + Length;
  }
  /// Each goes one step down and returns the type there; an invalid one if there is no step.
  DWARFDie intoMember(DWARFDie Struct);
  DWARFDie intoElement(DWARFDie Array);
};

DWARFDie Walk::intoMember(DWARFDie Struct) {
  for (DWARFDie Child : Struct.children()) {
    bool IsBase = Child.getTag() == dwarf::DW_TAG_inheritance;
    if ((Child.getTag() != dwarf::DW_TAG_member && !IsBase) || Child.find(dwarf::DW_AT_external) ||
        Child.find(dwarf::DW_AT_data_bit_offset))
      continue;
    std::optional<uint64_t> Start =
        dwarf::toUnsigned(Child.find(dwarf::DW_AT_data_member_location));
    DWARFDie Type = strip(typeOf(Child));
    // A union's members need not say where they are; a virtual base says it with a program.
    if (!Start && Child.find(dwarf::DW_AT_data_member_location))
      continue;
    if (!within(Start.value_or(0), sizeOf(Type)))
      continue;
    Offset -= Start.value_or(0);
    // Bases and anonymous structures are left out, as in the language.
    const char *Name = IsBase ? nullptr : Child.getShortName();
    IsUnnamed = !Name || !*Name;
    if (!IsUnnamed)
      Path += std::string(".") + Name;
    return Type;
  }
  return {};
}

DWARFDie Walk::intoElement(DWARFDie Array) {
  DWARFDie Element = strip(typeOf(Array));
  uint64_t ElementSize = sizeOf(Element);
  std::vector<uint64_t> Counts = dimensions(Array);
  if (!ElementSize || Counts.empty())
    return {};
  uint64_t Index = Offset / ElementSize;
  if (!within(Index * ElementSize, ElementSize))
    return {};
  Offset -= Index * ElementSize;
  std::string Indices;
  for (uint64_t Count : llvm::reverse(Counts)) {
    Indices = "[" + std::to_string(Index % Count) + "]" + Indices;
    Index /= Count;
  }
  if (Index)
    return {};
  Path += Indices;
  IsUnnamed = false;
  return Element;
}

} // namespace

std::string variablePath(llvm::DWARFContext &Debug, uint64_t Address, uint64_t Offset,
                         uint64_t Size) {
  DWARFDie Variable;
  for (const std::unique_ptr<llvm::DWARFUnit> &Unit : Debug.compile_units())
    if ((Variable = Unit->getVariableForAddress(Address)))
      break;
  if (!Variable)
    return "";
  // A definition outside its class or namespace takes its type from the declaration.
  DWARFDie Type = typeOf(Variable);
  if (!Type)
    Type = typeOf(Variable.getAttributeValueAsReferencedDie(dwarf::DW_AT_specification));
  Type = strip(Type);
  Walk W{Offset, Size, ""};
  while (Type && (W.IsUnnamed || !W.isWhole(Type))) {
    switch (Type.getTag()) {
    case dwarf::DW_TAG_structure_type:
    case dwarf::DW_TAG_class_type:
    case dwarf::DW_TAG_union_type:
      Type = W.intoMember(Type);
      break;
    case dwarf::DW_TAG_array_type:
      Type = W.intoElement(Type);
      break;
    default:
      return W.Path;
    }
  }
  return W.Path;
}

} // namespace photofinish
