//===- unix_socket_ordered.c ----------------------------------------------===//
//
// A connection to a named unix socket orders what goes through it.
//
//===----------------------------------------------------------------------===//

// NO RACE

#define _GNU_SOURCE
#include "two_threads.h"
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int X;
int Listener;
struct sockaddr_un Address;

static void *server(void *Argument) {
  char Byte;
  int Connection = accept4(Listener, NULL, NULL, SOCK_CLOEXEC);
  if (read(Connection, &Byte, 1) != 1)
    abort();
  X += Byte;
  close(Connection);
  return Argument;
}

static void *client(void *Argument) {
  char Byte = 1;
  int Connection = socket(AF_UNIX, SOCK_STREAM, 0);
  X = 1;
  if (connect(Connection, (struct sockaddr *)&Address, sizeof(Address)))
    abort();
  if (write(Connection, &Byte, 1) != 1)
    abort();
  close(Connection);
  return Argument;
}

int main(void) {
  Listener = socket(AF_UNIX, SOCK_STREAM, 0);
  Address.sun_family = AF_UNIX;
  snprintf(Address.sun_path, sizeof(Address.sun_path), "unix_socket.%d", (int)getpid());
  if (bind(Listener, (struct sockaddr *)&Address, sizeof(Address)) || listen(Listener, 1))
    abort();
  runTwo(server, client);
  unlink(Address.sun_path);
  printf("%d\ndone\n", X);
}
