//===- rwlock_try_failed_racy.c -------------------------------------------===//
//
// The try and timed forms of rwlocks order nothing when they fail.
//
//===----------------------------------------------------------------------===//

// OUTPUT: 4 2
// OUTPUT: done

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>

int X;
int Failed;
pthread_rwlock_t Lock = PTHREAD_RWLOCK_INITIALIZER;

static void *first(void *Argument) {
  pthread_rwlock_wrlock(&Lock);
  X = 1; // RACE 1
  done(1);
  await(2);
  pthread_rwlock_unlock(&Lock);
  return Argument;
}

static void *second(void *Argument) {
  struct timespec Past = {.tv_sec = 1};
  await(1);
  Failed += pthread_rwlock_trywrlock(&Lock) != 0;
  Failed += pthread_rwlock_tryrdlock(&Lock) != 0;
  Failed += pthread_rwlock_timedwrlock(&Lock, &Past) != 0;
  Failed += pthread_rwlock_timedrdlock(&Lock, &Past) != 0;
  X = 2; // RACE 1
  done(2);
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("%d %d\ndone\n", Failed, X);
}
