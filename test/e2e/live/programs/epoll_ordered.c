//===- epoll_ordered.c ----------------------------------------------------===//
//
// What was done before epoll_ctl is ordered before epoll_wait returns its event.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "two_threads.h"
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

int X;
int Poller, Event;

static void *first(void *Argument) {
  struct epoll_event Interest = {.events = EPOLLIN, .data = {.ptr = &X}};
  X = 1;
  if (epoll_ctl(Poller, EPOLL_CTL_ADD, Event, &Interest))
    abort();
  return Argument;
}

static void *second(void *Argument) {
  struct epoll_event Happened;
  if (epoll_wait(Poller, &Happened, 1, -1) != 1)
    abort();
  ++*(int *)Happened.data.ptr;
  return Argument;
}

int main(void) {
  Poller = epoll_create1(0);
  Event = eventfd(1, 0);
  runTwo(first, second);
  printf("%d\ndone\n", X);
}
