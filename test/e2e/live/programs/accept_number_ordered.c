//===- accept_number_ordered.c --------------------------------------------===//
//
// A server keeps what it knows of a connection by its number. Who accepts one that gets a number
// again has it from whoever closed the last: the kernel gives it out only then.
//
//===----------------------------------------------------------------------===//

// NO RACE
// OUTPUT: 4 connections

#define _GNU_SOURCE
#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { Turns = 2, Numbers = 64 };
int ConnectionsOf[Numbers]; // by number
int Listener;

static void check(int IsRight) {
  if (!IsRight)
    abort();
}

static void serve(int Connection) {
  check(Connection >= 0 && Connection < Numbers);
  ++ConnectionsOf[Connection];
}

static void *first(void *Argument) {
  for (int Turn = 0; Turn < Turns; ++Turn) {
    await(2 * Turn);
    int Connection = accept(Listener, NULL, NULL);
    serve(Connection);
    close(Connection);
    done(2 * Turn + 1);
  }
  return Argument;
}

static void *second(void *Argument) {
  for (int Turn = 0; Turn < Turns; ++Turn) {
    await(2 * Turn + 1);
    FILE *Connection = fdopen(accept4(Listener, NULL, NULL, SOCK_CLOEXEC), "r");
    check(Connection != NULL);
    serve(fileno(Connection));
    fclose(Connection);
    done(2 * Turn + 2);
  }
  return Argument;
}

int main(void) {
  struct sockaddr_un Address = {.sun_family = AF_UNIX};
  snprintf(Address.sun_path, sizeof(Address.sun_path), "accept_number.%d", (int)getpid());
  Listener = socket(AF_UNIX, SOCK_STREAM, 0);
  check(!bind(Listener, (struct sockaddr *)&Address, sizeof(Address)) && !listen(Listener, 8));
  for (int Client = 0; Client < 2 * Turns; ++Client)
    check(!connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&Address, sizeof(Address)));
  runTwo(first, second);
  unlink(Address.sun_path);
  int Number = 0;
  while (Number < Numbers && ConnectionsOf[Number] == 0)
    ++Number;
  check(Number < Numbers); // the same one for all of them
  printf("%d connections\n", ConnectionsOf[Number]);
}
