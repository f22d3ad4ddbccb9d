//===- invisible.h - An order of threads that the detector cannot see -------===//
//
// A race test has to have its race in every run, and in the same order: the threads take
// turns. Any primitive that the detector knows would order the very accesses that are to
// race. So the turns are taken by a counter that only the functions below touch, which are
// not instrumented, with futex system calls made by hand, which nothing intercepts.
//
//   first thread                   second thread
//     X = 1; // RACE 1               await(1);
//     done(1);                       X = 2; // RACE 1
//
// The counter belongs to one file of a program, and each process after fork has its own.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_TEST_E2E_LIVE_PROGRAMS_INVISIBLE_H
#define PHOTOFINISH_TEST_E2E_LIVE_PROGRAMS_INVISIBLE_H

#define INVISIBLE                                                                                  \
  __attribute__((no_sanitize("thread"), disable_sanitizer_instrumentation, noinline, unused))

static int InvisibleSteps;

// The raw futex call: no libc function, so that no interceptor is passed.
INVISIBLE static void invisibleFutex(int Operation, int Value) {
  enum { FutexCall = 202 };
  register long Timeout __asm__("r10") = 0;
  long Result;
  __asm__ volatile("syscall"
                   : "=a"(Result)
                   : "a"((long)FutexCall), "D"(&InvisibleSteps), "S"((long)Operation),
                     "d"((long)Value), "r"(Timeout)
                   : "rcx", "r11", "memory");
}

// Waits until Step steps have been done.
INVISIBLE static void await(int Step) {
  enum { FutexWaitPrivate = 128 };
  for (;;) {
    int Now = __atomic_load_n(&InvisibleSteps, __ATOMIC_ACQUIRE);
    if (Now >= Step)
      return;
    invisibleFutex(FutexWaitPrivate, Now);
  }
}

// One more step is done, by whichever thread comes along.
INVISIBLE static int arrive(void) {
  enum { FutexWakePrivate = 129, Everybody = 0x7fffffff };
  int Step = __atomic_add_fetch(&InvisibleSteps, 1, __ATOMIC_ACQ_REL);
  invisibleFutex(FutexWakePrivate, Everybody);
  return Step;
}

// Step number Step is done; a program whose steps are out of order is wrong.
INVISIBLE static void done(int Step) {
  if (arrive() != Step)
    __builtin_trap();
}

#endif // PHOTOFINISH_TEST_E2E_LIVE_PROGRAMS_INVISIBLE_H
