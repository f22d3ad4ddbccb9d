//===- tryjoin_ordered.c --------------------------------------------------===//
//
// pthread_tryjoin_np and its relatives order as pthread_join does.
//
//===----------------------------------------------------------------------===//

// NO RACE

#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

int X;

static void *worker(void *Argument) {
  X++;
  return Argument;
}

int main(void) {
  pthread_t Thread;
  struct timespec Late = {.tv_sec = time(NULL) + 1000};
  pthread_create(&Thread, NULL, worker, NULL);
  while (pthread_tryjoin_np(Thread, NULL) == EBUSY)
    ;
  X++;
  pthread_create(&Thread, NULL, worker, NULL);
  pthread_timedjoin_np(Thread, NULL, &Late);
  X++;
  pthread_create(&Thread, NULL, worker, NULL);
  pthread_clockjoin_np(Thread, NULL, CLOCK_REALTIME, &Late);
  X++;
  printf("%d\ndone\n", X);
}
