//===- accept_number_racy.c -----------------------------------------------===//
//
// A connection that gets another number than the one that was closed is ordered with nothing; nor
// is a socket that gets the same one, but is not accepted.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int X, Y;
int Listener;

static int acceptOne(void) {
  int Connection = accept(Listener, NULL, NULL);
  if (Connection < 0)
    abort();
  return Connection;
}

static void *first(void *Argument) {
  int Low = acceptOne(), High = acceptOne();
  X = 1; // RACE 1
  close(High);
  done(1);
  await(2);
  Y = 1; // RACE 2
  close(Low);
  done(3);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  int Third = dup(Listener); // takes the number that was closed
  int Other = acceptOne();
  X = 2; // RACE 1
  done(2);
  await(3);
  int Same = socket(AF_UNIX, SOCK_STREAM, 0);
  Y = 2; // RACE 2
  if (Third > Other || Same > Third)
    abort();
  return Argument;
}

int main(void) {
  struct sockaddr_un Address = {.sun_family = AF_UNIX};
  snprintf(Address.sun_path, sizeof(Address.sun_path), "accept_racy.%d", (int)getpid());
  Listener = socket(AF_UNIX, SOCK_STREAM, 0);
  if (bind(Listener, (struct sockaddr *)&Address, sizeof(Address)) || listen(Listener, 8))
    abort();
  for (int Client = 0; Client < 3; ++Client)
    if (connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&Address, sizeof(Address)))
      abort();
  runTwo(first, second);
  unlink(Address.sun_path);
  printf("%d %d\ndone\n", X, Y);
}
