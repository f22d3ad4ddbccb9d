//===- std_condition_variable_ordered.cpp ---------------------------------===//
//
// condition_variable and condition_variable_any wait under a lock.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <shared_mutex>
#include <thread>

int X, Y;
bool Ready, AnyReady;
std::mutex Mutex;
std::shared_mutex Shared;
std::condition_variable Condition;
std::condition_variable_any Any;

int main() {
  std::thread Producer([] {
    X = 1;
    {
      std::lock_guard Guard(Mutex);
      Ready = true;
    }
    Condition.notify_one();
    Y = 1;
    {
      std::lock_guard Guard(Shared);
      AnyReady = true;
    }
    Any.notify_all();
  });
  std::thread Consumer([] {
    {
      std::unique_lock Guard(Mutex);
      Condition.wait_for(Guard, std::chrono::hours(1), [] { return Ready; });
      X++;
    }
    std::shared_lock Guard(Shared);
    Any.wait(Guard, [] { return AnyReady; });
    Y++;
  });
  Producer.join();
  Consumer.join();
  std::printf("%d %d\ndone\n", X, Y);
}
