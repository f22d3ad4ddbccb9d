//===- interleaving.h - Strided checks that lie between each other -----------===//
//
// A loop that accesses several neighbours in each iteration leaves a strided check of each:
//
//   for (i = 0; i < n; i += 2)          a[0], a[2], a[4] ..
//     use(a[i], a[i + 1]);              a[1], a[3], a[5] ..   together: a[0..n]
//
// Where they go to one place, with as many elements each, they become one check, of the bytes that
// lie side by side: a range if there are no gaps. It knows whose each byte is, so that a report
// names the access of just that one.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_PLACEMENT_INTERLEAVING_H
#define PHOTOFINISH_PLACEMENT_INTERLEAVING_H

#include "placement/contexts.h"

namespace photofinish {

void interleave(std::vector<PlannedCheck> &Checks, llvm::ScalarEvolution &SE);

} // namespace photofinish

#endif // PHOTOFINISH_PLACEMENT_INTERLEAVING_H
