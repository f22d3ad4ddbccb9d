//===- simulator.cpp - A sensor network, event by event ------------------------===//
//
// Stands for avrora (Table 1 of BigFoot, also in SlimState), which simulates the microcontrollers
// of a sensor network: nodes on a grid, each with a small processor whose program is interpreted, a
// timer and a radio. Nodes sample, filter, and pass reports on towards the sink at a corner; now
// and then they tell all neighbours what they heard.
//
// A packet needs at least one window of time to arrive. So a node may go through window W as soon
// as its neighbours are done with window W - 1: all packets that matter are in its inbox then.
// There is no global barrier. Each node has a lock, which guards its inbox and how far it has come,
// and a condition variable for neighbours that wait; each thread moves its share of the nodes.
//
//   node 4:  ... | window 7 done |  <- may do window 8 when nodes 3 and 5 are done with window 7
//
// To a race detector: many short critical sections, several per node and window, on many locks;
// packets are objects that one thread allocates and another one frees; registers and memory of a
// node are small arrays of one thread; the program is read by all threads.
//
// Result: events are ordered by time, sender and number, so neither the threads nor the order in
// the inbox matters. Checked are that no packet is lost, and the state of all nodes early in the
// run against a sequential simulation with one queue for all events and no windows.
//
//===----------------------------------------------------------------------===//

#include "bench/kernels/kernel.h"

#include <array>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <queue>
#include <tuple>
#include <utility>

namespace {

constexpr size_t Side = 16, NodeCount = Side * Side;
constexpr uint64_t Window = 64;    // ticks; no packet arrives earlier
constexpr uint64_t Unplanned = ~0; // time of an event that never happens

//===----------------------------------------------------------------------===//
// The processor
//===----------------------------------------------------------------------===//

enum class Operation : uint8_t {
  Set,       // A = Number
  Add,       // A += B
  AddNumber, // A += Number
  Xor,       // A ^= B
  Multiply,  // A *= Number
  Shift,     // A >>= Number
  Mask,      // A &= Number
  Load,      // A = memory[B + Number]
  Store,     // memory[B + Number] = A
  IfNotZero, // go Number instructions on if A is not zero
  Sense,     // A = what the sensor says
  Sleep,     // the timer goes off in A ticks
  Report,    // send A to the parent
  Tell,      // send A to all neighbours
  Stop,
};

struct Instruction {
  Operation Do;
  uint8_t A = 0, B = 0;
  int32_t Number = 0;
};

using Program = std::vector<Instruction>;
constexpr size_t Registers = 8, Memory = 256;

/// A handler starts with all registers zero, except that for a packet registers 0 to 2 are its
/// value, origin and hops.
/// Memory: 0 to 31 the last samples, 64 to 127 values by origin, 200 number of samples so far,
/// 201 checksum of all that was heard.
struct Programs {
  Program Timer, Packet;

