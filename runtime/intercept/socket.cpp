//===- socket.cpp - Connections and messages -----------------------------------===//
//
// The edges are those of io.cpp. Addresses and control data that a call fills in are written,
// those that it is given are read.
//
//===----------------------------------------------------------------------===//

#include "runtime/intercept/descriptor.h"
#include "runtime/intercept/watch.h"

using namespace photofinish::rt;

namespace {

/// An address that was filled in: Bytes says how long it is, which may be more than there was room.
void receivedAddress(Entered &E, const void *Address, socklen_t Room, const socklen_t *Bytes) {
  if (!Address || !Bytes)
    return;
  writeRange(E, Bytes, sizeof(*Bytes));
  writeRange(E, Address, *Bytes < Room ? *Bytes : Room);
}

/// The program may look at what happens to its room only through Bytes.
socklen_t roomIn(const void *Address, const socklen_t *Bytes) {
  return Address && Bytes ? *Bytes : 0;
}

/// Calls Range for the parts of a message that hold the first Bytes bytes.
template <class Function> void forParts(const msghdr &M, size_t Bytes, Function Range) {
  for (size_t I = 0; I < M.msg_iovlen && Bytes; ++I) {
    size_t Part = M.msg_iov[I].iov_len < Bytes ? M.msg_iov[I].iov_len : Bytes;
    Range(M.msg_iov[I].iov_base, Part);
    Bytes -= Part;
  }
}

/// Without the descriptor's edge.
void readMessage(Entered &E, int Fd, const msghdr &M) {
  readRange(E, &M, sizeof(M));
  readRange(E, M.msg_iov, M.msg_iovlen * sizeof(*M.msg_iov));
  forParts(M, SIZE_MAX, [&](const void *Start, size_t Part) { readRange(E, Start, Part); });
  if (M.msg_control)
    readRange(E, M.msg_control, M.msg_controllen);
  if (M.msg_name) {
    readRange(E, M.msg_name, M.msg_namelen);
    addressReleased(E, Fd, static_cast<const sockaddr *>(M.msg_name), M.msg_namelen);
  }
}

void wroteMessage(Entered &E, const msghdr &M, size_t Bytes) {
  readRange(E, M.msg_iov, M.msg_iovlen * sizeof(*M.msg_iov));
  writeRange(E, &M, sizeof(M));
  forParts(M, Bytes, [&](const void *Start, size_t Part) { writeRange(E, Start, Part); });
  if (M.msg_name)
    writeRange(E, M.msg_name, M.msg_namelen);
  if (!M.msg_control)
    return;
  writeRange(E, M.msg_control, M.msg_controllen);
  // Descriptors that came with it have new numbers.
  for (const cmsghdr *C = CMSG_FIRSTHDR(&M); C;
       C = CMSG_NXTHDR(const_cast<msghdr *>(&M), const_cast<cmsghdr *>(C)))
    if (C->cmsg_level == SOL_SOCKET && C->cmsg_type == SCM_RIGHTS) {
      const int *Fds = reinterpret_cast<const int *>(CMSG_DATA(C));
      for (size_t I = 0; I < (C->cmsg_len - CMSG_LEN(0)) / sizeof(int); ++I)
        descriptorRenewed(Fds[I]);
    }
}

} // namespace

PF_INTERCEPT(int, socketpair, (int Domain, int Type, int Protocol, int *Ends)) {
  int Result = PF_REAL(socketpair)(Domain, Type, Protocol, Ends);
  if (Result == 0)
    PF_WATCH("socketpair") {
      writeRange(E, Ends, 2 * sizeof(*Ends));
      descriptorsPaired(Ends[0], Ends[1]);
    }
  return Result;
}

// release(listener(Address)) before
PF_INTERCEPT(int, connect, (int Fd, const sockaddr *Address, socklen_t Bytes)) {
  PF_WATCH("connect") {
    readRange(E, Address, Bytes);
    addressReleased(E, Fd, Address, Bytes);
  }
  int Result = PF_REAL(connect)(Fd, Address, Bytes);
  descriptorRenewed(Fd);
  return Result;
}

// acquire(listener(address of Fd)), acquire(number of New) after
#define PF_ACCEPT(Name, Parameters, ...)                                                           \
  PF_INTERCEPT(int, Name, Parameters) {                                                            \
    socklen_t Room = roomIn(Address, Bytes);                                                       \
    int New = PF_REAL(Name)(__VA_ARGS__);                                                          \
    if (New >= 0)                                                                                  \
      PF_WATCH(#Name) {                                                                            \
        connectionAccepted(E, Fd, New);                                                            \
        receivedAddress(E, Address, Room, Bytes);                                                  \
      }                                                                                            \
    return New;                                                                                    \
  }
