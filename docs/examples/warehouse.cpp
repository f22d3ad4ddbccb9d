// A warehouse: two clerks book deliveries and orders, each under the lock of the shelf that they
// work at, and a reporter prints the stock now and then. It has one data race. Can you see it?
//
//   photofinish c++ -O1 -g warehouse.cpp -o warehouse && ./warehouse

#include <array>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Article {
  std::string Name;
  int InStock = 0;
  int Ordered = 0;
};

class Shelf {
public:
  void add(std::string Name) {
    std::lock_guard<std::mutex> Guard(Lock);
    Articles.push_back({std::move(Name)});
  }

  void deliver(size_t Index, int Pieces) {
    std::lock_guard<std::mutex> Guard(Lock);
    Articles[Index].InStock += Pieces;
  }

  // Takes what is there; the rest stays on order.
  int order(size_t Index, int Pieces) {
    std::lock_guard<std::mutex> Guard(Lock);
    Article &A = Articles[Index];
    int Taken = A.InStock < Pieces ? A.InStock : Pieces;
    A.InStock -= Taken;
    A.Ordered += Pieces - Taken;
    return Taken;
  }

  // How many pieces lie on this shelf?
  int count() const {
    int Pieces = 0;
    for (const Article &A : Articles)
      Pieces += A.InStock;
    return Pieces;
  }

private:
  mutable std::mutex Lock;
  std::vector<Article> Articles;
};

class Warehouse {
public:
  Warehouse() {
    Shelves[0].add("screws");
    Shelves[0].add("nails");
    Shelves[1].add("paint");
    Shelves[1].add("brushes");
  }

  Shelf &shelf(size_t Index) { return Shelves[Index]; }

  int count() const {
    int Pieces = 0;
    for (const Shelf &S : Shelves)
      Pieces += S.count();
    return Pieces;
  }

private:
  std::array<Shelf, 2> Shelves;
};

void work(Warehouse &W, size_t Shelf) {
  for (int Day = 0; Day < 100; ++Day) {
    W.shelf(Shelf).deliver(Day % 2, 10);
    W.shelf(Shelf).order((Day + 1) % 2, 7);
  }
}

void report(const Warehouse &W) {
  for (int Week = 0; Week < 5; ++Week) {
    std::printf("week %d: %s\n", Week, W.count() < 0 ? "impossible" : "all is well");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

} // namespace

int main() {
  Warehouse W;
  std::vector<std::thread> Staff;
  Staff.emplace_back(work, std::ref(W), 0);
  Staff.emplace_back(work, std::ref(W), 1);
  Staff.emplace_back(report, std::cref(W));
  for (std::thread &Person : Staff)
    Person.join();
  std::printf("%d pieces in stock\n", W.count());
}
