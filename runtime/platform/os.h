//===- os.h - The kernel, without libc ---------------------------------------===//
//
// What the runtime itself needs of the system, as system calls: a libc function could be one
// that we stand in for, or wait for a lock that the interrupted program holds. None of these
// sets errno; a failure is a negative number.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_RUNTIME_PLATFORM_OS_H
#define PHOTOFINISH_RUNTIME_PLATFORM_OS_H

#include <cstddef>
#include <cstdint>

namespace photofinish::os {

long call(long Number, long A = 0, long B = 0, long C = 0, long D = 0, long E = 0, long F = 0);

/// Zeroed memory of whole pages, or null. Untouched pages cost nothing.
void *map(size_t Bytes);
void unmap(void *Start, size_t Bytes);
/// The pages become zeros again, and cost nothing.
void discard(void *Start, size_t Bytes);
/// Touching them is an error from now on.
void protect(void *Start, size_t Bytes);

long write(int Fd, const void *Data, size_t Bytes);
long read(int Fd, void *Data, size_t Bytes);
/// For reading, or to write a new file; closed on exec.
int openToRead(const char *Path);
int openToWrite(const char *Path);
void close(int Fd);
/// All of a file into Buffer, without a zero byte; the number of bytes.
size_t readFile(const char *Path, char *Buffer, size_t Bytes);
/// Memory of this process that may be unmapped at any time; false if it is not there.
bool readMemory(uintptr_t Address, void *Buffer, size_t Bytes);
/// The target of a symbolic link, with a zero byte.
bool readLink(const char *Path, char *Buffer, size_t Bytes);

int processId();
int threadId();
/// Is there such a thread in this process?
bool threadExists(int ThreadId);
void yield();
/// Waits while *Word is Value; may return for no reason.
void wait(const void *Word, uint32_t Value);
void wake(const void *Word, int Threads);
[[noreturn]] void exitProcess(int Code);
uint64_t peakResidentBytes();
/// The size that the main thread's stack may grow to.
size_t mainStackLimit();

/// How much thread-local memory the program has right below each thread's pointer to it.
size_t programTlsBytes();
/// The address behind the main thread's stack.
uintptr_t mainStackEnd();
/// Every thread of the process passes a full memory barrier before barrierForAllThreads returns;
/// registerBarrier once, before.
void registerBarrier();
void barrierForAllThreads();

/// The value of an environment variable as it was when the process started, or null.
const char *environment(const char *Name);

/// Starts a program that is nobody's child, so that the program under test never waits for it
/// by accident. Its standard input is the other end of a socket, which is returned; a negative
/// number if it could not be started.
int startDetached(const char *const *Arguments);

} // namespace photofinish::os

#endif // PHOTOFINISH_RUNTIME_PLATFORM_OS_H
