//===- unseen.cpp ---------------------------------------------------------===//
//
// A function for objects that are not instrumented.
//
//===----------------------------------------------------------------------===//

extern "C++" void unseenTouch(int *Place, int Value) { *Place = Value; }
