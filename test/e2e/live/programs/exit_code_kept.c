//===- exit_code_kept.c ---------------------------------------------------===//
//
// Without races the program's own exit code is kept.
//
//===----------------------------------------------------------------------===//

// NO RACE
// EXIT: 3

#include <pthread.h>
#include <stdio.h>

static void *worker(void *Argument) { return Argument; }

int main(void) {
  pthread_t Thread;
  pthread_create(&Thread, NULL, worker, NULL);
  pthread_join(Thread, NULL);
  printf("done\n");
  return 3;
}
