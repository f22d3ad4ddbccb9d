//===- fork_with_threads.c ------------------------------------------------===//
//
// fork while other threads hold locks and allocate leaves a child that works.
//
//===----------------------------------------------------------------------===//

// NO RACE
// OUTPUT: children 10
// OUTPUT: done

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int Stop;
pthread_mutex_t Mutex = PTHREAD_MUTEX_INITIALIZER;

static void *busy(void *Argument) {
  for (int Stopped = 0; !Stopped;) {
    pthread_mutex_lock(&Mutex);
    Stopped = Stop;
    pthread_mutex_unlock(&Mutex);
    free(malloc(100));
  }
  return Argument;
}

static void *allocate(void *Argument) {
  free(malloc(1000));
  return Argument;
}

int main(void) {
  pthread_t Threads[2], Thread;
  int Children = 0;
  for (int I = 0; I < 2; I++)
    pthread_create(&Threads[I], NULL, busy, NULL);
  for (int I = 0; I < 10; I++) {
    int Status;
    pid_t Child = fork();
    if (Child == 0) {
      pthread_create(&Thread, NULL, allocate, NULL);
      pthread_join(Thread, NULL);
      _exit(1);
    }
    waitpid(Child, &Status, 0);
    Children += WEXITSTATUS(Status);
  }
  pthread_mutex_lock(&Mutex);
  Stop = 1;
  pthread_mutex_unlock(&Mutex);
  for (int I = 0; I < 2; I++)
    pthread_join(Threads[I], NULL);
  printf("children %d\ndone\n", Children);
}
