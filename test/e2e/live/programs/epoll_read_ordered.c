//===- epoll_read_ordered.c -----------------------------------------------===//
//
// epoll_wait says when to read, and the read orders.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "two_threads.h"
#include <stdio.h>
#include <sys/epoll.h>
#include <unistd.h>

int X;
int Poller, Pipe[2];

static void *first(void *Argument) {
  char Byte = 1;
  X = 1;
  if (write(Pipe[1], &Byte, 1) != 1)
    abort();
  return Argument;
}

static void *second(void *Argument) {
  struct epoll_event Happened;
  char Byte;
  if (epoll_wait(Poller, &Happened, 1, -1) != 1 || read(Happened.data.fd, &Byte, 1) != 1)
    abort();
  X += Byte;
  return Argument;
}

int main(void) {
  Poller = epoll_create1(0);
  if (pipe(Pipe))
    abort();
  struct epoll_event Interest = {.events = EPOLLIN, .data = {.fd = Pipe[0]}};
  if (epoll_ctl(Poller, EPOLL_CTL_ADD, Pipe[0], &Interest))
    abort();
  runTwo(first, second);
  printf("%d\ndone\n", X);
}
