//===- std_shared_mutex_ordered.cpp ---------------------------------------===//
//
// shared_mutex and shared_timed_mutex order readers with writers.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include <chrono>
#include <cstdio>
#include <mutex>
#include <shared_mutex>
#include <thread>

int A, B;
std::shared_mutex Mutex;
std::shared_timed_mutex Timed;

static void work(int &Sum) {
  for (int I = 0; I < 50; I++) {
    {
      std::unique_lock Guard(Mutex);
      A++;
    }
    {
      std::shared_lock Guard(Mutex);
      Sum += A;
    }
    {
      std::unique_lock Guard(Timed, std::chrono::hours(1));
      B++;
    }
    {
      std::shared_lock Guard(Timed, std::chrono::hours(1));
      Sum += B;
    }
    {
      std::shared_lock Guard(Mutex, std::try_to_lock);
      if (Guard)
        Sum += A;
    }
  }
}

int main() {
  int Sums[2] = {};
  std::thread First([&Sums] { work(Sums[0]); }), Second([&Sums] { work(Sums[1]); });
  First.join();
  Second.join();
  std::printf("%d %d\ndone\n", A, B);
}
