//===- atfork_ordered.c ---------------------------------------------------===//
//
// Handlers of pthread_atfork run in the thread that forks.
//
//===----------------------------------------------------------------------===//

// NO RACE
// OUTPUT: 11 child 101
// OUTPUT: done

#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int X;

static void prepare(void) { X += 1; }
static void parent(void) { X += 10; }
static void child(void) { X += 100; }

int main(void) {
  int Status;
  pthread_atfork(prepare, parent, child);
  pid_t Child = fork();
  if (Child == 0)
    _exit(X);
  waitpid(Child, &Status, 0);
  printf("%d child %d\ndone\n", X, WEXITSTATUS(Status));
}