PF_ACCEPT(accept, (int Fd, sockaddr *Address, socklen_t *Bytes), Fd, Address, Bytes)
PF_ACCEPT(accept4, (int Fd, sockaddr *Address, socklen_t *Bytes, int Flags), Fd, Address, Bytes,
          Flags)

// release(receiver at Address), or of the connection, before
PF_INTERCEPT(ssize_t, sendto,
             (int Fd, const void *Buffer, size_t Bytes, int Flags, const sockaddr *Address,
              socklen_t AddressBytes)) {
  PF_WATCH("sendto") {
    readRange(E, Buffer, Bytes);
    descriptorReleased(E, Fd);
    if (Address) {
      readRange(E, Address, AddressBytes);
      addressReleased(E, Fd, Address, AddressBytes);
    }
  }
  return PF_REAL(sendto)(Fd, Buffer, Bytes, Flags, Address, AddressBytes);
}

#define PF_RECVFROM(Name, Parameters, ...)                                                         \
  PF_INTERCEPT(ssize_t, Name, Parameters) {                                                        \
    socklen_t Room = roomIn(Address, AddressBytes);                                                \
    ssize_t Result = PF_REAL(Name)(__VA_ARGS__);                                                   \
    if (Result >= 0)                                                                               \
      PF_WATCH("recvfrom") {                                                                       \
        descriptorAcquired(E, Fd);                                                                 \
        writeRange(E, Buffer, size_t(Result) < Bytes ? size_t(Result) : Bytes);                    \
        receivedAddress(E, Address, Room, AddressBytes);                                           \
      }                                                                                            \
    return Result;                                                                                 \
  }
PF_RECVFROM(recvfrom,
            (int Fd, void *Buffer, size_t Bytes, int Flags, sockaddr *Address,
             socklen_t *AddressBytes),
            Fd, Buffer, Bytes, Flags, Address, AddressBytes)
PF_RECVFROM(__recvfrom_chk,
            (int Fd, void *Buffer, size_t Bytes, size_t BufferRoom, int Flags, sockaddr *Address,
             socklen_t *AddressBytes),
            Fd, Buffer, Bytes, BufferRoom, Flags, Address, AddressBytes)

PF_INTERCEPT(ssize_t, sendmsg, (int Fd, const msghdr *Message, int Flags)) {
  PF_WATCH("sendmsg") {
    readMessage(E, Fd, *Message);
    descriptorReleased(E, Fd);
  }
  return PF_REAL(sendmsg)(Fd, Message, Flags);
}

PF_INTERCEPT(ssize_t, recvmsg, (int Fd, msghdr *Message, int Flags)) {
  ssize_t Result = PF_REAL(recvmsg)(Fd, Message, Flags);
  if (Result >= 0)
    PF_WATCH("recvmsg") {
      descriptorAcquired(E, Fd);
      wroteMessage(E, *Message, size_t(Result));
    }
  return Result;
}

PF_INTERCEPT(int, sendmmsg, (int Fd, mmsghdr *Messages, unsigned Count, int Flags)) {
  PF_WATCH("sendmmsg") {
    for (unsigned I = 0; I < Count; ++I)
      readMessage(E, Fd, Messages[I].msg_hdr);
    descriptorReleased(E, Fd);
  }
  int Sent = PF_REAL(sendmmsg)(Fd, Messages, Count, Flags);
  if (Sent > 0)
    PF_WATCH("sendmmsg") {
      for (int I = 0; I < Sent; ++I)
        writeRange(E, &Messages[I].msg_len, sizeof(Messages[I].msg_len));
    }
  return Sent;
}

PF_INTERCEPT(int, recvmmsg,
             (int Fd, mmsghdr *Messages, unsigned Count, int Flags, timespec *Timeout)) {
  int Received = PF_REAL(recvmmsg)(Fd, Messages, Count, Flags, Timeout);
  if (Received >= 0)
    PF_WATCH("recvmmsg") {
      descriptorAcquired(E, Fd);
      for (int I = 0; I < Received; ++I) {
        wroteMessage(E, Messages[I].msg_hdr, Messages[I].msg_len);
        writeRange(E, &Messages[I].msg_len, sizeof(Messages[I].msg_len));
      }
    }
  return Received;
}
