//===- fork_child_race.c --------------------------------------------------===//
//
// Threads of a child process race there, and its exit code says so.
//
//===----------------------------------------------------------------------===//

// OUTPUT: child 66
// OUTPUT: done
// EXIT: 0

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
  if (Child == 0) {
    runTwo(first, second);
    return X - 2;
  }
  waitpid(Child, &Status, 0);
  printf("child %d\ndone\n", WEXITSTATUS(Status));
}
