//===- std_mutex_ordered.cpp ----------------------------------------------===//
//
// std::mutex and its relatives order, through every kind of lock object.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>

int A, B, C, D;
std::mutex Mutex;
std::recursive_mutex Recursive;
std::timed_mutex Timed;
std::recursive_timed_mutex RecursiveTimed;

static void work() {
  for (int I = 0; I < 50; I++) {
    {
      std::lock_guard Guard(Mutex);
      A++;
    }
    {
      std::unique_lock Outer(Recursive);
      std::lock_guard Inner(Recursive);
      B++;
    }
    {
      std::unique_lock Guard(Timed, std::chrono::hours(1));
      C++;
    }
    {
      std::unique_lock Guard(RecursiveTimed,
                             std::chrono::steady_clock::now() + std::chrono::hours(1));
      D++;
    }
    {
      std::scoped_lock Both(Timed, Mutex);
      A++;
      C++;
    }
    {
      std::unique_lock Guard(Mutex, std::defer_lock);
      while (!Guard.try_lock())
        ;
      A++;
    }
  }
}

int main() {
  std::thread First(work), Second(work);
  First.join();
  Second.join();
  std::printf("%d %d %d %d\ndone\n", A, B, C, D);
}
