//===- server.cpp - A web shop over HTTP/1.1 and its visitors ---------------===//
//
// A server on the loopback interface and as many visitors as it has workers, in one process. A
// visit is one connection that is kept alive: log in, look at products, search, fill the cart,
// log out. It stands for tomcat (bigfoot.txt, Table 1; slimstate.txt, Table III), which has a
// client thread for each server thread too.
//
//   visitor --TCP--> poller --queue--> some worker --TCP--> visitor
//                      ^                    |
//                      +---- parking lot <--+   until the visitor's next request
//
// Sharing: a connection belongs to one thread at a time, and is handed on through the queue
// (mutex, condition variable) and the parking lot (mutex). The catalogue is read-shared; rendered
// pages are cached under a shared_mutex; sessions are in a map under a mutex, each with a mutex
// of its own; hits are counted under a mutex. A race detector sees strings and maps, buffers that
// system calls fill, and short critical sections. No order is taken from the sockets themselves.
//
// Every response is checked by its visitor, who keeps a model of the cart; in the end no session
// may be left, and the hits must be what the visitors sent. A wait of two minutes for the other
// side is a failure, so that nothing hangs.
//
//===----------------------------------------------------------------------===//

#include "bench/kernels/kernel.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <stdexcept>
#include <system_error>
#include <unordered_map>
#include <utility>

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

//===-- Sockets -------------------------------------------------------------===//

class Descriptor {
public:
  explicit Descriptor(int Number) : Number(Number) { check(Number); }
  Descriptor(Descriptor &&D) noexcept : Number(std::exchange(D.Number, -1)) {}
  ~Descriptor() {
    if (Number >= 0)
      close(Number);
  }
  int operator*() const { return Number; }

  static int check(int Result) {
    if (Result < 0)
      throw std::system_error(errno, std::generic_category());
    return Result;
  }

private:
  int Number;
};

/// Sends what is complete at once, and waits two minutes at most.
void configure(int Socket) {
  int One = 1;
  timeval Patience = {120, 0};
  Descriptor::check(setsockopt(Socket, IPPROTO_TCP, TCP_NODELAY, &One, sizeof(One)));
  Descriptor::check(setsockopt(Socket, SOL_SOCKET, SO_RCVTIMEO, &Patience, sizeof(Patience)));
  Descriptor::check(setsockopt(Socket, SOL_SOCKET, SO_SNDTIMEO, &Patience, sizeof(Patience)));
}

/// False when the other side has gone.
bool sendAll(int Socket, std::string_view Data) {
  while (!Data.empty()) {
    ssize_t Length = send(Socket, Data.data(), Data.size(), MSG_NOSIGNAL);
    if (Length < 0)
      return false;
    Data.remove_prefix(static_cast<size_t>(Length));
  }
  return true;
}

//===-- HTTP ----------------------------------------------------------------===//

using Fields = std::map<std::string, std::string, std::less<>>;

/// A request or response: `GET /cart HTTP/1.1` or `HTTP/1.1 200 OK`, fields, and a body.
struct Message {
  std::array<std::string, 3> Start;
  Fields Headers;
  std::string Body;

  std::string_view header(std::string_view Name) const {
    auto Found = Headers.find(Name);
    return Found == Headers.end() ? std::string_view() : Found->second;
  }
};

/// Takes the first message off the input if it is complete.
std::optional<Message> takeMessage(std::string &Input) {
  size_t End = Input.find("\r\n\r\n");
  if (End == Input.npos)
    return std::nullopt;
  Message Result;
  std::string_view Head = std::string_view(Input).substr(0, End);
  auto takeUntil = [](std::string_view &From, std::string_view Separator) {
    size_t At = std::min(From.find(Separator), From.size());
    std::string_view Taken = From.substr(0, At);
    From.remove_prefix(std::min(At + Separator.size(), From.size()));
    return Taken;
  };
  std::string_view First = takeUntil(Head, "\r\n");
  Result.Start = {std::string(takeUntil(First, " ")), std::string(takeUntil(First, " ")),
                  std::string(First)};
  while (!Head.empty()) {
    std::string_view Line = takeUntil(Head, "\r\n");
    std::string Name(takeUntil(Line, ": "));
    Result.Headers.emplace(std::move(Name), Line);
  }
  size_t Length = 0;
  std::string_view Digits = Result.header("Content-Length");
  std::from_chars(Digits.begin(), Digits.end(), Length);
  if (Input.size() < End + 4 + Length)
    return std::nullopt;
  Result.Body = Input.substr(End + 4, Length);
  Input.erase(0, End + 4 + Length);
  return Result;
}

