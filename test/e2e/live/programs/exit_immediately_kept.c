//===- exit_immediately_kept.c --------------------------------------------===//
//
// Without races _exit keeps its code.
//
//===----------------------------------------------------------------------===//

// NO RACE
// OUTPUT: leaving
// EXIT: 5

#include <stdio.h>
#include <unistd.h>

int main(void) {
  printf("leaving\n");
  fflush(stdout);
  _exit(5);
}
