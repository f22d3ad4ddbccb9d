//===- c11_threads_racy.c -------------------------------------------------===//
//
// C11 threads race like any others.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include <stdio.h>
#include <threads.h>

int X;
mtx_t Mutex;

static int first(void *Argument) {
  mtx_lock(&Mutex);
  mtx_unlock(&Mutex);
  X = 1; // RACE 1
  done(1);
  return Argument != NULL;
}

static int second(void *Argument) {
  await(1);
  mtx_lock(&Mutex);
  X = 2; // RACE 1
  mtx_unlock(&Mutex);
  return Argument != NULL;
}

int main(void) {
  thrd_t First, Second;
  mtx_init(&Mutex, mtx_plain);
  thrd_create(&First, first, NULL);
  thrd_create(&Second, second, NULL);
  thrd_join(First, NULL);
  thrd_join(Second, NULL);
  printf("%d\ndone\n", X);
}
