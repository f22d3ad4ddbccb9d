//===- socketpair_message_ordered.c ---------------------------------------===//
//
// sendmsg orders before recvmsg.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "two_threads.h"
#include <stdio.h>
#include <sys/socket.h>
#include <sys/uio.h>

int X;
int Ends[2];

static void *first(void *Argument) {
  char Text[4] = "abc";
  struct iovec Part = {Text, 4};
  struct msghdr Message = {.msg_iov = &Part, .msg_iovlen = 1};
  X = 1;
  if (sendmsg(Ends[0], &Message, 0) != 4)
    abort();
  return Argument;
}

static void *second(void *Argument) {
  char Text[4] = "";
  struct iovec Part = {Text, 4};
  struct msghdr Message = {.msg_iov = &Part, .msg_iovlen = 1};
  if (recvmsg(Ends[1], &Message, 0) != 4)
    abort();
  X += Text[0] == 'a';
  return Argument;
}

int main(void) {
  if (socketpair(AF_UNIX, SOCK_DGRAM, 0, Ends))
    abort();
  runTwo(first, second);
  printf("%d\ndone\n", X);
}
