//===- faults.h - Where the program may crash --------------------------------===//
//
// A check that has been deferred is lost if the program crashes first, and it may crash because of
// the very race. So nothing is deferred past an instruction that may: an access through a pointer
// that nothing has been accessed through before, a division, a call of what does such things. A
// pointer that worked once is taken to work again, until something is freed.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_PLACEMENT_FAULTS_H
#define PHOTOFINISH_PLACEMENT_FAULTS_H

#include "placement/effects.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace photofinish {

llvm::SmallPtrSet<const llvm::Instruction *, 32> findFaults(llvm::Function &F,
                                                            const ModuleEffects &TheEffects);

} // namespace photofinish

#endif // PHOTOFINISH_PLACEMENT_FAULTS_H
