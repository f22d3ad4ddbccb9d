//===- two_threads.h - Runs two functions, each in a thread of its own ------===//
//
// For the programs that are about something else than starting and joining threads.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_TEST_E2E_LIVE_PROGRAMS_TWO_THREADS_H
#define PHOTOFINISH_TEST_E2E_LIVE_PROGRAMS_TWO_THREADS_H

#include <pthread.h>
#include <stdlib.h>

static void runTwo(void *(*First)(void *), void *(*Second)(void *)) {
  pthread_t Threads[2];
  if (pthread_create(&Threads[0], 0, First, 0) || pthread_create(&Threads[1], 0, Second, 0))
    abort();
  if (pthread_join(Threads[0], 0) || pthread_join(Threads[1], 0))
    abort();
}

#endif // PHOTOFINISH_TEST_E2E_LIVE_PROGRAMS_TWO_THREADS_H
