//===- groups_racy.c ------------------------------------------------------===//
//
// Accesses to neighbouring members that are checked together: that a thread has made some of them
// before, or has read what it now writes, does not mean that it has made them all.
//
//===----------------------------------------------------------------------===//

#include "invisible.h"
#include "two_threads.h"
#include <stdalign.h>
#include <stdio.h>

struct Point {
  double X, Y, Z;
};
struct Sizes {
  int Width, Height, Depth;
};

alignas(64) static struct Point Points[2];
alignas(64) static struct Sizes Boxes[2]; // the second begins in the middle of a granule

__attribute__((noinline)) static double sumOfTwo(const struct Point *P) { return P->X + P->Y; }
__attribute__((noinline)) static double sum(const struct Point *P) {
  double Sum = P->X + P->Y;
  return Sum + P->Z; // RACE 1
}
__attribute__((noinline)) static void set(struct Point *P, double Value) {
  P->X = Value;
  P->Y = Value; // RACE 2
  P->Z = Value;
}
__attribute__((noinline)) static int area(const struct Sizes *B) { return B->Width * B->Height; }
__attribute__((noinline)) static int volume(const struct Sizes *B) {
  int Area = B->Width * B->Height;
  return Area * B->Depth; // RACE 3
}
__attribute__((noinline)) static void resize(struct Sizes *B, int Size) {
  B->Width = Size; // RACE 4
  B->Height = Size;
}

static void *first(void *Argument) {
  double Sum = sumOfTwo(&Points[0]) + sum(&Points[0]) + sum(&Points[1]);
  set(&Points[1], Sum);
  int Volume = volume(&Boxes[0]) + area(&Boxes[1]) + volume(&Boxes[1]);
  resize(&Boxes[0], Volume);
  done(1);
  return Argument;
}

static void *second(void *Argument) {
  await(1);
  Points[0].Z = 1;                              // RACE 1
  double Y = *(volatile double *)&Points[1].Y;  // RACE 2
  *(volatile int *)&Boxes[1].Depth = 1;         // RACE 3
  int Width = *(volatile int *)&Boxes[0].Width; // RACE 4
  printf("%d\n", (int)Y + Width);
  return Argument;
}

int main(void) {
  runTwo(first, second);
  printf("done\n");
}
