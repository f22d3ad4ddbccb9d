//===- descriptor.cpp - Which channels a descriptor stands for -----------------===//
//
// Numbers of descriptors come, go and are duplicated, here and in other processes; so what a
// descriptor is, is asked of the kernel at every use (one fstat), and what costs more to find
// out is kept beside the inode it was found for. Only that a descriptor has no channels at all
// is kept until its number is given out again.
//
//   pipe, FIFO       one channel, by device and inode: both ends have the same
//   TCP              two channels, by the addresses of both ends: local to peer, peer to local
//   UDP              a channel for each receiving port (senders need not have an address yet)
//   Unix socket      a channel for each receiving socket, by inode; the kernel's socket
//                    diagnosis tells a socket's peer. Where it does not (the connection has
//                    not been accepted yet, or diagnosis is not there), by the server's name
//   eventfd, timerfd, epoll
//                    one channel; their inodes are all the same, so that it is kept by
//                    descriptor, and goes with it when it is duplicated
//
// A channel that is shared by more than it should be adds order and can hide a race, but never
// makes one up.
//
//===----------------------------------------------------------------------===//

#include "runtime/intercept/descriptor.h"
#include "runtime/platform/os.h"

#include <atomic>

namespace photofinish::rt {
namespace {

constexpr size_t MostSources = 3;

/// The channels of a descriptor; 0 where there is none.
struct Ends {
  Channel In[MostSources] = {};
  Channel Out = 0;
};

template <class T> long asLong(T *Pointer) { return reinterpret_cast<long>(Pointer); }

// Names of channels: what is told apart is hashed to 42 bits.

enum class Naming : uint64_t {
  Pipe = 1,
  Stream,
  Port,
  Queue,
  Named,
  Answers,
  Listener,
  Watch,
  Number
};

class Hash {
public:
  explicit Hash(Naming N) { add(uint64_t(N)); }
  Hash &add(uint64_t Value) {
    State = (State ^ Value) * 0x9e3779b97f4a7c15;
    State ^= State >> 32;
    return *this;
  }
  Hash &add(const void *Data, size_t Bytes) {
    const unsigned char *Next = static_cast<const unsigned char *>(Data);
    for (size_t I = 0; I < Bytes; ++I)
      add(Next[I]);
    return add(Bytes);
  }
  /// In a range of kinds that nobody else has.
  Channel channel() const {
    uint64_t Mixed = State * 0xd6e8feb86659fd93;
    return channelFor(0x4000 | uint32_t(Mixed >> 50), (Mixed >> 16) & 0xfffffff);
  }

private:
  uint64_t State = 0x243f6a8885a308d3;
};

// What was found out. An entry is valid for the inode that it names.

struct Entry {
  std::atomic<uint64_t> Inode; ///< 0: nothing is known; NoChannels. Written last, read first
  std::atomic<Channel> In[MostSources];
  std::atomic<Channel> Out;
};

/// No inode has this number.
constexpr uint64_t NoChannels = ~uint64_t(0);

constexpr int ChunkEntries = 1024;
constexpr int MostChunks = 1024;
/// Each is set once, to zeroed memory, and stays.
std::atomic<Entry *> Chunks[MostChunks];
std::atomic<uint64_t> NextNumber{1};

/// Null if Fd is beyond what can be kept.
Entry *entryOf(int Fd) {
  if (Fd < 0 || Fd >= ChunkEntries * MostChunks)
    return nullptr;
  std::atomic<Entry *> &Slot = Chunks[Fd / ChunkEntries];
  // Acquire and release: the chunk comes with its zeros.
  Entry *Chunk = Slot.load(std::memory_order_acquire);
  if (!Chunk) {
    Entry *Fresh = static_cast<Entry *>(os::map(ChunkEntries * sizeof(Entry)));
    if (!Fresh)
      return nullptr;
    if (Slot.compare_exchange_strong(Chunk, Fresh, std::memory_order_acq_rel))
      Chunk = Fresh;
    else
      os::unmap(Fresh, ChunkEntries * sizeof(Entry));
  }
  return Chunk + Fd % ChunkEntries;
}

bool recall(int Fd, uint64_t Inode, Ends &Result) {
  Entry *Known = entryOf(Fd);
  // Acquire: what follows belongs to this inode.
  if (!Known || Known->Inode.load(std::memory_order_acquire) != Inode)
    return false;
  for (size_t I = 0; I < MostSources; ++I)
    Result.In[I] = Known->In[I].load(std::memory_order_relaxed);
  Result.Out = Known->Out.load(std::memory_order_relaxed);
  return true;
}

void remember(int Fd, uint64_t Inode, const Ends &Found) {
  Entry *Known = entryOf(Fd);
  if (!Known)
    return;
  for (size_t I = 0; I < MostSources; ++I)
    Known->In[I].store(Found.In[I], std::memory_order_relaxed);
  Known->Out.store(Found.Out, std::memory_order_relaxed);
  Known->Inode.store(Inode, std::memory_order_release);
}

// Sockets.

struct Address {
  union {
    sockaddr Any;
    sockaddr_in V4;
    sockaddr_in6 V6;
    sockaddr_un Unix;
    sockaddr_storage Room;
  };
  socklen_t Bytes = 0;

