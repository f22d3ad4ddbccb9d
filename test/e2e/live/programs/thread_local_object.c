//===- thread_local_object.c ----------------------------------------------===//
//
// A thread-local variable races when its address is given away.
//
//===----------------------------------------------------------------------===//

// EXPECT-OBJECT: "type": "tls"

#include "invisible.h"
#include <pthread.h>
#include <stdio.h>

_Thread_local int Mine;

static void *worker(void *Argument) {
  *(int *)Argument = 1; // RACE 1
  Mine = 5;
  done(1);
  return NULL;
}

int main(void) {
  pthread_t Thread;
  pthread_create(&Thread, NULL, worker, &Mine);
  await(1);
  Mine = 2; // RACE 1
  pthread_join(Thread, NULL);
  printf("%d\ndone\n", Mine);
}
