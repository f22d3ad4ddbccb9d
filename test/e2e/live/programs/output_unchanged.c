//===- output_unchanged.c -------------------------------------------------===//
//
// The program's output, arguments, input and environment are its own.
//
//===----------------------------------------------------------------------===//

// NO RACE
// RUN: one 'two words' ""
// STDERR: ^to stderr$
// OUTPUT: 4 one|two words|
// OUTPUT: -1 at the end of the input
// OUTPUT: done

#include <stdio.h>

int main(int Count, char **Arguments) {
  printf("%d %s|%s|%s\n", Count, Arguments[1], Arguments[2], Arguments[3]);
  printf("%d at the end of the input\n", getchar());
  fprintf(stderr, "to stderr\n");
  printf("done\n");
}
