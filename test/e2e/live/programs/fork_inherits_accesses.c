//===- fork_inherits_accesses.c -------------------------------------------===//
//
// A child's accesses race with what the parent's other threads did before.
//
//===----------------------------------------------------------------------===//

// OUTPUT: child 66
// OUTPUT: done
// EXIT: 0

#include "invisible.h"
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int X;

static void *worker(void *Argument) {
  X = 1; // RACE 1
  done(1);
  await(2);
  return Argument;
}

int main(void) {
  pthread_t Thread;
  int Status;
  pthread_create(&Thread, NULL, worker, NULL);
  await(1);
  pid_t Child = fork();
  if (Child == 0) {
    X = 0; // RACE 1
    return X;
  }
  waitpid(Child, &Status, 0);
  done(2);
  pthread_join(Thread, NULL);
  printf("child %d\ndone\n", WEXITSTATUS(Status));
}