/// a=1&b=2
Fields parseForm(std::string_view Text) {
  Fields Result;
  while (!Text.empty()) {
    std::string_view Pair = Text.substr(0, Text.find('&'));
    Text.remove_prefix(std::min(Pair.size() + 1, Text.size()));
    size_t Equals = std::min(Pair.find('='), Pair.size() - 1);
    Result.emplace(Pair.substr(0, Equals), Pair.substr(Equals + 1));
  }
  return Result;
}

size_t toNumber(std::string_view Text) {
  size_t Result = ~size_t(0);
  std::from_chars(Text.begin(), Text.end(), Result);
  return Result;
}

uint64_t digest(std::string_view Text) {
  kernel::Digest D;
  D.add(Text);
  return D.value();
}

struct Response {
  unsigned Status = 200;
  std::string Body;
  std::string Cookie;

  std::string print(bool IsLast) const {
    return "HTTP/1.1 " + std::to_string(Status) + (Status < 400 ? " OK" : " Error") +
           "\r\nContent-Type: text/html\r\nContent-Length: " + std::to_string(Body.size()) +
           "\r\nETag: " + std::to_string(digest(Body)) + "\r\n" +
           (Cookie.empty() ? "" : "Set-Cookie: session=" + Cookie + "\r\n") +
           (IsLast ? "Connection: close\r\n\r\n" : "Connection: keep-alive\r\n\r\n") + Body;
  }
};

//===-- The shop ------------------------------------------------------------===//

constexpr std::array Adjectives = {"big", "cheap", "green", "heavy", "light", "old", "red", "tiny"};
constexpr std::array Nouns = {"bag",  "bell", "chair", "clock", "hat",
                              "lamp", "pen",  "rug",   "table", "vase"};

struct Product {
  std::string Name;
  uint64_t Cents;
};

/// What a visitor put into the cart: how many of which product.
using Cart = std::map<size_t, uint64_t>;

/// Fixed once made.
class Catalogue {
public:
  static constexpr size_t Size = 1500;
  Catalogue() {
    kernel::Random R(1);
    for (size_t I = 0; I < Size; ++I)
      Products.push_back({std::string(Adjectives[R.below(Adjectives.size())]) + " " +
                              Nouns[R.below(Nouns.size())] + " <" + std::to_string(I) + ">",
                          99 + R.below(9900)});
  }

  const Product &operator[](size_t Index) const { return Products[Index]; }

  std::string page(size_t Index) const {
    std::string Result = "<h1>" + escape(Products[Index].Name) + "</h1><p>" +
                         std::to_string(Products[Index].Cents) + "</p><ul>";
    for (size_t I = 1; I <= 12; ++I)
      Result += "<li>" + escape(Products[(Index + I * I) % Size].Name) + "</li>";
    return Result + "</ul>";
  }

  std::string search(std::string_view Word) const {
    std::string Result = "<ol>";
    size_t Count = 0;
    for (const Product &P : Products)
      if (P.Name.find(Word) != P.Name.npos && ++Count <= 20)
        Result += "<li>" + escape(P.Name) + "</li>";
    return Result + "</ol>" + std::to_string(Count);
  }

  std::string list(const Cart &Items) const {
    std::string Result = "<table>";
    uint64_t Total = 0;
    for (auto [Index, Count] : Items) {
      Result += "<tr><td>" + escape(Products[Index].Name) + "</td><td>" + std::to_string(Count) +
                "</td></tr>";
      Total += Products[Index].Cents * Count;
    }
    return Result + "</table>" + std::to_string(Total);
  }

private:
  std::vector<Product> Products;

  static std::string escape(std::string_view Text) {
    std::string Result;
    for (char C : Text)
      if (C == '<')
        Result += "&lt;";
      else if (C == '>')
        Result += "&gt;";
      else
        Result += C;
    return Result;
  }
};

class Shop {
public:
  const Catalogue Goods;

  Response answer(const Message &Request) {
    const std::string &Method = Request.Start[0];
    std::string_view Target = Request.Start[1];
    std::string_view Path = Target.substr(0, Target.find('?'));
    count(std::string(Path.substr(0, Path.find('/', 1))));
    if (Path.starts_with("/product/"))
      return Method == "GET" ? product(toNumber(Path.substr(9))) : Response{405, "no", ""};
    if (Path == "/search")
      return {200, Goods.search(parseForm(Target.substr(Path.size() + 1))["word"]), ""};
    if (Path == "/login")
      return {200, "welcome", makeSession()};
    std::string_view Cookie = Request.header("Cookie");
    std::string Id(Cookie.substr(std::min(Cookie.find('=') + 1, Cookie.size())));
    if (Path == "/cart")
      return cart(Id, Method == "POST" ? parseForm(Request.Body) : Fields());
    if (Path == "/logout")
      return endSession(Id) ? Response{200, "bye", ""} : Response{403, "who are you?", ""};
    return {404, "not here", ""};
  }

