//===- fork_no_race.c -----------------------------------------------------===//
//
// Parent and child have memory of their own, and the child inherits the order.
//
//===----------------------------------------------------------------------===//

// NO RACE
// OUTPUT: child 3
// OUTPUT: done

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int X;
pthread_mutex_t Mutex = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *Argument) {
  pthread_mutex_lock(&Mutex);
  X++;
  pthread_mutex_unlock(&Mutex);
  return Argument;
}

static void runThread(void) {
  pthread_t Thread;
  pthread_create(&Thread, NULL, worker, NULL);
  pthread_mutex_lock(&Mutex);
  X++;
  pthread_mutex_unlock(&Mutex);
  pthread_join(Thread, NULL);
}

int main(void) {
  int Status;
  X = 1;
  pid_t Child = fork();
  runThread();
  if (Child == 0)
    exit(X);
  waitpid(Child, &Status, 0);
  printf("child %d\ndone\n", WEXITSTATUS(Status));
}
