//===- calls_back.cpp -----------------------------------------------------===//
//
// A function that calls what it is given.
//
//===----------------------------------------------------------------------===//

extern "C++" void callBack(void (*Function)(int *), int *Argument) { Function(Argument); }
