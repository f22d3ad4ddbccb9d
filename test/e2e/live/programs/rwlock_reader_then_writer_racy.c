//===- rwlock_reader_then_writer_racy.c -----------------------------------===//
//
// Readers do not order what they write with later readers.
//
//===----------------------------------------------------------------------===//

// KIND: read/write

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>

int X;
int Seen;
pthread_rwlock_t Lock = PTHREAD_RWLOCK_INITIALIZER;

static void *reader(void *Argument) {
  pthread_rwlock_rdlock(&Lock);
  Seen = X; // RACE 1
  pthread_rwlock_unlock(&Lock);
  done(1);
  return Argument;
}

static void *writer(void *Argument) {
  await(1);
  pthread_rwlock_rdlock(&Lock);
  X = 2; // RACE 1
  pthread_rwlock_unlock(&Lock);
  return Argument;
}

int main(void) {
  runTwo(reader, writer);
  printf("%d %d\ndone\n", X, Seen);
}
