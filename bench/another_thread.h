// A program with one thread is not checked: what measures checks in one needs another.

#ifndef PHOTOFINISH_BENCH_ANOTHER_THREAD_H
#define PHOTOFINISH_BENCH_ANOTHER_THREAD_H

#include <thread>

#include <unistd.h>

/// It sleeps until the program ends.
inline void haveAnotherThread() {
  std::thread([] {
    for (;;)
      pause();
  }).detach();
}

#endif // PHOTOFINISH_BENCH_ANOTHER_THREAD_H
