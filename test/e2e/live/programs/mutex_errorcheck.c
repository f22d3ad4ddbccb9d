//===- mutex_errorcheck.c -------------------------------------------------===//
//
// Errors of an error-checking mutex reach the program and change no order.
//
//===----------------------------------------------------------------------===//

// OUTPUT: EDEADLK EPERM EBUSY
// OUTPUT: done

#include "invisible.h"
#include "two_threads.h"
#include <errno.h>
#include <stdio.h>

int X, Y;
int Relock, Foreign, Try;
pthread_mutex_t Mutex;

static void *owner(void *Argument) {
  pthread_mutex_lock(&Mutex);
  Relock = pthread_mutex_lock(&Mutex);
  X = 1; // RACE 1
  Y = 1;
  done(1);
  await(2);
  pthread_mutex_unlock(&Mutex);
  done(3);
  return Argument;
}

static void *other(void *Argument) {
  await(1);
  Foreign = pthread_mutex_unlock(&Mutex);
  Try = pthread_mutex_trylock(&Mutex);
  X = 2; // RACE 1
  done(2);
  await(3);
  pthread_mutex_lock(&Mutex);
  Y = 2;
  pthread_mutex_unlock(&Mutex);
  return Argument;
}

int main(void) {
  pthread_mutexattr_t Attributes;
  pthread_mutexattr_init(&Attributes);
  pthread_mutexattr_settype(&Attributes, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&Mutex, &Attributes);
  runTwo(owner, other);
  printf("%s %s %s\ndone\n", Relock == EDEADLK ? "EDEADLK" : "?", Foreign == EPERM ? "EPERM" : "?",
         Try == EBUSY ? "EBUSY" : "?");
}
