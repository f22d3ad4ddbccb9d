//===- locations.h - Locations for inserted code ------------------------------===//

#ifndef PHOTOFINISH_PLACEMENT_LOCATIONS_H
#define PHOTOFINISH_PLACEMENT_LOCATIONS_H

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"

namespace photofinish {

/// Where code that belongs to no line of F is said to be.
inline llvm::DebugLoc locationOfNothing(const llvm::Function &F) {
  if (llvm::DISubprogram *SP = F.getSubprogram())
    return llvm::DILocation::get(F.getContext(), 0, 0, SP);
  return {};
}

/// Of code inserted for I: calls need a location in functions that have debug information.
inline llvm::DebugLoc locationFor(const llvm::Instruction &I) {
  return I.getDebugLoc() ? I.getDebugLoc() : locationOfNothing(*I.getFunction());
}

} // namespace photofinish

#endif // PHOTOFINISH_PLACEMENT_LOCATIONS_H
