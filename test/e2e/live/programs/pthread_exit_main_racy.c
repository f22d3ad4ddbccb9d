//===- pthread_exit_main_racy.c ---------------------------------------------===//
//
// A race that shows when the main thread has left: the system then says nothing about the process
// as seen by it, and the functions of its stack have to be found all the same.
//
//===----------------------------------------------------------------------===//

// STACK: touch, main

#define _GNU_SOURCE
#include "invisible.h"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int X;

__attribute__((noinline)) static void touch(void) {
  X = 1; // RACE 1
}

INVISIBLE static int isZombie(void) {
  char Line[512] = "";
  FILE *File = fopen("/proc/self/stat", "r");
  if (!File || !fgets(Line, sizeof(Line), File))
    abort();
  fclose(File);
  return strncmp(strrchr(Line, ')'), ") Z", 3) == 0;
}

static void *worker(void *Argument) {
  while (!isZombie())
    ;
  X = 2; // RACE 1
  printf("done\n");
  return Argument;
}

int main(void) {
  pthread_t Thread;
  pthread_create(&Thread, NULL, worker, NULL);
  touch();
  pthread_exit(NULL);
}
