//===- free_pages_reused.cpp ----------------------------------------------===//
//
// Many small blocks in the memory of large ones that were freed: however many pieces that makes
// of it, an allocation costs what it does. (Each used to copy a list of all pieces: this program
// would have taken minutes.)
//
//===----------------------------------------------------------------------===//

// NO RACE

#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

int main() {
  std::thread([] {
    std::vector<char *> Large, Small;
    for (int I = 0; I < 100; ++I)
      Large.push_back(new char[100000]);
    for (char *Block : Large)
      delete[] Block;
    for (int I = 0; I < 100000; ++I) {
      Small.push_back(new char[56]);
      Small.back()[0] = 1;
    }
    for (char *Block : Small)
      delete[] Block;
  }).join();
  std::puts("done");
}