  Programs() {
    using enum Operation;
    Timer = {
        {Sense, 0},        // samples[count % 32] = sample
        {Load, 1, 7, 200}, // (register 7 is always zero)
        {AddNumber, 1, 0, 1},
        {Store, 1, 7, 200},
        {Mask, 1, 0, 31},
        {Store, 0, 1, 0},
        {Set, 2, 0, 32}, // filter: r3 = all samples, newer ones weighted more
        {Set, 3},
        {Load, 4, 1, 0}, // <- loop
        {Add, 3, 4},
        {Multiply, 3, 0, 3},
        {Shift, 3, 0, 1},
        {AddNumber, 1, 0, 1},
        {Mask, 1, 0, 31},
        {AddNumber, 2, 0, -1},
        {IfNotZero, 2, 0, -7},
        {Report, 3},
        {Load, 1, 7, 200}, // every 16th time: tell the neighbours the checksum
        {Mask, 1, 0, 15},
        {IfNotZero, 1, 0, 3},
        {Load, 4, 7, 201},
        {Tell, 4},
        {Mask, 0, 0, 127}, // sleep 100 to 227 ticks
        {AddNumber, 0, 0, 100},
        {Sleep, 0},
        {Stop},
    };
    Packet = {
        {Set, 3}, // r3 = the cell of the origin
        {Add, 3, 1},
        {Mask, 3, 0, 63},
        {Store, 0, 3, 64},
        {Load, 5, 7, 201}, // checksum = checksum * 31 ^ value, and 12 cells added
        {Multiply, 5, 0, 31},
        {Xor, 5, 0},
        {Set, 6, 0, 12},
        {Load, 4, 3, 64}, // <- loop
        {Add, 5, 4},
        {AddNumber, 3, 0, 1},
        {Mask, 3, 0, 63},
        {AddNumber, 6, 0, -1},
        {IfNotZero, 6, 0, -5},
        {Store, 5, 7, 201},
        {Stop},
    };
  }
};

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

struct Packet {
  enum Form : uint8_t { Report, Beacon } What; // passed on to the sink; for neighbours only
  uint32_t Origin, Sender;
  uint32_t Number; // of the sender's packets
  uint64_t Time;   // of arrival
  uint32_t Value, Hops;
};

/// Something that happens to a node: its timer, or a packet.
struct Event {
  uint64_t Time;
  std::unique_ptr<Packet> Heard; // null for the timer

  /// For heaps: whether this one is later. Two events of a node are never equal.
  bool operator<(const Event &Other) const { return key() > Other.key(); }

private:
  std::tuple<uint64_t, uint64_t, uint64_t> key() const {
    return {Time, Heard ? Heard->Sender + 1 : 0, Heard ? Heard->Number : 0};
  }
};

/// A node's events, the next one on top.
class EventHeap {
public:
  void push(Event New) {
    Events.push_back(std::move(New));
    std::push_heap(Events.begin(), Events.end());
  }

  Event pop() {
    std::pop_heap(Events.begin(), Events.end());
    Event Next = std::move(Events.back());
    Events.pop_back();
    return Next;
  }

  uint64_t nextTime() const { return Events.empty() ? Unplanned : Events.front().Time; }

  size_t packets() const {
    return static_cast<size_t>(
        std::ranges::count_if(Events, [](const Event &E) { return E.Heard != nullptr; }));
  }

private:
  std::vector<Event> Events;
};

/// The simulated part of a node: belongs to one thread, and knows nothing of windows and locks.
class Mote {
public:
  uint64_t Sent = 0, Handled = 0, Delivered = 0; // packets: sent, heard, arrived at the sink

  Mote(const Programs &Code, uint32_t Id) : Code(Code), Id(Id), Sensor(Id + 12345) {}

  uint64_t firstTimer() const { return Id % 97; }

  /// Lets one event happen. Send is called with each packet and its receiver; returns when the
  /// timer goes off next, if the event has set it.
  template <class Fn> uint64_t handle(const Event &Now, Fn Send) {
    Cpu.fill(0);
    if (!Now.Heard)
      return run(Code.Timer, Now, Send);
    ++Handled;
    Cpu[0] = Now.Heard->Value;
    Cpu[1] = Now.Heard->Origin;
    Cpu[2] = Now.Heard->Hops;
    run(Code.Packet, Now, Send);
    if (Now.Heard->What == Packet::Report) {
      if (Id == 0)
        ++Delivered;
      else
        send(Packet::Report, parent(), Now, Now.Heard->Value, Send);
    }
    return Unplanned;
  }

  void addTo(kernel::Digest &D) const {
    for (uint32_t Cell : Ram)
      D.add(uint64_t{Cell});
    D.add(Sent);
    D.add(Handled);
    D.add(Delivered);
  }

  /// Calls Use with each node that this one can hear.
  template <class Fn> static void forNeighbours(size_t Id, Fn Use) {
    if (Id >= Side)
      Use(Id - Side);
    if (Id % Side > 0)
      Use(Id - 1);
    if (Id % Side + 1 < Side)
      Use(Id + 1);
    if (Id + Side < NodeCount)
      Use(Id + Side);
  }

private:
  size_t parent() const {
    bool IsUp = Id % Side == 0 || (Id >= Side && (Id % Side + Id / Side) % 2);
    return IsUp ? Id - Side : Id - 1;
  }

