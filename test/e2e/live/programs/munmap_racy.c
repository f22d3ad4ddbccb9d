//===- munmap_racy.c ------------------------------------------------------===//
//
// Unmapping memory races with another thread's use of it.
//
//===----------------------------------------------------------------------===//

// KIND: unmap

#include "invisible.h"
#include "two_threads.h"
#include <stdio.h>
#include <sys/mman.h>

char *Place;

static void *user(void *Argument) {
  Place[4100] = 1; // RACE 1
  done(1);
  return Argument;
}

static void *owner(void *Argument) {
  await(1);
  munmap(Place, 8192); // RACE 1
  return Argument;
}

int main(void) {
  Place = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  runTwo(user, owner);
  printf("done\n");
}
