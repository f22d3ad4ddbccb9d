//===- os.cpp - Linux on x86-64 ----------------------------------------------===//
//
// Every function here is a system call or a few of them. Nothing is called in libc; of its
// data only the list of environment variables is looked at, where /proc is not there.
//
//===----------------------------------------------------------------------===//

#include "runtime/platform/os.h"

#include <atomic>
#include <bit>
#include <cerrno>
#include <elf.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <linux/sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

extern "C" __attribute__((weak)) char **__environ;

namespace photofinish::os {

long call(long Number, long A, long B, long C, long D, long E, long F) {
  register long R10 asm("r10") = D;
  register long R8 asm("r8") = E;
  register long R9 asm("r9") = F;
  long Result;
  asm volatile("syscall"
               : "=a"(Result)
               : "a"(Number), "D"(A), "S"(B), "d"(C), "r"(R10), "r"(R8), "r"(R9)
               : "rcx", "r11", "memory");
  return Result;
}

template <class T> static long asLong(T *Pointer) { return reinterpret_cast<long>(Pointer); }

// Memory.

static bool isError(long Result) { return Result < 0 && Result > -4096; }

void *map(size_t Bytes) {
  long Result = call(SYS_mmap, 0, long(Bytes), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return isError(Result) ? nullptr : std::bit_cast<void *>(Result);
}

void unmap(void *Start, size_t Bytes) { call(SYS_munmap, asLong(Start), long(Bytes)); }

void discard(void *Start, size_t Bytes) {
  call(SYS_madvise, asLong(Start), long(Bytes), MADV_DONTNEED);
}

void protect(void *Start, size_t Bytes) {
  call(SYS_mprotect, asLong(Start), long(Bytes), PROT_NONE);
}

// Files.

long write(int Fd, const void *Data, size_t Bytes) {
  const char *Next = static_cast<const char *>(Data);
  size_t Left = Bytes;
  while (Left) {
    // A socket whose other end is gone must not send SIGPIPE to the program.
    long Written = call(SYS_sendto, Fd, asLong(Next), long(Left), MSG_NOSIGNAL);
    if (Written == -ENOTSOCK)
      Written = call(SYS_write, Fd, asLong(Next), long(Left));
    if (Written == -EINTR)
      continue;
    if (Written < 0)
      return Written;
    Next += Written;
    Left -= size_t(Written);
  }
  return long(Bytes);
}

long read(int Fd, void *Data, size_t Bytes) {
  long Result;
  do
    Result = call(SYS_read, Fd, asLong(Data), long(Bytes));
  while (Result == -EINTR);
  return Result;
}

/// A descriptor that stays open gets a high number: programs expect the low ones in order.
static int outOfTheWay(int Fd) {
  constexpr int High = 960; // below 1024, the usual limit
  if (Fd < 0)
    return Fd;
  long Moved = call(SYS_fcntl, Fd, F_DUPFD_CLOEXEC, High);
  if (Moved < 0)
    return Fd;
  close(Fd);
  return int(Moved);
}

int openToRead(const char *Path) {
  return int(call(SYS_openat, AT_FDCWD, asLong(Path), O_RDONLY | O_CLOEXEC));
}

int openToWrite(const char *Path) {
  return outOfTheWay(int(
      call(SYS_openat, AT_FDCWD, asLong(Path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)));
}

void close(int Fd) { call(SYS_close, Fd); }

size_t readFile(const char *Path, char *Buffer, size_t Bytes) {
  int Fd = openToRead(Path);
  if (Fd < 0)
    return 0;
  size_t Filled = 0;
  while (Filled < Bytes) {
    long Got = read(Fd, Buffer + Filled, Bytes - Filled);
    if (Got <= 0)
      break;
    Filled += size_t(Got);
  }
  close(Fd);
  return Filled;
}

bool readMemory(uintptr_t Address, void *Buffer, size_t Bytes) {
  iovec To{Buffer, Bytes}, From{reinterpret_cast<void *>(Address), Bytes};
  // By thread: the main thread, whose number is the process's, may have left.
  long Read = call(SYS_process_vm_readv, threadId(), asLong(&To), 1, asLong(&From), 1, 0);
  // Where a sandbox forbids the call, a report that can be read is worth the risk.
  if (Read == -EPERM || Read == -ENOSYS) {
    __builtin_memcpy(Buffer, From.iov_base, Bytes);
    return true;
  }
  return Read == long(Bytes);
}

bool readLink(const char *Path, char *Buffer, size_t Bytes) {
  if (!Bytes)
    return false;
  long Length = call(SYS_readlinkat, AT_FDCWD, asLong(Path), asLong(Buffer), long(Bytes - 1));
  Buffer[Length < 0 ? 0 : Length] = 0;
  return Length >= 0;
}

// Threads and processes.

int processId() { return int(call(SYS_getpid)); }

int threadId() { return int(call(SYS_gettid)); }

bool threadExists(int ThreadId) { return call(SYS_tgkill, processId(), ThreadId, 0) == 0; }

void yield() { call(SYS_sched_yield); }

void wait(const void *Word, uint32_t Value) {
  call(SYS_futex, asLong(Word), FUTEX_WAIT_PRIVATE, long(Value));
}

void wake(const void *Word, int Threads) {
  call(SYS_futex, asLong(Word), FUTEX_WAKE_PRIVATE, Threads);
}

void exitProcess(int Code) {
  for (;;)
    call(SYS_exit_group, Code);
}

uint64_t peakResidentBytes() {
  rusage Usage{};
  if (call(SYS_getrusage, RUSAGE_SELF, asLong(&Usage)) < 0)
    return 0;
  return uint64_t(Usage.ru_maxrss) * 1024;
}

size_t mainStackLimit() {
  // What a stack without a limit is taken for: large, but an address minus it is an address.
  constexpr size_t Unlimited = size_t(16) << 30;
  rlimit Limit{};
  if (call(SYS_prlimit64, 0, RLIMIT_STACK, 0, asLong(&Limit)) < 0)
    return Unlimited;
  return Limit.rlim_cur < Unlimited ? Limit.rlim_cur : Unlimited;
}

extern "C" __attribute__((weak)) void *__libc_stack_end;

uintptr_t mainStackEnd() {
  // Arguments and environment lie behind what libc takes for the end.
  constexpr uintptr_t PageBytes = 4096, Behind = uintptr_t(256) << 10;
  auto Known = reinterpret_cast<uintptr_t>(&__libc_stack_end ? __libc_stack_end
                                                             : __builtin_frame_address(0));
  return (Known + Behind) & ~(PageBytes - 1);
}

// The linker's name for the beginning of the executable.
extern "C" __attribute__((weak, visibility("hidden"))) const Elf64_Ehdr __ehdr_start;

size_t programTlsBytes() {
  if (!&__ehdr_start)
    return 0;
  const auto *Headers = reinterpret_cast<const Elf64_Phdr *>(
      reinterpret_cast<const char *>(&__ehdr_start) + __ehdr_start.e_phoff);
  for (unsigned I = 0; I < __ehdr_start.e_phnum; ++I)
    if (Headers[I].p_type == PT_TLS)
      return (Headers[I].p_memsz + Headers[I].p_align - 1) & -Headers[I].p_align;
  return 0;
}

void registerBarrier() { call(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0); }

void barrierForAllThreads() {
  if (call(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) < 0)
    call(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
}

// The environment.

namespace {

size_t pagesFor(size_t Bytes) { return (Bytes + 4095) & ~size_t(4095); }

/// Null if the file cannot be read: no /proc, or a process that may not be looked at.
char **readEnvironment() {
  // The file does not tell its size: read it with more and more room.
  for (size_t Room = size_t(1) << 16; Room <= size_t(1) << 26; Room *= 4) {
    char *Text = static_cast<char *>(map(Room));
    if (!Text)
      return nullptr;
    size_t Length = readFile("/proc/self/environ", Text, Room - 1);
    if (Length + 1 >= Room) {
      unmap(Text, Room);
      continue;
    }
    size_t Count = 0;
    for (size_t I = 0; I < Length; ++I)
      Count += Text[I] == 0;
    char **Variables =
        Length ? static_cast<char **>(map(pagesFor((Count + 2) * sizeof(char *)))) : nullptr;
    if (!Variables) {
      unmap(Text, Room);
      return nullptr;
    }
    char **Next = Variables;
    for (size_t I = 0; I < Length; ++I)
      if (I == 0 || Text[I - 1] == 0)
        *Next++ = Text + I;
    return Variables;
  }
  return nullptr;
}

/// Read once, because the program may write over the place that the kernel shows in the file.
char **initialEnvironment() {
  static std::atomic<char **> Known{nullptr};
  // Acquire: the pointer is published with what it points to.
  char **Variables = Known.load(std::memory_order_acquire);
  if (Variables)
    return Variables;
  Variables = readEnvironment();
  if (!Variables)
    return &__environ ? __environ : nullptr;
  // Should two threads get here, both copies are equal and one of them is lost.
  Known.store(Variables, std::memory_order_release);
  return Variables;
}

} // namespace

const char *environment(const char *Name) {
  char **Variables = initialEnvironment();
  if (!Variables)
    return nullptr;
  for (; *Variables; ++Variables) {
    const char *Text = *Variables;
    const char *Wanted = Name;
    while (*Wanted && *Text == *Wanted)
      ++Text, ++Wanted;
    if (!*Wanted && *Text == '=')
      return Text + 1;
  }
  return nullptr;
}

// Starting a program.
//
// A fork would copy the page tables of a large process. Instead, as with vfork, both the
// intermediate process and the program's use our memory, each with a stack of its own, and we
// wait for them. Signals are blocked: a handler of the program must not run in either. The
// intermediate has no exit signal, so that even while it exists wait() does not see it.

namespace {

struct Start {
  const char *const *Arguments;
  char **Environment;
  int Input;           ///< the program's end of the socket
  char *InnerStackEnd; ///< of the process that becomes the program
  long Result;         ///< negative: the error; told by whichever of the two processes has it
};

constexpr size_t StackBytes = size_t(64) << 10;
/// As the kernel knows a set of signals.
using SignalSet = uint64_t;

/// Runs Body(Argument), which does not return, in a new process on a stack of its own.
long cloneProcess(long Flags, char *StackEnd, void (*Body)(Start *), Start *Argument) {
  register long R10 asm("r10") = 0;
  register long R8 asm("r8") = 0;
  register void (*R12)(Start *) asm("r12") = Body;
  register Start *R13 asm("r13") = Argument;
  long Result;
  asm volatile("syscall\n\t"
               "test %%rax, %%rax\n\t"
               "jnz 1f\n\t"
               "xor %%ebp, %%ebp\n\t"
               "mov %%r13, %%rdi\n\t"
               "call *%%r12\n\t"
               "ud2\n"
               "1:"
               : "=a"(Result)
               : "a"(SYS_clone), "D"(Flags), "S"(StackEnd), "d"(0), "r"(R10), "r"(R8), "r"(R12),
                 "r"(R13)
               : "rcx", "r11", "memory");
  return Result;
}

void closeAllFrom(unsigned First) {
  if (call(SYS_close_range, First, ~0U, 0) == 0)
    return;
  rlimit Limit{};
  call(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, asLong(&Limit));
  unsigned End = Limit.rlim_cur < 65536 ? unsigned(Limit.rlim_cur) : 65536;
  for (unsigned Fd = First; Fd < End; ++Fd)
    close(int(Fd));
}

void becomeProgram(Start *S) {
  // Handlers become the default by themselves, ignored signals would stay ignored.
  struct {
    uint64_t Handler, Flags, Restorer;
    SignalSet Mask;
  } Default{};
  for (int Signal = 1; Signal <= 64; ++Signal)
    call(SYS_rt_sigaction, Signal, asLong(&Default), 0, sizeof(SignalSet));
  // An interrupt from the terminal ends the program under test, not the one that reports on it.
  call(SYS_setsid);
  if (S->Input != 0)
    call(SYS_dup3, S->Input, 0, 0);
  else
    call(SYS_fcntl, 0, F_SETFD, 0);
  // What the program has open it must be able to close: the last writer makes a pipe end.
  closeAllFrom(3);
  SignalSet None = 0;
  call(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, asLong(&None), 0, sizeof(None));
  S->Result =
      call(SYS_execve, asLong(S->Arguments[0]), asLong(S->Arguments), asLong(S->Environment));
  exitProcess(127);
}

void startProgram(Start *S) {
  long Pid =
      cloneProcess(CLONE_VM | CLONE_VFORK | 17 /* SIGCHLD */, S->InnerStackEnd, becomeProgram, S);
  if (Pid < 0)
    S->Result = Pid;
  exitProcess(0);
}

} // namespace

int startDetached(const char *const *Arguments) {
  int Ends[2] = {-1, -1};
  long Result = call(SYS_socketpair, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, asLong(Ends));
  if (Result < 0)
    return int(Result);
  char *Stacks = static_cast<char *>(map(2 * StackBytes));
  if (!Stacks) {
    close(Ends[0]);
    close(Ends[1]);
    return -ENOMEM;
  }
  SignalSet All = ~SignalSet(0), Before = 0;
  call(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, asLong(&All), asLong(&Before), sizeof(All));
  Start S{Arguments, initialEnvironment(), Ends[1], Stacks + StackBytes, 0};
  Result = cloneProcess(CLONE_VM | CLONE_VFORK, Stacks + 2 * StackBytes, startProgram, &S);
  if (Result > 0) {
    long Waited;
    do
      Waited = call(SYS_wait4, Result, 0, __WALL);
    while (Waited == -EINTR);
    Result = S.Result;
  }
  call(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, asLong(&Before), 0, sizeof(Before));
  unmap(Stacks, 2 * StackBytes);
  close(Ends[1]);
  if (Result < 0) {
    close(Ends[0]);
    return int(Result);
  }
  return outOfTheWay(Ends[0]);
}

} // namespace photofinish::os