  template <class Fn>
  void send(Packet::Form What, size_t To, const Event &Now, uint32_t Value, Fn Send) {
    auto New = std::make_unique<Packet>();
    bool IsForwarded = Now.Heard && What == Packet::Report;
    *New = {.What = What,
            .Origin = IsForwarded ? Now.Heard->Origin : Id,
            .Sender = Id,
            .Number = static_cast<uint32_t>(Sent++),
            .Time = Now.Time + Window + Value % 32,
            .Value = Value,
            .Hops = IsForwarded ? Now.Heard->Hops + 1 : 0};
    Send(To, std::move(New));
  }

  template <class Fn> uint64_t run(const Program &Handler, const Event &Now, Fn Send) {
    uint64_t Timer = Unplanned;
    for (size_t At = 0;; ++At) {
      const Instruction &I = Handler[At];
      uint32_t &A = Cpu[I.A], &B = Cpu[I.B];
      auto Number = static_cast<uint32_t>(I.Number);
      switch (I.Do) {
      case Operation::Set:
        A = Number;
        break;
      case Operation::Add:
        A += B;
        break;
      case Operation::AddNumber:
        A += Number;
        break;
      case Operation::Xor:
        A ^= B;
        break;
      case Operation::Multiply:
        A *= Number;
        break;
      case Operation::Shift:
        A >>= Number;
        break;
      case Operation::Mask:
        A &= Number;
        break;
      case Operation::Load:
        A = Ram[(B + Number) % Memory];
        break;
      case Operation::Store:
        Ram[(B + Number) % Memory] = A;
        break;
      case Operation::IfNotZero:
        if (A)
          At += static_cast<size_t>(ptrdiff_t{I.Number} - 1); // and the loop adds one
        break;
      case Operation::Sense:
        A = static_cast<uint32_t>(Sensor.below(1 << 20));
        break;
      case Operation::Sleep:
        Timer = Now.Time + A;
        break;
      case Operation::Report:
        if (Id != 0)
          send(Packet::Report, parent(), Now, A, Send);
        break;
      case Operation::Tell:
        forNeighbours(Id, [&](size_t To) { send(Packet::Beacon, To, Now, A, Send); });
        break;
      case Operation::Stop:
        return Timer;
      }
    }
  }

  const Programs &Code;
  uint32_t Id;
  kernel::Random Sensor;
  std::array<uint32_t, Registers> Cpu = {};
  std::array<uint32_t, Memory> Ram = {};
};

/// A mote, its events, and what its neighbours need to know of it.
class Node {
public:
  // Of the thread that moves the node.
  Mote Self;
  EventHeap Events;
  uint64_t EarlyDigest = 0; // of the mote after some windows

  Node(const Programs &Code, uint32_t Id) : Self(Code, Id) {
    Events.push({Self.firstTimer(), nullptr});
  }

  /// From any thread.
  void deliver(std::unique_ptr<Packet> New) {
    std::lock_guard Guard(Lock);
    Inbox.push_back(std::move(New));
  }

  /// From any thread: returns when this node is done with so many windows.
  void awaitWindows(size_t Number) {
    std::unique_lock Guard(Lock);
    IsDone.wait(Guard, [&] { return Done >= Number; });
  }

  void openInbox() {
    std::vector<std::unique_ptr<Packet>> New;
    {
      std::lock_guard Guard(Lock);
      std::swap(New, Inbox);
    }
    for (auto &Heard : New)
      Events.push({Heard->Time, std::move(Heard)});
  }

  void finishWindow() {
    std::lock_guard Guard(Lock);
    ++Done;
    IsDone.notify_all();
  }

private:
  std::mutex Lock;
  std::condition_variable IsDone;
  std::vector<std::unique_ptr<Packet>> Inbox; // guarded by Lock
  size_t Done = 0;                            // windows; guarded by Lock
};

struct Network {
  std::vector<std::unique_ptr<Node>> Nodes;
  size_t Booted = 0; ///< for statistics; the race of --race is that nothing guards it