  size_t numSessions() {
    std::scoped_lock Guard(SessionsLock);
    return Sessions.size();
  }
  std::map<std::string, uint64_t> hits() {
    std::scoped_lock Guard(HitsLock);
    return Hits;
  }

private:
  struct Session {
    std::mutex Lock;
    Cart Items; // Lock.
  };

  std::mutex SessionsLock;
  std::unordered_map<std::string, std::shared_ptr<Session>> Sessions; // SessionsLock.
  uint64_t NumSessionsMade = 0;                                       // SessionsLock.
  std::shared_mutex PagesLock;
  std::unordered_map<size_t, std::string> Pages; // PagesLock.
  std::mutex HitsLock;
  std::map<std::string, uint64_t> Hits; // HitsLock.

  void count(const std::string &Route) {
    std::scoped_lock Guard(HitsLock);
    ++Hits[Route];
  }

  Response product(size_t Index) {
    if (Index >= Catalogue::Size)
      return {404, "no such product", ""};
    {
      std::shared_lock Guard(PagesLock);
      if (auto Found = Pages.find(Index); Found != Pages.end())
        return {200, Found->second, ""};
    }
    std::string Page = Goods.page(Index);
    std::unique_lock Guard(PagesLock);
    if (Pages.size() > Catalogue::Size / 2)
      Pages.clear(); // Keeps the cache from holding everything.
    Pages.try_emplace(Index, Page);
    return {200, std::move(Page), ""};
  }

  std::string makeSession() {
    std::scoped_lock Guard(SessionsLock);
    std::string Id = std::to_string(kernel::Random(++NumSessionsMade).next());
    Sessions.emplace(Id, std::make_shared<Session>());
    return Id;
  }

  bool endSession(const std::string &Id) {
    std::scoped_lock Guard(SessionsLock);
    return Sessions.erase(Id) == 1;
  }

  Response cart(const std::string &Id, const Fields &Added) {
    std::shared_ptr<Session> Mine;
    {
      std::scoped_lock Guard(SessionsLock);
      if (auto Found = Sessions.find(Id); Found != Sessions.end())
        Mine = Found->second;
    }
    if (!Mine)
      return {403, "who are you?", ""};
    std::scoped_lock Guard(Mine->Lock);
    if (auto Item = Added.find("item"); Item != Added.end())
      Mine->Items[toNumber(Item->second) % Catalogue::Size] +=
          toNumber(Added.find("count")->second);
    return {200, Goods.list(Mine->Items), ""};
  }
};

//===-- The server ----------------------------------------------------------===//

struct Connection {
  Descriptor Socket;
  std::string Input; // Not answered yet.
};
using ConnectionPtr = std::unique_ptr<Connection>;

class Server {
public:
  Server() {
    sockaddr_in Any = {};
    Any.sin_family = AF_INET;
    Any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    Descriptor::check(bind(*Listener, reinterpret_cast<sockaddr *>(&Any), sizeof(Any)));
    Descriptor::check(listen(*Listener, 128));
    socklen_t Length = sizeof(Address);
    Descriptor::check(getsockname(*Listener, reinterpret_cast<sockaddr *>(&Address), &Length));
    watch(EPOLL_CTL_ADD, *Listener, EPOLLIN);
    watch(EPOLL_CTL_ADD, *Stop, EPOLLIN);
  }

  Shop Business;
  sockaddr_in Address = {}; // Fixed once made; the kernel chose the port.
  std::chrono::steady_clock::time_point Opened;

  /// Accepts connections and passes on those that have something to say, until it is told to stop.
  void poll() {
    for (;;) {
      std::array<epoll_event, 64> Events;
      int Count = epoll_wait(*Poller, Events.data(), Events.size(), -1);
      for (int I = 0; I < Count; ++I) {
        int Number = Events[static_cast<size_t>(I)].data.fd;
        if (Number == *Stop)
          return Ready.close();
        if (Number == *Listener)
          acceptAll();
        else
          Ready.push(unpark(Number));
      }
    }
  }

