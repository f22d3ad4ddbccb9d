//===- io.cpp - Reading, writing, and passing descriptors around ---------------===//
//
//   write(fd), send, close, shutdown:   release(out(fd)) before
//   read(fd), recv:                     acquire(in(fd)) after, end of file included
//   connect(a):                         release(listener(a)) before
//   accept(fd):                         acquire(listener(address of fd)) after
//
// with the channels of descriptor.h. The bytes of a buffer are checked as they are: all that
// may be written out, before; those that have been read in, after the acquire: they came when
// the data did. fread and the like are in stdio.cpp.
//
//===----------------------------------------------------------------------===//

#include "runtime/intercept/descriptor.h"
#include "runtime/intercept/watch.h"

using namespace photofinish::rt;

namespace {

void received(Entered &E, int Fd, const void *Buffer, ssize_t Bytes) {
  descriptorAcquired(E, Fd);
  writeRange(E, Buffer, size_t(Bytes));
}

void aboutToSend(Entered &E, int Fd, const void *Buffer, size_t Bytes) {
  readRange(E, Buffer, Bytes);
  descriptorReleased(E, Fd);
}

/// Calls Range for the parts of the buffers that hold the first Bytes bytes.
template <class Function>
void forBuffers(const iovec *Buffers, size_t Count, size_t Bytes, Function Range) {
  for (size_t I = 0; I < Count && Bytes; ++I) {
    size_t Part = Buffers[I].iov_len < Bytes ? Buffers[I].iov_len : Bytes;
    Range(Buffers[I].iov_base, Part);
    Bytes -= Part;
  }
}

void receivedParts(Entered &E, int Fd, const iovec *Buffers, int Count, ssize_t Bytes) {
  descriptorAcquired(E, Fd);
  if (Count <= 0)
    return;
  readRange(E, Buffers, size_t(Count) * sizeof(*Buffers));
  forBuffers(Buffers, size_t(Count), size_t(Bytes),
             [&](const void *Start, size_t Part) { writeRange(E, Start, Part); });
}

void aboutToSendParts(Entered &E, int Fd, const iovec *Buffers, int Count) {
  if (Count > 0 && Count <= IOV_MAX) {
    readRange(E, Buffers, size_t(Count) * sizeof(*Buffers));
    forBuffers(Buffers, size_t(Count), SIZE_MAX,
               [&](const void *Start, size_t Part) { readRange(E, Start, Part); });
  }
  descriptorReleased(E, Fd);
}

} // namespace

