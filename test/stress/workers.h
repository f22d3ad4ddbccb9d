//===- workers.h - Threads with their states --------------------------------------===//

#ifndef PHOTOFINISH_TEST_STRESS_WORKERS_H
#define PHOTOFINISH_TEST_STRESS_WORKERS_H

#include "detector/sync.h"

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace photofinish {

/// Starts all threads at the same moment, so that they really meet.
class Gate {
public:
  explicit Gate(unsigned Threads) : Missing(Threads) {}
  void pass() {
    --Missing;
    while (Missing)
      std::this_thread::yield();
  }

private:
  std::atomic<unsigned> Missing;
};

/// A program's main thread and its workers: forked, run, joined, with their states.
class Workers {
public:
  explicit Workers(unsigned Count) : Main(0) {
    for (unsigned I = 1; I <= Count; ++I)
      States.push_back(std::make_unique<ThreadState>(I));
  }
  template <class Fn> void run(Fn &&Body) {
    for (auto &S : States)
      rule::fork(Main, *S);
    Gate Start(unsigned(States.size()));
    std::vector<std::thread> Threads;
    for (auto &S : States)
      Threads.emplace_back([&, State = S.get()] {
        Start.pass();
        Body(*State);
      });
    for (std::thread &T : Threads)
      T.join();
  }
  void joinAll() {
    for (auto &S : States)
      rule::join(Main, *S);
  }
  ThreadState &main() { return Main; }
  ThreadState &state(unsigned I) { return *States[I]; }
  size_t size() const { return States.size(); }

private:
  ThreadState Main;
  std::vector<std::unique_ptr<ThreadState>> States;
};

} // namespace photofinish

#endif // PHOTOFINISH_TEST_STRESS_WORKERS_H
