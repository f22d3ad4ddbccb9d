//===- mutex_one_side_racy.c ----------------------------------------------===//
//
// A lock that only one side takes protects nothing.
//
//===----------------------------------------------------------------------===//

// KIND: write/read

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>

int X;
int Seen;
pthread_mutex_t Mutex = PTHREAD_MUTEX_INITIALIZER;

static void *writer(void *Argument) {
  pthread_mutex_lock(&Mutex);
  X = 1; // RACE 1
  pthread_mutex_unlock(&Mutex);
  done(1);
  return Argument;
}

static void *reader(void *Argument) {
  await(1);
  Seen = X; // RACE 1
  return Argument;
}

int main(void) {
  runTwo(writer, reader);
  printf("%d %d\ndone\n", X, Seen);
}
