/* Runs a program and says what it cost:  launch FD PROGRAM [ARGUMENT...]
 *
 * FD gets one line: seconds of wall, user and system time, peak of the resident set in KiB, and the
 * status that wait gave. A process's peak is never below that of the process it was forked from, as
 * Linux counts: started from a large one, a small program would look large. This one is small. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval T) { return (double)T.tv_sec + (double)T.tv_usec * 1e-6; }

int main(int Argc, char **Argv) {
  if (Argc < 3) {
    fprintf(stderr, "usage: launch FD PROGRAM [ARGUMENT...]\n");
    return 2;
  }
  int Report = atoi(Argv[1]);
  struct timespec Begin, End;
  clock_gettime(CLOCK_MONOTONIC, &Begin);
  pid_t Child = fork();
  if (!Child) {
    close(Report);
    execvp(Argv[2], Argv + 2);
    fprintf(stderr, "launch: %s: %s\n", Argv[2], strerror(errno));
    _exit(127);
  }
  /* What ends the program is for the program alone. */
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  int Status;
  struct rusage Used;
  if (Child < 0 || wait4(Child, &Status, 0, &Used) < 0) {
    perror("launch");
    return 2;
  }
  clock_gettime(CLOCK_MONOTONIC, &End);
  dprintf(Report, "%.6f %.6f %.6f %ld %d\n",
          (double)(End.tv_sec - Begin.tv_sec) + (double)(End.tv_nsec - Begin.tv_nsec) * 1e-9,
          seconds(Used.ru_utime), seconds(Used.ru_stime), Used.ru_maxrss, Status);
  return 0;
}
