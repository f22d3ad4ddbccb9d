//===- fork_parent_race.c -------------------------------------------------===//
//
// A child process that ends clean does not change the parent's verdict.
//
//===----------------------------------------------------------------------===//

// OUTPUT: child 0
// OUTPUT: 2
// OUTPUT: done

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int X;

static void *first(void *Argument) {
  X = 1; // RACE 1
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  X = 2; // RACE 1
  return Argument;
}

int main(void) {
  int Status;
  pid_t Child = fork();
  if (Child == 0)
    return X;
  waitpid(Child, &Status, 0);
  printf("child %d\n", WEXITSTATUS(Status));
  runTwo(first, second);
  printf("%d\ndone\n", X);
}
