//===- descriptor.h - What passes through file descriptors ---------------------===//
//
// What one thread writes to a pipe, socket or eventfd, another one reads: everything before
// the write happens before everything after the read. A descriptor stands for up to four
// channels: those that a read learns from, and the one that a write teaches.
//
// Regular files, devices and terminals order nothing: whoever finds data in a file need not
// have waited for whoever wrote them.
//
// Nor do numbers, with one exception: a server keeps what it knows of a connection by its number,
// and when it accepts another that gets the same one, that has been closed before. Everybody else
// who gets a number that another thread had would be ordered with it by chance.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_RUNTIME_INTERCEPT_DESCRIPTOR_H
#define PHOTOFINISH_RUNTIME_INTERCEPT_DESCRIPTOR_H

#include "runtime/platform/libc.h"
#include "runtime/runtime.h"

namespace photofinish::rt {

/// Before Fd is written to or shut down.
void descriptorReleased(Entered &E, int Fd);
/// Before Fd is closed: the number may be another thread's as soon as it is.
void descriptorClosed(Entered &E, int Fd);
/// Before all those from First to Last are.
void descriptorsClosed(Entered &E, unsigned First, unsigned Last);
/// After Fd has been read from, or found to be readable.
void descriptorAcquired(Entered &E, int Fd);
/// Before data are moved from one descriptor to another.
void descriptorsJoined(Entered &E, int From, int To);
/// Before a datagram is sent to an address, or a connection to one is asked for.
void addressReleased(Entered &E, int Fd, const sockaddr *Address, socklen_t Bytes);
/// After a connection to the address of Fd, a listening socket, has been accepted: New.
void connectionAccepted(Entered &E, int Fd, int New);

/// Fd means something else now than it did.
void descriptorRenewed(int Fd);
/// To is another number for what From is.
void descriptorDuplicated(int From, int To);
/// A and B are the two ends of a socket.
void descriptorsPaired(int A, int B);

/// Events of the epoll descriptor that come with Data are about Fd.
void epollWatches(int Epoll, uint64_t Data, int Fd);
/// The Fd of an event; negative if it is not known.
int epollWatched(int Epoll, uint64_t Data);

} // namespace photofinish::rt

#endif // PHOTOFINISH_RUNTIME_INTERCEPT_DESCRIPTOR_H
