//===- fork_exec.c --------------------------------------------------------===//
//
// A child that becomes another program leaves nothing behind.
//
//===----------------------------------------------------------------------===//

// NO RACE
// OUTPUT: from the shell
// OUTPUT: done

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
  int Status;
  pid_t Child = fork();
  if (Child == 0) {
    execl("/bin/sh", "sh", "-c", "echo from the shell", NULL);
    _exit(1);
  }
  waitpid(Child, &Status, 0);
  printf("done\n");
  return WEXITSTATUS(Status);
}
