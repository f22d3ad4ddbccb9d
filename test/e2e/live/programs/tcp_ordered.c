//===- tcp_ordered.c ------------------------------------------------------===//
//
// A TCP connection over loopback orders what was sent before what was received.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "two_threads.h"
#include <arpa/inet.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

int X;
int Listener;
struct sockaddr_in Address;

static void *server(void *Argument) {
  char Byte;
  int Connection = accept(Listener, NULL, NULL);
  if (recv(Connection, &Byte, 1, 0) != 1)
    abort();
  X += Byte;
  if (send(Connection, &Byte, 1, 0) != 1)
    abort();
  close(Connection);
  return Argument;
}

static void *client(void *Argument) {
  char Byte = 1;
  int Connection = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(Connection, (struct sockaddr *)&Address, sizeof(Address)))
    abort();
  X = 1;
  if (write(Connection, &Byte, 1) != 1 || read(Connection, &Byte, 1) != 1)
    abort();
  X += Byte;
  close(Connection);
  return Argument;
}

int main(void) {
  socklen_t Length = sizeof(Address);
  Listener = socket(AF_INET, SOCK_STREAM, 0);
  Address.sin_family = AF_INET;
  Address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(Listener, (struct sockaddr *)&Address, sizeof(Address)) || listen(Listener, 1) ||
      getsockname(Listener, (struct sockaddr *)&Address, &Length))
    abort();
  runTwo(server, client);
  printf("%d\ndone\n", X);
}
