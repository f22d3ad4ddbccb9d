//===- c11_threads_ordered.c ----------------------------------------------===//
//
// C11 threads: thrd, mtx, cnd, call_once and tss order as pthreads do.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include <stdio.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

int X, Y, Ready, Initialised, Destroyed;
mtx_t Mutex, Timed, Recursive;
cnd_t Condition;
once_flag Once = ONCE_FLAG_INIT;
tss_t Key;

static void initialise(void) { Initialised = 1; }

static void destroy(void *Value) {
  mtx_lock(&Mutex);
  Destroyed += *(int *)Value;
  mtx_unlock(&Mutex);
  free(Value);
}

static int worker(void *Argument) {
  struct timespec Late = {.tv_sec = time(NULL) + 1000};
  int *Value = malloc(sizeof(int));
  call_once(&Once, initialise);
  *Value = Initialised;
  tss_set(Key, Value);
  mtx_lock(&Recursive);
  mtx_lock(&Recursive);
  X++;
  mtx_unlock(&Recursive);
  mtx_unlock(&Recursive);
  mtx_timedlock(&Timed, &Late);
  Y++;
  mtx_unlock(&Timed);
  while (mtx_trylock(&Mutex) != thrd_success)
    ;
  if (Argument) {
    Ready = 1;
    cnd_broadcast(&Condition);
  } else {
    while (!Ready)
      cnd_wait(&Condition, &Mutex);
  }
  mtx_unlock(&Mutex);
  if (Argument)
    thrd_exit(3);
  return 4;
}

int main(void) {
  thrd_t First, Second;
  int Results[2];
  mtx_init(&Mutex, mtx_plain);
  mtx_init(&Timed, mtx_timed);
  mtx_init(&Recursive, mtx_plain | mtx_recursive);
  cnd_init(&Condition);
  tss_create(&Key, destroy);
  thrd_create(&First, worker, NULL);
  thrd_create(&Second, worker, &X);
  thrd_join(First, &Results[0]);
  thrd_join(Second, &Results[1]);
  printf("%d %d %d\ndone\n", X + Y + Destroyed, Results[0], Results[1]);
}
