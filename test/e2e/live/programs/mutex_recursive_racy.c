//===- mutex_recursive_racy.c ---------------------------------------------===//
//
// After the last unlock of a recursive mutex there is no protection.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>

int X;
pthread_mutex_t Mutex;

static void *first(void *Argument) {
  pthread_mutex_lock(&Mutex);
  pthread_mutex_lock(&Mutex);
  pthread_mutex_unlock(&Mutex);
  pthread_mutex_unlock(&Mutex);
  X = 1; // RACE 1
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  pthread_mutex_lock(&Mutex);
  X = 2; // RACE 1
  pthread_mutex_unlock(&Mutex);
  return Argument;
}

int main(void) {
  pthread_mutexattr_t Attributes;
  pthread_mutexattr_init(&Attributes);
  pthread_mutexattr_settype(&Attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&Mutex, &Attributes);
  runTwo(first, second);
  printf("%d\ndone\n", X);
}