  void work() {
    while (ConnectionPtr C = Ready.pop())
      if (serve(*C))
        park(std::move(C), EPOLL_CTL_MOD);
  }

  void stop() { Descriptor::check(eventfd_write(*Stop, 1)); }

private:
  /// Connections whose requests wait for a worker.
  class Queue {
  public:
    void push(ConnectionPtr C) {
      {
        std::scoped_lock Guard(Lock);
        Waiting.push_back(std::move(C));
      }
      IsNews.notify_one();
    }
    /// Null when it has been closed.
    ConnectionPtr pop() {
      std::unique_lock Guard(Lock);
      IsNews.wait(Guard, [this] { return IsClosed || !Waiting.empty(); });
      if (Waiting.empty())
        return nullptr;
      ConnectionPtr C = std::move(Waiting.front());
      Waiting.pop_front();
      return C;
    }
    void close() {
      {
        std::scoped_lock Guard(Lock);
        IsClosed = true;
      }
      IsNews.notify_all();
    }

  private:
    std::mutex Lock;
    std::condition_variable IsNews;
    std::deque<ConnectionPtr> Waiting; // Lock.
    bool IsClosed = false;             // Lock.
  };

  Descriptor Listener{socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0)};
  Descriptor Poller{epoll_create1(0)};
  Descriptor Stop{eventfd(0, 0)};
  Queue Ready;
  std::mutex ParkedLock;
  std::unordered_map<int, ConnectionPtr> Parked; // ParkedLock. By descriptor.

  void watch(int Operation, int Number, uint32_t Events) {
    epoll_event Interest = {};
    Interest.events = Events;
    Interest.data.fd = Number;
    Descriptor::check(epoll_ctl(*Poller, Operation, Number, &Interest));
  }

  void acceptAll() {
    for (int Number; (Number = accept4(*Listener, nullptr, nullptr, 0)) >= 0;) {
      configure(Number);
      park(ConnectionPtr(new Connection{Descriptor(Number), ""}), EPOLL_CTL_ADD);
    }
  }

  /// Watches a connection, once. The poller may get it as soon as it is watched, but has to wait
  /// for the lock then: whoever closes the descriptor does so after this.
  void park(ConnectionPtr C, int Operation) {
    int Number = *C->Socket;
    std::scoped_lock Guard(ParkedLock);
    Parked[Number] = std::move(C);
    watch(Operation, Number, EPOLLIN | EPOLLONESHOT);
  }

  ConnectionPtr unpark(int Number) {
    std::scoped_lock Guard(ParkedLock);
    return std::move(Parked.extract(Number).mapped());
  }

  /// Answers what has arrived. False when the connection is over.
  bool serve(Connection &C) {
    std::array<char, 4096> Buffer;
    ssize_t Length;
    while ((Length = recv(*C.Socket, Buffer.data(), Buffer.size(), MSG_DONTWAIT)) > 0)
      C.Input.append(Buffer.data(), static_cast<size_t>(Length));
    bool IsOver = Length == 0 || errno != EAGAIN;
    std::string Output;
    while (std::optional<Message> Request = takeMessage(C.Input)) {
      bool IsLast = Request->header("Connection") == "close";
      Output += Business.answer(*Request).print(IsLast);
      IsOver |= IsLast;
    }
    return sendAll(*C.Socket, Output) && !IsOver;
  }
};

//===-- The visitors --------------------------------------------------------===//

/// One connection's worth of requests. Throws when an answer is wrong or does not come.
class Visit {
public:
  Visit(const Server &To, const Catalogue &Goods, uint64_t Number)
      : Goods(Goods), R(Number), Socket(socket(AF_INET, SOCK_STREAM, 0)) {
    configure(*Socket);
    Descriptor::check(
        connect(*Socket, reinterpret_cast<const sockaddr *>(&To.Address), sizeof(To.Address)));
  }

  /// The digest of all that was answered.
  uint64_t make() {
    Message Welcome = ask("POST /login", "user=me");
    expect(Welcome, 200, "welcome");
    Cookie = Welcome.header("Set-Cookie");
    for (size_t Step = 0; Step < 40; ++Step)
      step();
    expect(ask("POST /logout", "x", "Connection: close\r\n"), 200, "bye");
    char Byte;
    if (!Input.empty() || recv(*Socket, &Byte, 1, 0) != 0)
      throw std::runtime_error("more than was asked for");
    return Answers.value();
  }

  std::map<std::string, uint64_t> Asked; // How often, by route.

private:
  const Catalogue &Goods;
  kernel::Random R;
  Descriptor Socket;
  std::string Input, Cookie;
  Cart Items; // What the server's cart should be.
  kernel::Digest Answers;

