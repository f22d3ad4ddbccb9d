//===- join_main_ordered.c --------------------------------------------------===//
//
// The main thread, too, can be joined, when it has left by pthread_exit.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_t Main;
static int X;

static void *joinsMain(void *Argument) {
  if (pthread_join(Main, NULL) != 0)
    return NULL;
  X += 1;
  printf("%d\ndone\n", X);
  exit(0);
  return Argument;
}

int main(void) {
  Main = pthread_self();
  pthread_t Thread;
  pthread_create(&Thread, NULL, joinsMain, NULL);
  X = 1;
  pthread_exit(NULL);
}