  explicit Network(const Programs &Code) {
    for (uint32_t Id = 0; Id < NodeCount; ++Id)
      Nodes.push_back(std::make_unique<Node>(Code, Id));
  }

  /// Moves one node through a window, when its neighbours are done with all before.
  void step(size_t Id, size_t Number) {
    Mote::forNeighbours(Id, [&](size_t Other) { Nodes[Other]->awaitWindows(Number); });
    Node &At = *Nodes[Id];
    At.openInbox();
    auto Send = [&](size_t To, std::unique_ptr<Packet> New) { Nodes[To]->deliver(std::move(New)); };
    while (At.Events.nextTime() < (Number + 1) * Window)
      if (uint64_t Timer = At.Self.handle(At.Events.pop(), Send); Timer != Unplanned)
        At.Events.push({Timer, nullptr});
    At.finishWindow();
  }
};

/// The digests of all motes after some windows, with one queue and one thread.
std::vector<uint64_t> simulateInOrder(const Programs &Code, size_t Windows) {
  std::vector<Mote> Motes;
  std::vector<EventHeap> Events(NodeCount);
  std::priority_queue<std::pair<uint64_t, size_t>, std::vector<std::pair<uint64_t, size_t>>,
                      std::greater<>>
      Queue; // time and node of each event
  auto Plan = [&](size_t Id, Event New) {
    Queue.emplace(New.Time, Id);
    Events[Id].push(std::move(New));
  };
  for (uint32_t Id = 0; Id < NodeCount; ++Id) {
    Motes.emplace_back(Code, Id);
    Plan(Id, {Motes[Id].firstTimer(), nullptr});
  }
  while (Queue.top().first < Windows * Window) {
    size_t Id = Queue.top().second;
    Queue.pop();
    Event Now = Events[Id].pop();
    uint64_t Timer = Motes[Id].handle(Now, [&](size_t To, std::unique_ptr<Packet> New) {
      Plan(To, {New->Time, std::move(New)});
    });
    if (Timer != Unplanned)
      Plan(Id, {Timer, nullptr});
  }
  std::vector<uint64_t> Result;
  for (const Mote &At : Motes) {
    kernel::Digest D;
    At.addTo(D);
    Result.push_back(D.value());
  }
  return Result;
}

} // namespace

int main(int Argc, char **Argv) {
  kernel::Settings S(Argc, Argv);
  const Programs Code;
  const size_t Windows = S.scaled(2000, 30), EarlyWindows = Windows / 12;
  Network Net(Code);

  kernel::inParallel(S.Threads, [&](unsigned Id) {
    kernel::Share Mine(NodeCount, Id, S.Threads);
    if (S.Race)
      Net.Booted += Mine.End - Mine.Begin; // RACE 1
    for (size_t Number = 0; Number < Windows; ++Number)
      for (size_t I = Mine.Begin; I < Mine.End; ++I) {
        Net.step(I, Number);
        if (Number + 1 == EarlyWindows) {
          kernel::Digest D;
          Net.Nodes[I]->Self.addTo(D);
          Net.Nodes[I]->EarlyDigest = D.value();
        }
      }
  });

  // Whatever was sent was heard or is still on its way.
  uint64_t Sent = 0, Handled = 0, Waiting = 0;
  std::vector<uint64_t> Early = simulateInOrder(Code, EarlyWindows);
  bool IsRight = true;
  kernel::Digest Result;
  for (size_t I = 0; I < NodeCount; ++I) {
    Node &At = *Net.Nodes[I];
    At.openInbox();
    Sent += At.Self.Sent;
    Handled += At.Self.Handled;
    Waiting += At.Events.packets();
    IsRight = IsRight && At.EarlyDigest == Early[I];
    At.Self.addTo(Result);
  }
  return kernel::finish(S, IsRight && Sent == Handled + Waiting, Result.value());
}