// Name(Fd, Buffer, Bytes, ...) returns how many bytes came. Parameters and arguments are given
// without the first two.
#define PF_RECEIVE(Name, Told, Parameters, ...)                                                    \
  PF_INTERCEPT(ssize_t, Name, Parameters) {                                                        \
    ssize_t Result = PF_REAL(Name)(Fd, Buffer, __VA_ARGS__);                                       \
    if (Result >= 0)                                                                               \
      PF_WATCH(#Told)                                                                              \
    received(E, Fd, Buffer, Result);                                                               \
    return Result;                                                                                 \
  }
#define PF_SEND(Name, Parameters, ...)                                                             \
  PF_INTERCEPT(ssize_t, Name, Parameters) {                                                        \
    PF_WATCH(#Name)                                                                                \
    aboutToSend(E, Fd, Buffer, Bytes);                                                             \
    return PF_REAL(Name)(Fd, Buffer, __VA_ARGS__);                                                 \
  }
#define PF_RECEIVE_PARTS(Name, Parameters, ...)                                                    \
  PF_INTERCEPT(ssize_t, Name, Parameters) {                                                        \
    ssize_t Result = PF_REAL(Name)(Fd, Buffers, __VA_ARGS__);                                      \
    if (Result >= 0)                                                                               \
      PF_WATCH(#Name)                                                                              \
    receivedParts(E, Fd, Buffers, Count, Result);                                                  \
    return Result;                                                                                 \
  }
#define PF_SEND_PARTS(Name, Parameters, ...)                                                       \
  PF_INTERCEPT(ssize_t, Name, Parameters) {                                                        \
    PF_WATCH(#Name)                                                                                \
    aboutToSendParts(E, Fd, Buffers, Count);                                                       \
    return PF_REAL(Name)(Fd, Buffers, __VA_ARGS__);                                                \
  }

PF_RECEIVE(read, read, (int Fd, void *Buffer, size_t Bytes), Bytes)
PF_RECEIVE(__read_chk, read, (int Fd, void *Buffer, size_t Bytes, size_t Room), Bytes, Room)
PF_RECEIVE(pread, pread, (int Fd, void *Buffer, size_t Bytes, off_t Where), Bytes, Where)
PF_RECEIVE(pread64, pread64, (int Fd, void *Buffer, size_t Bytes, off_t Where), Bytes, Where)
PF_RECEIVE(__pread_chk, pread, (int Fd, void *Buffer, size_t Bytes, off_t Where, size_t Room),
           Bytes, Where, Room)
PF_RECEIVE(__pread64_chk, pread64, (int Fd, void *Buffer, size_t Bytes, off_t Where, size_t Room),
           Bytes, Where, Room)
PF_RECEIVE(recv, recv, (int Fd, void *Buffer, size_t Bytes, int Flags), Bytes, Flags)
PF_RECEIVE(__recv_chk, recv, (int Fd, void *Buffer, size_t Bytes, size_t Room, int Flags), Bytes,
           Room, Flags)

PF_SEND(write, (int Fd, const void *Buffer, size_t Bytes), Bytes)
PF_SEND(pwrite, (int Fd, const void *Buffer, size_t Bytes, off_t Where), Bytes, Where)
PF_SEND(pwrite64, (int Fd, const void *Buffer, size_t Bytes, off_t Where), Bytes, Where)
PF_SEND(send, (int Fd, const void *Buffer, size_t Bytes, int Flags), Bytes, Flags)

PF_RECEIVE_PARTS(readv, (int Fd, const iovec *Buffers, int Count), Count)
PF_RECEIVE_PARTS(preadv, (int Fd, const iovec *Buffers, int Count, off_t Where), Count, Where)
PF_RECEIVE_PARTS(preadv64, (int Fd, const iovec *Buffers, int Count, off_t Where), Count, Where)
PF_RECEIVE_PARTS(preadv2, (int Fd, const iovec *Buffers, int Count, off_t Where, int Flags), Count,
                 Where, Flags)
PF_RECEIVE_PARTS(preadv64v2, (int Fd, const iovec *Buffers, int Count, off_t Where, int Flags),
                 Count, Where, Flags)

PF_SEND_PARTS(writev, (int Fd, const iovec *Buffers, int Count), Count)
PF_SEND_PARTS(pwritev, (int Fd, const iovec *Buffers, int Count, off_t Where), Count, Where)
PF_SEND_PARTS(pwritev64, (int Fd, const iovec *Buffers, int Count, off_t Where), Count, Where)
PF_SEND_PARTS(pwritev2, (int Fd, const iovec *Buffers, int Count, off_t Where, int Flags), Count,
              Where, Flags)
PF_SEND_PARTS(pwritev64v2, (int Fd, const iovec *Buffers, int Count, off_t Where, int Flags), Count,
              Where, Flags)

// Between two descriptors, without a buffer of the program.
//   release(out(To)) before, with which whoever reads there learns from in(From), too;
//   acquire(in(From)) after.
#define PF_TRANSFER(Name, Parameters, ...)                                                         \
  PF_INTERCEPT(ssize_t, Name, Parameters) {                                                        \
    PF_WATCH(#Name)                                                                                \
    descriptorsJoined(E, From, To);                                                                \
    ssize_t Result = PF_REAL(Name)(__VA_ARGS__);                                                   \
    if (Result >= 0)                                                                               \
      PF_WATCH(#Name)                                                                              \
    descriptorAcquired(E, From);                                                                   \
    return Result;                                                                                 \
  }
PF_TRANSFER(splice,
            (int From, off64_t *FromAt, int To, off64_t *ToAt, size_t Bytes, unsigned Flags), From,
            FromAt, To, ToAt, Bytes, Flags)
PF_TRANSFER(tee, (int From, int To, size_t Bytes, unsigned Flags), From, To, Bytes, Flags)
PF_TRANSFER(sendfile, (int To, int From, off_t *At, size_t Bytes), To, From, At, Bytes)
PF_TRANSFER(sendfile64, (int To, int From, off64_t *At, size_t Bytes), To, From, At, Bytes)

// An eventfd's own functions.

PF_INTERCEPT(int, eventfd_write, (int Fd, eventfd_t Value)) {
  PF_WATCH("eventfd_write")
  descriptorReleased(E, Fd);
  return PF_REAL(eventfd_write)(Fd, Value);
}

PF_INTERCEPT(int, eventfd_read, (int Fd, eventfd_t *Value)) {
  int Result = PF_REAL(eventfd_read)(Fd, Value);
  if (Result == 0)
    PF_WATCH("eventfd_read")
  received(E, Fd, Value, sizeof(*Value));
  return Result;
}

// A timer is read after it was set.
PF_INTERCEPT(int, timerfd_settime, (int Fd, int Flags, const itimerspec *New, itimerspec *Old)) {
  PF_WATCH("timerfd_settime") {
    readRange(E, New, sizeof(*New));
    if (Old)
      writeRange(E, Old, sizeof(*Old));
    descriptorReleased(E, Fd);
  }
  return PF_REAL(timerfd_settime)(Fd, Flags, New, Old);
}

// Descriptors come and go.

#define PF_OPENS(Name, Parameters, ...)                                                            \
  PF_INTERCEPT(int, Name, Parameters) {                                                            \
    int Fd = PF_REAL(Name)(__VA_ARGS__);                                                           \
    if (Fd >= 0)                                                                                   \
      descriptorRenewed(Fd);                                                                       \
    return Fd;                                                                                     \
  }
PF_OPENS(socket, (int Domain, int Type, int Protocol), Domain, Type, Protocol)
PF_OPENS(eventfd, (unsigned Value, int Flags), Value, Flags)
PF_OPENS(timerfd_create, (clockid_t Clock, int Flags), Clock, Flags)
PF_OPENS(epoll_create, (int Size), Size)
PF_OPENS(epoll_create1, (int Flags), Flags)

// A FIFO has to be opened by name. The mode that may follow is a number of any kind.
#define PF_OPENS_FILE(Name, Parameters, ...)                                                       \
  PF_INTERCEPT(int, Name, Parameters) {                                                            \
    va_list More;                                                                                  \
    va_start(More, Flags);                                                                         \
    mode_t Mode = va_arg(More, mode_t);                                                            \
    va_end(More);                                                                                  \
    PF_WATCH(#Name)                                                                                \
    readRange(E, Path, strlen(Path) + 1);                                                          \
    int Fd = PF_REAL(Name)(__VA_ARGS__, Mode);                                                     \
    if (Fd >= 0)                                                                                   \
      descriptorRenewed(Fd);                                                                       \
    return Fd;                                                                                     \
  }
PF_OPENS_FILE(open, (const char *Path, int Flags, ...), Path, Flags)
PF_OPENS_FILE(open64, (const char *Path, int Flags, ...), Path, Flags)
PF_OPENS_FILE(openat, (int Folder, const char *Path, int Flags, ...), Folder, Path, Flags)
PF_OPENS_FILE(openat64, (int Folder, const char *Path, int Flags, ...), Folder, Path, Flags)
PF_OPENS(creat, (const char *Path, mode_t Mode), Path, Mode)
PF_OPENS(creat64, (const char *Path, mode_t Mode), Path, Mode)
PF_OPENS(__open_2, (const char *Path, int Flags), Path, Flags)
PF_OPENS(__open64_2, (const char *Path, int Flags), Path, Flags)
PF_OPENS(__openat_2, (int Folder, const char *Path, int Flags), Folder, Path, Flags)
PF_OPENS(__openat64_2, (int Folder, const char *Path, int Flags), Folder, Path, Flags)

// Whoever reads at the other end learns of the end.
PF_INTERCEPT(int, close, (int Fd)) {
  PF_WATCH("close")
  descriptorClosed(E, Fd);
  return PF_REAL(close)(Fd);
}

PF_INTERCEPT(int, close_range, (unsigned First, unsigned Last, int Flags)) {
  if (!(Flags & CLOSE_RANGE_CLOEXEC))
    PF_WATCH("close_range")
  descriptorsClosed(E, First, Last);
  return PF_REAL(close_range)(First, Last, Flags);
}

PF_INTERCEPT(void, closefrom, (int First)) {
  PF_WATCH("closefrom")
  descriptorsClosed(E, First < 0 ? 0 : unsigned(First), ~0U);
  PF_REAL(closefrom)(First);
}

PF_INTERCEPT(int, shutdown, (int Fd, int How)) {
  PF_WATCH("shutdown")
  descriptorReleased(E, Fd);
  return PF_REAL(shutdown)(Fd, How);
}

PF_INTERCEPT(int, dup, (int Fd)) {
  int New = PF_REAL(dup)(Fd);
  if (New >= 0)
    PF_WATCH("dup")
  descriptorDuplicated(Fd, New);
  return New;
}

// What New was before is closed.
#define PF_DUP2(Name, Parameters, ...)                                                             \
  PF_INTERCEPT(int, Name, Parameters) {                                                            \
    if (Fd != New) {                                                                               \
      PF_WATCH(#Name)                                                                              \
      descriptorClosed(E, New);                                                                    \
    }                                                                                              \
    int Result = PF_REAL(Name)(__VA_ARGS__);                                                       \
    if (Result >= 0 && Fd != New)                                                                  \
      PF_WATCH(#Name)                                                                              \
    descriptorDuplicated(Fd, New);                                                                 \
    return Result;                                                                                 \
  }
PF_DUP2(dup2, (int Fd, int New), Fd, New)
PF_DUP2(dup3, (int Fd, int New, int Flags), Fd, New, Flags)

// Whatever the third argument is, it fits into a pointer.
#define PF_FCNTL(Name)                                                                             \
  PF_INTERCEPT(int, Name, (int Fd, int Command, ...)) {                                            \
    va_list More;                                                                                  \
    va_start(More, Command);                                                                       \
    void *Argument = va_arg(More, void *);                                                         \
    va_end(More);                                                                                  \
    int Result = PF_REAL(Name)(Fd, Command, Argument);                                             \
    if (Result >= 0 && (Command == F_DUPFD || Command == F_DUPFD_CLOEXEC))                         \
      PF_WATCH(#Name)                                                                              \
    descriptorDuplicated(Fd, Result);                                                              \
    return Result;                                                                                 \
  }
PF_FCNTL(fcntl)
PF_FCNTL(fcntl64)

#define PF_PIPE(Name, Parameters, ...)                                                             \
  PF_INTERCEPT(int, Name, Parameters) {                                                            \
    int Result = PF_REAL(Name)(__VA_ARGS__);                                                       \
    if (Result == 0) {                                                                             \
      descriptorRenewed(Ends[0]);                                                                  \
      descriptorRenewed(Ends[1]);                                                                  \
      PF_WATCH(#Name)                                                                              \
      writeRange(E, Ends, 2 * sizeof(*Ends));                                                      \
    }                                                                                              \
    return Result;                                                                                 \
  }
PF_PIPE(pipe, (int *Ends), Ends)
PF_PIPE(pipe2, (int *Ends, int Flags), Ends, Flags)
