//===- loaded.cpp ---------------------------------------------------------===//
//
// A library that is loaded with dlopen.
//
//===----------------------------------------------------------------------===//

extern "C" void loadedTouch(int *Place, int Value) {
  *Place = Value; // RACE 1
}
