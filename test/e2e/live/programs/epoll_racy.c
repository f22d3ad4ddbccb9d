//===- epoll_racy.c -------------------------------------------------------===//
//
// An epoll_wait that times out orders nothing.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

int X;
int Poller, Event;

static void *first(void *Argument) {
  struct epoll_event Interest = {.events = EPOLLIN, .data = {.ptr = &X}};
  X = 1; // RACE 1
  if (epoll_ctl(Poller, EPOLL_CTL_ADD, Event, &Interest))
    abort();
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  struct epoll_event Happened;
  await(1);
  if (epoll_wait(Poller, &Happened, 1, 0) != 0)
    abort();
  X = 2; // RACE 1
  return Argument;
}

int main(void) {
  Poller = epoll_create1(0);
  Event = eventfd(0, 0);
  runTwo(first, second);
  printf("%d\ndone\n", X);
}
