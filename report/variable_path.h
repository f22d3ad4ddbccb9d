//===- variable_path.h - Which part of a variable -------------------------===//
//
// A race is on bytes; a reader thinks of members. With debug information, byte 24 of
//
//   struct { long id; long balance; } accounts[4];
//
// is accounts[1].balance. The walk goes down from the variable's type as long as one member
// or element contains all the bytes.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_REPORT_VARIABLE_PATH_H
#define PHOTOFINISH_REPORT_VARIABLE_PATH_H

#include "llvm/DebugInfo/DWARF/DWARFContext.h"

#include <cstdint>
#include <string>

namespace photofinish {

/// For the variable at Address (in the file): what follows its name for the Size bytes at Offset,
/// such as "[1].balance"; empty if that is all of it, or if nothing is known.
/// With Size 0: the outermost part that starts exactly at Offset.
std::string variablePath(llvm::DWARFContext &Debug, uint64_t Address, uint64_t Offset,
                         uint64_t Size);

} // namespace photofinish

#endif // PHOTOFINISH_REPORT_VARIABLE_PATH_H
