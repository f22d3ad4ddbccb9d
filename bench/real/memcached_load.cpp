//===- memcached_load.cpp - A bounded load for memcached, with verified answers -===//
//
//   memcached_load SOCKET CONNECTIONS ROUNDS
//
// Every connection has a thread and keys of its own, so that it knows what each key must hold;
// one counter belongs to all. A round stores values, reads them back together, counts, and
// deletes a key. Requests go out in batches, so that the server has more to do than to read and
// write. Prints the counter at the end. Exit code 1: a wrong answer, or no server.
//
//===----------------------------------------------------------------------===//

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

constexpr unsigned KeysPerConnection = 2000;
constexpr unsigned BatchSize = 16;
constexpr std::chrono::seconds TimeToStart(60); // the server may run under a slow tool

[[noreturn]] void fail(const std::string &Message) {
  std::fprintf(stderr, "memcached_load: %s\n", Message.c_str());
  std::exit(1);
}

/// A blocking connection, with a buffer for what has come in.
class Connection {
public:
  explicit Connection(const std::string &Path) {
    sockaddr_un Address{};
    Address.sun_family = AF_UNIX;
    if (Path.size() >= sizeof Address.sun_path)
      fail("the socket's name is too long");
    std::memcpy(Address.sun_path, Path.c_str(), Path.size());
    auto Deadline = std::chrono::steady_clock::now() + TimeToStart;
    for (;;) {
      Socket = socket(AF_UNIX, SOCK_STREAM, 0);
      if (connect(Socket, reinterpret_cast<sockaddr *>(&Address), sizeof Address) == 0)
        return;
      close(Socket);
      if (std::chrono::steady_clock::now() > Deadline)
        fail("no server");
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  Connection(const Connection &) = delete;
  Connection &operator=(const Connection &) = delete;
  ~Connection() { close(Socket); }

  void send(std::string_view Text) {
    while (!Text.empty()) {
      ssize_t Sent = ::send(Socket, Text.data(), Text.size(), MSG_NOSIGNAL);
      if (Sent <= 0)
        fail("the server has closed the connection");
      Text.remove_prefix(static_cast<size_t>(Sent));
    }
  }

  /// The next bytes of the answer must be these.
  void expect(std::string_view Text) {
    while (Buffer.size() - Used < Text.size())
      receive();
    std::string_view Got = std::string_view(Buffer).substr(Used, Text.size());
    if (Got != Text)
      fail("'" + std::string(Got) + "' instead of '" + std::string(Text) + "'");
    Used += Text.size();
  }

  /// The next line, without its end.
  std::string line() {
    size_t End;
    while ((End = Buffer.find("\r\n", Used)) == std::string::npos)
      receive();
    std::string Line = Buffer.substr(Used, End - Used);
    Used = End + 2;
    return Line;
  }

private:
  int Socket = -1;
  std::string Buffer;
  size_t Used = 0; // of Buffer: has been looked at

  void receive() {
    Buffer.erase(0, Used);
    Used = 0;
    char Piece[16384];
    ssize_t Got = recv(Socket, Piece, sizeof Piece, 0);
    if (Got <= 0)
      fail("the server has closed the connection");
    Buffer.append(Piece, static_cast<size_t>(Got));
  }
};

std::string keyFor(unsigned Id, unsigned Number) {
  return "key" + std::to_string(Id) + "." + std::to_string(Number % KeysPerConnection);
}

std::string valueFor(unsigned Id, unsigned Number) {
  std::string Value(20 + Number * 37 % 400, static_cast<char>('a' + Number % 26));
  return Value + std::to_string(Id) + "." + std::to_string(Number);
}

void useServer(const std::string &Path, unsigned Id, unsigned Rounds) {
  Connection C(Path);
  for (unsigned Round = 0; Round < Rounds; ++Round) {
    unsigned First = Round * BatchSize;

    std::string Request;
    for (unsigned I = First; I < First + BatchSize; ++I) {
      std::string Value = valueFor(Id, I);
      Request += "set " + keyFor(Id, I) + " 0 0 " + std::to_string(Value.size()) + "\r\n" + Value;
      Request += "\r\n";
    }
    C.send(Request);
    for (unsigned I = 0; I < BatchSize; ++I)
      C.expect("STORED\r\n");

    Request = "get";
    for (unsigned I = First; I < First + BatchSize; ++I)
      Request += " " + keyFor(Id, I);
    C.send(Request + "\r\n");
    for (unsigned I = First; I < First + BatchSize; ++I) {
      std::string Value = valueFor(Id, I);
      C.expect("VALUE " + keyFor(Id, I) + " 0 " + std::to_string(Value.size()) + "\r\n" + Value);
      C.expect("\r\n");
    }
    C.expect("END\r\n");

    std::string Key = keyFor(Id, First);
    C.send("incr counter 1\r\ndelete " + Key + "\r\nget " + Key + "\r\n");
    std::string Count = C.line();
    if (Count.empty() || Count.find_first_not_of("0123456789 ") != std::string::npos)
      fail("'" + Count + "' instead of a number");
    C.expect("DELETED\r\nEND\r\n");
  }
}

} // namespace

int main(int Argc, char **Argv) {
  unsigned long Connections = Argc == 4 ? std::strtoul(Argv[2], nullptr, 10) : 0;
  unsigned long Rounds = Argc == 4 ? std::strtoul(Argv[3], nullptr, 10) : 0;
  if (Connections == 0 || Rounds == 0) {
    std::fprintf(stderr, "usage: memcached_load SOCKET CONNECTIONS ROUNDS\n");
    return 2;
  }

  Connection C(Argv[1]);
  C.send("set counter 0 0 1\r\n0\r\n");
  C.expect("STORED\r\n");
  {
    std::vector<std::jthread> Team;
    for (unsigned Id = 0; Id < Connections; ++Id)
      Team.emplace_back(useServer, std::string(Argv[1]), Id, static_cast<unsigned>(Rounds));
  }
  C.send("incr counter 0\r\n");
  std::printf("counter=%s\n", C.line().c_str());
}
