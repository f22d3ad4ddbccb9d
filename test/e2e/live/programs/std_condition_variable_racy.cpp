//===- std_condition_variable_racy.cpp ------------------------------------===//
//
// What is done after the critical section is not ordered by the notify.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

int X;
bool Ready;
std::mutex Mutex;
std::condition_variable Condition;

int main() {
  std::thread Producer([] {
    await(1);
    {
      std::lock_guard Guard(Mutex);
      Ready = true;
    }
    X = 1; // RACE 1
    Condition.notify_one();
    done(2);
  });
  std::thread Consumer([] {
    std::unique_lock Guard(Mutex);
    done(1);
    Condition.wait(Guard, [] { return Ready; });
    await(2);
    X = 2; // RACE 1
  });
  Producer.join();
  Consumer.join();
  std::printf("%d\ndone\n", X);
}
