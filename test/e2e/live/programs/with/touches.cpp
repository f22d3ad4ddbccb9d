//===- touches.cpp --------------------------------------------------------===//
//
// A function that writes where it is told, for programs of several files.
//
//===----------------------------------------------------------------------===//

extern "C++" void touch(int *Place, int Value) {
  *Place = Value; // RACE 1
}
