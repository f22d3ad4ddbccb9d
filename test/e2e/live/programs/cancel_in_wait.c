//===- cancel_in_wait.c ---------------------------------------------------===//
//
// A thread cancelled in pthread_cond_wait owns the mutex in its cleanup handler.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "invisible.h"
#include <pthread.h>
#include <stdio.h>

int X;
pthread_mutex_t Mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t Condition = PTHREAD_COND_INITIALIZER;

static void cleanup(void *Argument) {
  X++;
  pthread_mutex_unlock(Argument);
}

static void *worker(void *Argument) {
  pthread_mutex_lock(&Mutex);
  pthread_cleanup_push(cleanup, &Mutex);
  done(1);
  for (;;)
    pthread_cond_wait(&Condition, &Mutex);
  pthread_cleanup_pop(0);
  return Argument;
}

int main(void) {
  pthread_t Thread;
  pthread_create(&Thread, NULL, worker, NULL);
  await(1);
  pthread_mutex_lock(&Mutex);
  X++;
  pthread_mutex_unlock(&Mutex);
  pthread_cancel(Thread);
  pthread_mutex_lock(&Mutex);
  X++;
  pthread_mutex_unlock(&Mutex);
  pthread_join(Thread, NULL);
  printf("%d\ndone\n", X);
}
