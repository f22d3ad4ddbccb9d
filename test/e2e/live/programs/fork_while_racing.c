//===- fork_while_racing.c --------------------------------------------------===//
//
// A process forks while its threads find races, one after the other: whoever stops them for the
// fork must not keep them from getting out of the detector.
//
//===----------------------------------------------------------------------===//

// KIND: write/write

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { Forks = 50 };

static _Atomic int IsOver;
int X;

static void *races(void *Argument) {
  pthread_mutex_t Own = PTHREAD_MUTEX_INITIALIZER;
  while (!atomic_load_explicit(&IsOver, memory_order_relaxed)) {
    X = 1;                    // RACE 1
    pthread_mutex_lock(&Own); // a new epoch
    pthread_mutex_unlock(&Own);
  }
  return Argument;
}

int main(void) {
  pthread_t Threads[3];
  for (int I = 0; I < 3; ++I)
    pthread_create(&Threads[I], NULL, races, NULL);
  for (int I = 0; I < Forks; ++I) {
    pid_t Child = fork();
    if (Child == 0)
      _exit(0);
    waitpid(Child, NULL, 0);
  }
  atomic_store_explicit(&IsOver, 1, memory_order_relaxed);
  for (int I = 0; I < 3; ++I)
    pthread_join(Threads[I], NULL);
  printf("done\n");
}
