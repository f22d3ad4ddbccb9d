//===- fork_alone_racy.c --------------------------------------------------===//
//
// The child of a fork has but one thread, and is not alone for that: nothing orders what the
// parent's other threads did before, whatever threads the child has had since.
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

int X, Y;

static void *other(void *Argument) {
  X = 1; // RACE 1
  done(1);
  await(2);
  return Argument;
}

static void *ofChild(void *Argument) {
  Y = 1;
  return Argument;
}

int main(void) {
  pthread_t Thread;
  pthread_create(&Thread, NULL, other, NULL);
  await(1);
  pid_t Child = fork();
  if (Child == 0) {
    pthread_create(&Thread, NULL, ofChild, NULL);
    pthread_join(Thread, NULL);
    X = 0; // RACE 1
    return X;
  }
  int Status;
  waitpid(Child, &Status, 0);
  done(2);
  pthread_join(Thread, NULL);
  printf("child %d\ndone\n", WEXITSTATUS(Status));
}
