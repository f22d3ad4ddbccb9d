//===- pipe_readv_ordered.c -----------------------------------------------===//
//
// readv and writev order, and access what their vectors say.
//
//===----------------------------------------------------------------------===//

// NO RACE

#include "two_threads.h"
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

int X;
int Pipe[2];
char Out[8], In[8];

static void *first(void *Argument) {
  struct iovec Parts[2] = {{Out, 3}, {Out + 5, 3}};
  for (int I = 0; I < 8; I++)
    Out[I] = (char)('a' + I);
  X = 1;
  if (writev(Pipe[1], Parts, 2) != 6)
    abort();
  return Argument;
}

static void *second(void *Argument) {
  struct iovec Parts[2] = {{In, 4}, {In + 4, 2}};
  if (readv(Pipe[0], Parts, 2) != 6)
    abort();
  X += In[0] == 'a';
  return Argument;
}

int main(void) {
  if (pipe(Pipe))
    abort();
  runTwo(first, second);
  printf("%d %s\ndone\n", X, In);
}