  Address() : Room() {}

  /// A Unix socket that was not bound has no name; only its family is known.
  bool hasUnixName() const {
    return Bytes > offsetof(sockaddr_un, sun_path) && Any.sa_family == AF_UNIX;
  }
  bool isInternet() const { return Any.sa_family == AF_INET || Any.sa_family == AF_INET6; }
  in_port_t port() const { return Any.sa_family == AF_INET ? V4.sin_port : V6.sin6_port; }

  /// IPv4 as IPv6 has it: a server may see by one what its client sees by the other.
  void addInternet(Hash &H) const {
    if (Any.sa_family == AF_INET6) {
      H.add(V6.sin6_addr.s6_addr, sizeof(V6.sin6_addr.s6_addr));
    } else {
      unsigned char Mapped[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
      __builtin_memcpy(Mapped + 12, &V4.sin_addr, 4);
      H.add(Mapped, sizeof(Mapped));
    }
    H.add(port());
  }
  /// By the file, which may have several names, if there is one.
  void addUnixName(Hash &H) const {
    struct stat File;
    char Path[sizeof(Unix.sun_path) + 1] = {};
    size_t Length = Bytes - offsetof(sockaddr_un, sun_path);
    __builtin_memcpy(Path, Unix.sun_path,
                     Length < sizeof(Unix.sun_path) ? Length : sizeof(Unix.sun_path));
    if (Path[0] && os::call(SYS_stat, asLong(Path), asLong(&File)) == 0)
      H.add(File.st_dev).add(File.st_ino);
    else
      H.add(Unix.sun_path, Length);
  }
  Channel named(Naming N) const {
    Hash H(N);
    addUnixName(H);
    return H.channel();
  }
};

/// Which is SYS_getsockname or SYS_getpeername.
bool ask(long Which, int Fd, Address &A) {
  A.Bytes = sizeof(A.Room);
  return os::call(Which, Fd, asLong(&A.Any), asLong(&A.Bytes)) == 0;
}

int option(int Fd, int Name) {
  int Value = -1;
  socklen_t Bytes = sizeof(Value);
  os::call(SYS_getsockopt, Fd, SOL_SOCKET, Name, asLong(&Value), asLong(&Bytes));
  return Value;
}

Channel stream(const Address &From, const Address &To) {
  Hash H(Naming::Stream);
  From.addInternet(H);
  To.addInternet(H);
  return H.channel();
}
Channel port(const Address &Receiver) { return Hash(Naming::Port).add(Receiver.port()).channel(); }
Channel queue(uint64_t Inode) { return Hash(Naming::Queue).add(Inode).channel(); }

/// The inode of the peer of the Unix socket with an inode: 0 if it has none (yet), negative if
/// the kernel does not tell.
int64_t peerInode(uint64_t Inode) {
  struct {
    nlmsghdr Header;
    unix_diag_req Body;
  } Request{};
  Request.Header.nlmsg_len = sizeof(Request);
  Request.Header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  Request.Header.nlmsg_flags = NLM_F_REQUEST;
  Request.Body.sdiag_family = AF_UNIX;
  Request.Body.udiag_states = ~0U;
  Request.Body.udiag_ino = uint32_t(Inode);
  Request.Body.udiag_show = UDIAG_SHOW_PEER;
  Request.Body.udiag_cookie[0] = Request.Body.udiag_cookie[1] = ~0U;
  long Fd = os::call(SYS_socket, AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  if (Fd < 0)
    return -1;
  alignas(nlmsghdr) char Reply[512];
  long Bytes = -1;
  if (os::call(SYS_sendto, Fd, asLong(&Request), sizeof(Request)) == long(sizeof(Request)))
    Bytes = os::call(SYS_recvfrom, Fd, asLong(Reply), sizeof(Reply));
  os::close(int(Fd));

  const auto *Header = reinterpret_cast<const nlmsghdr *>(Reply);
  if (Bytes < long(sizeof(*Header)) || Header->nlmsg_type != SOCK_DIAG_BY_FAMILY)
    return -1;
  long Offset = NLMSG_LENGTH(NLMSG_ALIGN(sizeof(unix_diag_msg)));
  while (Offset + long(sizeof(nlattr)) <= Bytes) {
    const auto *Attribute = reinterpret_cast<const nlattr *>(Reply + Offset);
    if (Attribute->nla_len < sizeof(nlattr))
      break;
    if (Attribute->nla_type == UNIX_DIAG_PEER)
      return *reinterpret_cast<const uint32_t *>(Attribute + 1);
    Offset += NLA_ALIGN(Attribute->nla_len);
  }
  return 0;
}

/// False if there will be more to know later.
bool describeInternet(int Fd, Ends &Result) {
  Address Local, Peer;
  if (!ask(SYS_getsockname, Fd, Local) || !Local.isInternet())
    return false;
  bool Connected = ask(SYS_getpeername, Fd, Peer) && Peer.isInternet();
  if (option(Fd, SO_TYPE) == SOCK_DGRAM) {
    Result.In[0] = port(Local);
    Result.Out = Connected ? port(Peer) : 0;
    return Connected;
  }
  if (!Connected)
    return false;
  Result.In[0] = stream(Peer, Local);
  Result.Out = stream(Local, Peer);
  return true;
}

bool describeUnix(int Fd, uint64_t Inode, Ends &Result) {
  Address Local, Peer;
  bool HasName = ask(SYS_getsockname, Fd, Local) && Local.hasUnixName();
  bool PeerHasName = ask(SYS_getpeername, Fd, Peer) && Peer.hasUnixName();
  Result.In[0] = queue(Inode);
  Result.In[1] = HasName ? Local.named(Naming::Named) : 0;
  Result.In[2] = PeerHasName ? Peer.named(Naming::Answers) : 0;
  int64_t PeerNumber = peerInode(Inode);
  if (PeerNumber > 0) {
    Result.Out = queue(uint64_t(PeerNumber));
    return true;
  }
  if (PeerHasName)
    Result.Out = Peer.named(Naming::Named);
  else if (HasName)
    Result.Out = Local.named(Naming::Answers);
  return false;
}

Ends describe(int Fd) {
  Ends Result;
  if (recall(Fd, NoChannels, Result))
    return Result;
  struct stat Status;
  if (os::call(SYS_fstat, Fd, asLong(&Status)) != 0)
    return Result;
  switch (Status.st_mode & S_IFMT) {
  case S_IFIFO:
    Result.Out = Result.In[0] = Hash(Naming::Pipe).add(Status.st_dev).add(Status.st_ino).channel();
    break;
  case S_IFSOCK: {
    if (recall(Fd, Status.st_ino, Result))
      break;
    int Domain = option(Fd, SO_DOMAIN);
    bool Complete = Domain == AF_UNIX ? describeUnix(Fd, Status.st_ino, Result)
                    : Domain == AF_INET || Domain == AF_INET6 ? describeInternet(Fd, Result)
                                                              : true;
    if (Complete)
      remember(Fd, Status.st_ino, Result);
    break;
  }
  case 0: // eventfd and its kind have an inode, but it is no kind of file
    if (recall(Fd, Status.st_ino, Result))
      break;
    // Relaxed: any number that nobody else has will do.
    Result.Out = Result.In[0] =
        channelFor(FdChannel, NextNumber.fetch_add(1, std::memory_order_relaxed) & 0xfffffff);
    remember(Fd, Status.st_ino, Result);
    break;
  default:
    remember(Fd, NoChannels, Result);
    break;
  }
  return Result;
}

/// By which whoever closes a connection teaches whoever accepts one that gets its number.
Channel numberOf(int Fd) { return Hash(Naming::Number).add(uint64_t(Fd)).channel(); }

/// Connections that are asked for meet those that are accepted by port or by name.
Channel listener(const Address &A) {
  Hash H(Naming::Listener);
  if (A.isInternet())
    H.add(A.port());
  else if (A.hasUnixName())
    A.addUnixName(H);
  else
    return 0;
  return H.channel();
}

} // namespace

// Data that are moved between descriptors inside the kernel may be read at their new place before
// the call that moves them returns, and may have come while it waited. So whoever reads there
// learns from where they came from, too.

namespace {

struct Joint {
  std::atomic<Channel> To; ///< 0: free. Written last, once
  Channel From;
};
constexpr uint32_t MostJoints = 256;
Joint Joints[MostJoints];
std::atomic<uint32_t> NumJoints{0};

void join(Channel From, Channel To) {
  // Acquire, here and below: a joint comes with both its ends.
  for (uint32_t I = 0; I < NumJoints.load(std::memory_order_acquire) && I < MostJoints; ++I)
    if (Joints[I].To.load(std::memory_order_acquire) == To && Joints[I].From == From)
      return;
  // Relaxed: the entry is ours alone.
  uint32_t Free = NumJoints.fetch_add(1, std::memory_order_relaxed);
  if (Free >= MostJoints)
    return;
  Joints[Free].From = From;
  Joints[Free].To.store(To, std::memory_order_release);
}

void acquire(Entered &E, Channel C) {
  channelAcquired(E, C);
  for (uint32_t I = 0; I < NumJoints.load(std::memory_order_acquire) && I < MostJoints; ++I)
    if (Joints[I].To.load(std::memory_order_acquire) == C)
      channelAcquired(E, Joints[I].From);
}

} // namespace

void descriptorsJoined(Entered &E, int From, int To) {
  Channel Out = describe(To).Out;
  if (!Out)
    return;
  for (Channel In : describe(From).In)
    if (In)
      join(In, Out);
  channelReleased(E, Out);
}

void descriptorReleased(Entered &E, int Fd) {
  if (Channel Out = describe(Fd).Out)
    channelReleased(E, Out);
}

void descriptorClosed(Entered &E, int Fd) {
  descriptorReleased(E, Fd);
  Ends Ignored;
  struct stat Status;
  if (!recall(Fd, NoChannels, Ignored) && os::call(SYS_fstat, Fd, asLong(&Status)) == 0 &&
      S_ISSOCK(Status.st_mode))
    channelReleased(E, numberOf(Fd));
  descriptorRenewed(Fd);
}

void descriptorsClosed(Entered &E, unsigned First, unsigned Last) {
  // Few of so many numbers are descriptors; this folder has them.
  int Folder = os::openToRead("/proc/thread-self/fd");
  alignas(dirent64) char Names[1024];
  long Bytes;
  while (Folder >= 0 &&
         (Bytes = os::call(SYS_getdents64, Folder, asLong(Names), sizeof(Names))) > 0)
    for (long At = 0; At < Bytes;) {
      const auto *Name = reinterpret_cast<const dirent64 *>(Names + At);
      At += Name->d_reclen;
      unsigned Fd = 0;
      for (const char *Digit = Name->d_name; *Digit >= '0' && *Digit <= '9'; ++Digit)
        Fd = Fd * 10 + unsigned(*Digit - '0');
      if (Name->d_name[0] == '.' || Fd < First || Fd > Last || int(Fd) == Folder)
        continue;
      descriptorClosed(E, int(Fd));
    }
  os::close(Folder);
}

void descriptorAcquired(Entered &E, int Fd) {
  for (Channel In : describe(Fd).In)
    if (In)
      acquire(E, In);
}

void addressReleased(Entered &E, int Fd, const sockaddr *Where, socklen_t Bytes) {
  Address To;
  if (!Where || Bytes > sizeof(To.Room))
    return;
  __builtin_memcpy(&To.Room, Where, Bytes);
  To.Bytes = Bytes;
  if (option(Fd, SO_TYPE) != SOCK_DGRAM) {
    if (Channel C = listener(To))
      channelReleased(E, C);
  } else if (To.isInternet()) {
    channelReleased(E, port(To));
  } else if (To.hasUnixName()) {
    channelReleased(E, To.named(Naming::Named));
  }
}

void connectionAccepted(Entered &E, int Fd, int New) {
  Address Local;
  if (ask(SYS_getsockname, Fd, Local))
    if (Channel C = listener(Local))
      channelAcquired(E, C);
  channelAcquired(E, numberOf(New));
  descriptorRenewed(New);
}

void descriptorRenewed(int Fd) {
  if (Entry *Known = entryOf(Fd))
    // Relaxed: whoever uses the number from now on has got it from us, or races for it.
    Known->Inode.store(0, std::memory_order_relaxed);
}

void descriptorDuplicated(int From, int To) {
  descriptorRenewed(To);
  describe(From); // so that there is something to copy
  struct stat Status;
  Ends Known;
  if (os::call(SYS_fstat, From, asLong(&Status)) == 0 && recall(From, Status.st_ino, Known))
    remember(To, Status.st_ino, Known);
}

void descriptorsPaired(int A, int B) {
  struct stat First, Second;
  if (os::call(SYS_fstat, A, asLong(&First)) != 0 || os::call(SYS_fstat, B, asLong(&Second)) != 0)
    return;
  Ends Forth, Back;
  Forth.In[0] = Back.Out = queue(First.st_ino);
  Forth.Out = Back.In[0] = queue(Second.st_ino);
  remember(A, First.st_ino, Forth);
  remember(B, Second.st_ino, Back);
}

// What epoll watches, by a hash of the descriptor and the data of its events. One entry per hash:
// if two have the same, the earlier is forgotten, and gives its order no longer.

namespace {

constexpr size_t MostWatched = size_t(1) << 16;
struct Watched {
  std::atomic<uint64_t> Key;
  std::atomic<int> Fd;
};
Watched Watches[MostWatched];

uint64_t watchKey(int Epoll, uint64_t Data) {
  return Hash(Naming::Watch).add(uint64_t(Epoll)).add(Data).channel() >> 4;
}

} // namespace

void epollWatches(int Epoll, uint64_t Data, int Fd) {
  uint64_t Key = watchKey(Epoll, Data);
  Watched &W = Watches[Key % MostWatched];
  W.Fd.store(Fd, std::memory_order_relaxed);
  // Release, with the acquire below: the descriptor belongs to the key.
  W.Key.store(Key, std::memory_order_release);
}

int epollWatched(int Epoll, uint64_t Data) {
  uint64_t Key = watchKey(Epoll, Data);
  Watched &W = Watches[Key % MostWatched];
  return W.Key.load(std::memory_order_acquire) == Key ? W.Fd.load(std::memory_order_relaxed) : -1;
}

} // namespace photofinish::rt
