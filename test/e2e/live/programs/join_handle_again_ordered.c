//===- join_handle_again_ordered.c ------------------------------------------===//
//
// A thread's handle may be another one's as soon as libc has joined it, before its joiner has run
// on: two threads that are over have the same handle then, and the next join is of the later.
//
//===----------------------------------------------------------------------===//

// NO RACE
// OUTPUT: 1
// OUTPUT: done
// WITH: held_join.c -shared -fno-photofinish

#define _GNU_SOURCE
#include "invisible.h"
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

void holdNextJoin(int *Until, int *Reached);

enum { Tries = 100 };

static pthread_t Old;
static int IsOver, IsJoined, Id, X;

INVISIBLE static void awaitJoined(void) {
  while (!__atomic_load_n(&IsJoined, __ATOMIC_ACQUIRE))
    ;
}
INVISIBLE static void letGo(void) { __atomic_store_n(&IsOver, 1, __ATOMIC_RELEASE); }

INVISIBLE static void tellId(void) {
  __atomic_store_n(&Id, (int)syscall(SYS_gettid), __ATOMIC_RELEASE);
}
INVISIBLE static void awaitEnd(void) {
  int Whose;
  while (!(Whose = __atomic_exchange_n(&Id, 0, __ATOMIC_ACQUIRE)))
    ;
  while (syscall(SYS_tgkill, getpid(), Whose, 0) == 0)
    ;
}

static void *nothing(void *Argument) { return Argument; }

static void *writes(void *Argument) {
  ++X;
  tellId();
  return Argument;
}

static void *joinsTheNext(void *Argument) {
  awaitJoined();
  int Found = 0;
  for (int I = 0; I < Tries && !Found; ++I) {
    pthread_t Next;
    pthread_create(&Next, NULL, writes, NULL);
    Found = pthread_equal(Next, Old);
    awaitEnd();
    pthread_join(Next, NULL);
    ++X;
  }
  letGo();
  if (!Found)
    printf("libc did not use the handle again\n");
  return Argument;
}

int main(void) {
  pthread_create(&Old, NULL, nothing, NULL);
  pthread_t Other;
  pthread_create(&Other, NULL, joinsTheNext, NULL);
  holdNextJoin(&IsOver, &IsJoined);
  pthread_join(Old, NULL);
  pthread_join(Other, NULL);
  printf("%d\ndone\n", X > 1);
}