  void step() {
    size_t Index = R.below(Catalogue::Size);
    switch (R.below(8)) {
    case 0:
      expect(ask("GET /product/" + std::to_string(Index + Catalogue::Size)), 404,
             "no such product");
      break;
    case 1: {
      std::string Word = Nouns[R.below(Nouns.size())];
      expect(ask("GET /search?word=" + Word), 200, Goods.search(Word));
      break;
    }
    case 2:
    case 3:
      Items[Index] += 3;
      expect(ask("POST /cart", "item=" + std::to_string(Index) + "&count=3"), 200,
             Goods.list(Items));
      break;
    case 4:
      expect(ask("GET /cart"), 200, Goods.list(Items));
      break;
    case 5:
      expect(ask("GET /about"), 404, "not here");
      break;
    default:
      expect(ask("GET /product/" + std::to_string(Index)), 200, Goods.page(Index));
    }
  }

  Message ask(const std::string &What, const std::string &Body = "", const char *More = "") {
    size_t Slash = What.find('/');
    ++Asked[What.substr(Slash, What.find_first_of("/?", Slash + 1) - Slash)];
    sendAll(*Socket, What + " HTTP/1.1\r\nHost: shop\r\nCookie: " + Cookie +
                         "\r\nContent-Length: " + std::to_string(Body.size()) + "\r\n" + More +
                         "\r\n" + Body);
    for (;;) {
      if (std::optional<Message> Answer = takeMessage(Input))
        return std::move(*Answer);
      std::array<char, 4096> Buffer;
      ssize_t Length = recv(*Socket, Buffer.data(), Buffer.size(), 0);
      if (Length <= 0)
        throw std::runtime_error("no answer");
      Input.append(Buffer.data(), static_cast<size_t>(Length));
    }
  }

  void expect(const Message &Answer, unsigned Status, std::string_view Body) {
    if (Answer.Start[1] != std::to_string(Status) || Answer.Body != Body ||
        Answer.header("ETag") != std::to_string(digest(Body)))
      throw std::runtime_error("wrong answer: " + Answer.Body);
    Answers.add(uint64_t(Status));
    Answers.add(Body);
  }
};

} // namespace

int main(int Argc, char **Argv) {
  kernel::Settings S(Argc, Argv);

  Server Shop;
  std::vector<uint64_t> Visits(S.scaled(750, 8));
  std::vector<std::chrono::steady_clock::time_point> Started(S.Threads);
  std::atomic<unsigned> NumVisitors = S.Threads;
  std::mutex Lock;
  std::map<std::string, uint64_t> Asked; // Lock.
  bool IsRight = true;                   // Lock.

  auto visit = [&](unsigned Visitor) {
    std::map<std::string, uint64_t> Mine;
    std::string Problem;
    kernel::Share Own(Visits.size(), Visitor, S.Threads);
    try {
      for (size_t I = Own.Begin; I < Own.End; ++I) {
        Visit V(Shop, Shop.Business.Goods, I);
        Visits[I] = V.make();
        for (const auto &[Route, Count] : V.Asked)
          Mine[Route] += Count;
      }
    } catch (const std::exception &E) {
      Problem = E.what();
    }
    {
      std::scoped_lock Guard(Lock);
      IsRight &= Problem.empty();
      for (const auto &[Route, Count] : Mine)
        Asked[Route] += Count;
    }
    if (!Problem.empty())
      std::fprintf(stderr, "%s: %s\n", S.Name.c_str(), Problem.c_str());
    // The last one turns off the light. Acquire and release: after all others.
    if (NumVisitors.fetch_sub(1, std::memory_order_acq_rel) == 1)
      Shop.stop();
  };

  // Workers, the poller, visitors.
  kernel::inParallel(2 * S.Threads + 1, [&](unsigned Id) {
    if (Id < S.Threads) {
      if (S.Race)
        Started[Id] = Shop.Opened; // RACE 1
      Shop.work();
    } else if (Id == S.Threads) {
      if (S.Race)
        Shop.Opened = std::chrono::steady_clock::now(); // RACE 1
      Shop.poll();
    } else {
      visit(Id - S.Threads - 1);
    }
  });

  IsRight &= Shop.Business.numSessions() == 0 && Shop.Business.hits() == Asked;
  kernel::Digest Result;
  for (uint64_t Each : Visits)
    Result.add(Each);
  return kernel::finish(S, IsRight, Result.value());
}
