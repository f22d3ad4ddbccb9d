//===- join_self.c --------------------------------------------------------===//
//
// A main thread that tries to join itself gets EDEADLK.
//
//===----------------------------------------------------------------------===//

// NO RACE
// MUST-SHOW-3
// OUTPUT: EDEADLK
// OUTPUT: done

#include <errno.h>
#include <pthread.h>
#include <stdio.h>

int main(void) {
  printf("%s\n", pthread_join(pthread_self(), NULL) == EDEADLK ? "EDEADLK" : "something else");
  printf("done\n");
}
