//===- epoll.cpp - Waiting for descriptors -------------------------------------===//
//
// A descriptor that is readable has been made so by someone:
//
//   poll, select, epoll_wait:    acquire(in(fd)) after, for each fd found readable, closed at the
//                                other end or in error
//
// and what epoll hands out with an event (a pointer, often) was given to it before:
//
//   epoll_ctl(ep, ADD or MOD):   release(ep) before       epoll_wait(ep):   acquire(ep) after
//
//===----------------------------------------------------------------------===//

#include "runtime/intercept/descriptor.h"
#include "runtime/intercept/watch.h"

using namespace photofinish::rt;

PF_INTERCEPT(int, epoll_ctl, (int Epoll, int What, int Fd, epoll_event *Event)) {
  if (Event && What != EPOLL_CTL_DEL) {
    PF_WATCH("epoll_ctl") {
      readRange(E, Event, sizeof(*Event));
      descriptorReleased(E, Epoll);
    }
    epollWatches(Epoll, Event->data.u64, Fd);
  }
  return PF_REAL(epoll_ctl)(Epoll, What, Fd, Event);
}

static void eventsCame(Entered &E, int Epoll, const epoll_event *Events, int Count) {
  descriptorAcquired(E, Epoll);
  for (int I = 0; I < Count; ++I)
    if (Events[I].events & (EPOLLIN | EPOLLPRI | EPOLLHUP | EPOLLRDHUP | EPOLLERR))
      if (int Fd = epollWatched(Epoll, Events[I].data.u64); Fd >= 0)
        descriptorAcquired(E, Fd);
  writeRange(E, Events, size_t(Count) * sizeof(*Events));
}

#define PF_EPOLL_WAIT(Name, Parameters, ...)                                                       \
  PF_INTERCEPT(int, Name, Parameters) {                                                            \
    int Count = PF_REAL(Name)(Epoll, Events, __VA_ARGS__);                                         \
    if (Count > 0)                                                                                 \
      PF_WATCH(#Name)                                                                              \
    eventsCame(E, Epoll, Events, Count);                                                           \
    return Count;                                                                                  \
  }
PF_EPOLL_WAIT(epoll_wait, (int Epoll, epoll_event *Events, int Most, int Timeout), Most, Timeout)
PF_EPOLL_WAIT(epoll_pwait,
              (int Epoll, epoll_event *Events, int Most, int Timeout, const sigset_t *Mask), Most,
              Timeout, Mask)
PF_EPOLL_WAIT(epoll_pwait2,
              (int Epoll, epoll_event *Events, int Most, const timespec *Timeout,
               const sigset_t *Mask),
              Most, Timeout, Mask)

static void pollReturned(Entered &E, const pollfd *Fds, nfds_t Count) {
  for (nfds_t I = 0; I < Count; ++I) {
    if (Fds[I].revents & (POLLIN | POLLPRI | POLLHUP | POLLRDHUP | POLLERR))
      descriptorAcquired(E, Fds[I].fd);
    writeRange(E, &Fds[I].revents, sizeof(Fds[I].revents));
  }
}

#define PF_POLL(Name, Told, Parameters, ...)                                                       \
  PF_INTERCEPT(int, Name, Parameters) {                                                            \
    PF_WATCH(#Told)                                                                                \
    readRange(E, Fds, Count * sizeof(*Fds));                                                       \
    int Ready = PF_REAL(Name)(Fds, Count, __VA_ARGS__);                                            \
    if (Ready >= 0)                                                                                \
      PF_WATCH(#Told)                                                                              \
    pollReturned(E, Fds, Count);                                                                   \
    return Ready;                                                                                  \
  }
PF_POLL(poll, poll, (pollfd * Fds, nfds_t Count, int Timeout), Timeout)
PF_POLL(__poll_chk, poll, (pollfd * Fds, nfds_t Count, int Timeout, size_t Room), Timeout, Room)
PF_POLL(ppoll, ppoll, (pollfd * Fds, nfds_t Count, const timespec *Timeout, const sigset_t *Mask),
        Timeout, Mask)
PF_POLL(__ppoll_chk, ppoll,
        (pollfd * Fds, nfds_t Count, const timespec *Timeout, const sigset_t *Mask, size_t Room),
        Timeout, Mask, Room)

namespace {

size_t setBytes(int Count) {
  return Count > 0 ? (size_t(Count) + NFDBITS - 1) / NFDBITS * sizeof(fd_mask) : 0;
}

void aboutToSelect(Entered &E, int Count, const fd_set *const (&Sets)[3]) {
  for (const fd_set *Set : Sets)
    if (Set)
      readRange(E, Set, setBytes(Count));
}

/// The first set is of those that are readable, the last of those with something exceptional.
void selectReturned(Entered &E, int Count, const fd_set *const (&Sets)[3]) {
  for (int Fd = 0; Fd < Count; ++Fd)
    if ((Sets[0] && FD_ISSET(Fd, Sets[0])) || (Sets[2] && FD_ISSET(Fd, Sets[2])))
      descriptorAcquired(E, Fd);
  for (const fd_set *Set : Sets)
    if (Set)
      writeRange(E, Set, setBytes(Count));
}

} // namespace

#define PF_SELECT(Name, Parameters, ...)                                                           \
  PF_INTERCEPT(int, Name, Parameters) {                                                            \
    const fd_set *const Sets[] = {Readable, Writable, Exceptional};                                \
    PF_WATCH(#Name)                                                                                \
    aboutToSelect(E, Count, Sets);                                                                 \
    int Ready = PF_REAL(Name)(Count, Readable, Writable, Exceptional, __VA_ARGS__);                \
    if (Ready >= 0)                                                                                \
      PF_WATCH(#Name)                                                                              \
    selectReturned(E, Count, Sets);                                                                \
    return Ready;                                                                                  \
  }
PF_SELECT(select,
          (int Count, fd_set *Readable, fd_set *Writable, fd_set *Exceptional, timeval *Timeout),
          Timeout)
PF_SELECT(pselect,
          (int Count, fd_set *Readable, fd_set *Writable, fd_set *Exceptional,
           const timespec *Timeout, const sigset_t *Mask),
          Timeout, Mask)
