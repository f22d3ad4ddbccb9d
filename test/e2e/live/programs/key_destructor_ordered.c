//===- key_destructor_ordered.c -------------------------------------------===//
//
// Destructors of thread-specific data run in the thread, before its join.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

int X;
pthread_key_t Key;

static void destroy(void *Value) {
  X += *(int *)Value;
  free(Value);
}

static void *worker(void *Argument) {
  int *Value = malloc(sizeof(int));
  *Value = 3;
  pthread_setspecific(Key, Value);
  X++;
  return Argument;
}

int main(void) {
  pthread_key_create(&Key, destroy);
  for (int I = 0; I < 3; I++) {
    pthread_t Thread;
    pthread_create(&Thread, NULL, worker, NULL);
    pthread_join(Thread, NULL);
    X++;
  }
  printf("%d\ndone\n", X);
}
