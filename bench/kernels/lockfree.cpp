//===- lockfree.cpp - A parcel depot on a lock-free queue and hash map ----===//
//
// Every worker does whatever comes up: it posts a parcel (puts it into the queue), shelves one
// (moves it from the queue into the hash map), delivers one (takes it out of the map), or looks
// one up. In the end the depot is cleared, and every parcel must have been delivered once:
//
//   post  ->  ParcelQueue  ->  shelve  ->  ShelfMap  ->  deliver
//
// No program of the papers is of this kind; it stands for the concurrent containers that C++
// programs build on where the papers' Java programs take locks.
//
// Containers: the queue is Michael and Scott's (PODC 1996), the map has a list of Harris' and
// Michael's (SPAA 2002) in each bucket, and memory is reclaimed by epochs after Fraser (2004),
// with acquire, release and sequentially consistent operations alone, no fences.
//
// Sharing: only through atomic pointers. Each parcel's fields are plain memory, written before a
// release and read after an acquire. A race detector sees short-lived objects that wander
// between threads, hot atomic words, and no locks at all.
//
//===----------------------------------------------------------------------===//

#include "bench/kernels/kernel.h"

#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

namespace {

//===-- Epochs --------------------------------------------------------------===//

/// Says when an object that was unlinked can be deleted: nobody holds it any more.
///
/// A thread is pinned, at the epoch it saw, while it holds pointers into a container. The epoch
/// goes from E to E + 1 only when every pinned thread is pinned at E; so it is E + 1 at most as
/// long as somebody is pinned at E. An object that was retired in epoch R by a thread that was
/// pinned, at R or before, is deleted in epoch R + 3:
///
///  * A reader that pins at R + 2 or later does not find it. To reach R + 2, the epoch had to
///    see the retiring thread unpinned, and that thread's unlinking happens before its unpinning
///    (release), which happens before the advance (acquire), which the reader acquired.
///  * A reader that pinned at R + 1 or before has unpinned: R + 3 was not reached otherwise, and
///    by the same chain all it read happens before the deletion.
///
/// That an advance sees who is pinned is by sequential consistency: a thread counts as pinned
/// at E only when it has read E after it stored E, and so before the store of E + 1.
class Epochs {
  static constexpr uint64_t NotPinned = ~uint64_t(0);

  struct alignas(64) Slot {
    std::atomic<uint64_t> Pinned = NotPinned; // Written by its thread, read by all.
  };

public:
  explicit Epochs(unsigned Threads) : Slots(Threads) {}

  /// One thread's place. Made and destroyed while no other thread runs.
  class Member {
  public:
    Member(Epochs &All, unsigned Id) : All(All), Mine(All.Slots[Id]) {}
    Member(const Member &) = delete;
    ~Member() {
      for (const Retired &R : Bag)
        R.Delete(R.Object);
    }

    /// Runs an operation on a container.
    template <std::invocable Fn> auto pinned(Fn Operation) {
      pin();
      auto Result = Operation();
      // Releases what the operation read to the thread that sees it unpinned.
      Mine.Pinned.store(NotPinned, std::memory_order_release);
      if (++Operations % 64 == 0)
        collect();
      return Result;
    }

    /// Deletes an object that no new reader can find, when the old ones have gone. Pinned.
    template <class T> void retire(T *Object) {
      Bag.push_back({Object, [](void *P) { delete static_cast<T *>(P); },
                     All.Now.load(std::memory_order_seq_cst)});
    }

    size_t numFreed() const { return NumFreed; }

  private:
    struct Retired {
      void *Object;
      void (*Delete)(void *);
      uint64_t Epoch;
    };
    Epochs &All;
    Slot &Mine;
    std::deque<Retired> Bag; // By epoch, oldest first.
    uint64_t Operations = 0;
    size_t NumFreed = 0;

    void pin() {
      uint64_t Seen = All.Now.load(std::memory_order_seq_cst);
      for (;;) {
        Mine.Pinned.store(Seen, std::memory_order_seq_cst);
        uint64_t Again = All.Now.load(std::memory_order_seq_cst);
        if (Again == Seen)
          return;
        Seen = Again;
      }
    }

    void collect() {
      uint64_t Now = All.tryAdvance();
      for (; !Bag.empty() && Bag.front().Epoch + 3 <= Now; Bag.pop_front(), ++NumFreed)
        Bag.front().Delete(Bag.front().Object);
    }
  };

private:
  std::atomic<uint64_t> Now = 0;
  std::vector<Slot> Slots;

  uint64_t tryAdvance() {
    uint64_t Current = Now.load(std::memory_order_seq_cst);
    for (const Slot &S : Slots)
      if (uint64_t At = S.Pinned.load(std::memory_order_seq_cst); At != NotPinned && At != Current)
        return Current;
    if (Now.compare_exchange_strong(Current, Current + 1, std::memory_order_seq_cst))
      return Current + 1;
    return Current;
  }
};

//===-- The queue -----------------------------------------------------------===//

/// First in, first out; any number of threads at both ends. The first node is a dummy, whose
/// content has been taken.
template <class T> class Queue {
public:
  Queue() { Tail.store(Head.load(std::memory_order_relaxed), std::memory_order_relaxed); }
  Queue(const Queue &) = delete;
  ~Queue() {
    for (Node *N = Head.load(std::memory_order_relaxed); N;)
      delete std::exchange(N, N->Next.load(std::memory_order_relaxed));
  }

  void push(Epochs::Member &Me, T Content) {
    Node *Added = new Node{std::move(Content), nullptr};
    Me.pinned([&] {
      for (;;) {
        Node *Last = Tail.load(std::memory_order_acquire), *Next = nullptr;
        // Release: who finds the node finds its content.
        if (Last->Next.compare_exchange_strong(Next, Added, std::memory_order_release,
                                               std::memory_order_acquire)) {
          Tail.compare_exchange_strong(Last, Added, std::memory_order_release,
                                       std::memory_order_relaxed);
          return true;
        }
        // Somebody has added a node and not moved the tail yet.
        Tail.compare_exchange_strong(Last, Next, std::memory_order_release,
                                     std::memory_order_relaxed);
      }
    });
  }

  std::optional<T> pop(Epochs::Member &Me) {
    return Me.pinned([&]() -> std::optional<T> {
      for (;;) {
        Node *First = Head.load(std::memory_order_acquire);
        Node *Last = Tail.load(std::memory_order_acquire);
        Node *Next = First->Next.load(std::memory_order_acquire);
        if (!Next)
          return std::nullopt;
        if (First == Last) {
          // The tail must not fall behind the head: the node would be deleted under it.
          Tail.compare_exchange_strong(Last, Next, std::memory_order_release,
                                       std::memory_order_relaxed);
          continue;
        }
        if (Head.compare_exchange_strong(First, Next, std::memory_order_acq_rel,
                                         std::memory_order_relaxed)) {
          Me.retire(First);
          // The winner alone reads the content; the node, a dummy now, stays as long as we are
          // pinned.
          return std::move(Next->Content);
        }
      }
    });
  }

private:
  struct Node {
    T Content{};
    std::atomic<Node *> Next = nullptr;
  };
  alignas(64) std::atomic<Node *> Head = new Node;
  alignas(64) std::atomic<Node *> Tail;
};

//===-- The map -------------------------------------------------------------===//

/// From numbers to objects; each bucket is a sorted list. Erasing a node first marks its own
/// link, which takes the node away logically and stops others from adding behind it, and then
/// unlinks it; whoever passes a marked node unlinks it too.
template <class T> class Map {
public:
  explicit Map(size_t Buckets) : Mask(std::bit_ceil(Buckets) - 1), Heads(Mask + 1) {}
  Map(const Map &) = delete;
  ~Map() {
    for (Link &Head : Heads)
      for (Node *N = node(Head.load(std::memory_order_relaxed)); N;)
        delete std::exchange(N, node(N->Next.load(std::memory_order_relaxed)));
  }

  /// False when the key is there already.
  bool insert(Epochs::Member &Me, uint64_t Key, std::unique_ptr<const T> Content) {
    auto Added = std::make_unique<Node>(Key, std::move(Content));
    return Me.pinned([&] {
      for (;;) {
        Place P = find(Me, Key);
        if (P.Found)
          return false;
        Added->Next.store(P.Word, std::memory_order_relaxed); // Not published yet.
        // Release: who finds the node finds its content.
        if (P.Before->compare_exchange_strong(P.Word, word(Added.get()), std::memory_order_release,
                                              std::memory_order_relaxed)) {
          Added.release();
          return true;
        }
      }
    });
  }

  /// A copy of the content, taken out; one caller gets it.
  std::optional<T> erase(Epochs::Member &Me, uint64_t Key) {
    return Me.pinned([&]() -> std::optional<T> {
      for (;;) {
        Place P = find(Me, Key);
        if (!P.Found)
          return std::nullopt;
        uintptr_t After = P.Found->Next.load(std::memory_order_acquire);
        if (After & Marked)
          continue;
        // Acquire and release: passes on to whoever sees the mark what made the link.
        if (!P.Found->Next.compare_exchange_strong(After, After | Marked, std::memory_order_acq_rel,
                                                   std::memory_order_relaxed))
          continue;
        std::optional<T> Result = *P.Found->Content;
        // If this fails, find unlinks it, or has.
        if (P.Before->compare_exchange_strong(P.Word, After, std::memory_order_acq_rel,
                                              std::memory_order_relaxed))
          Me.retire(P.Found);
        else
          find(Me, Key);
        return Result;
      }
    });
  }

  /// Whether the key is there; if so, Look sees its content.
  template <std::invocable<const T &> Fn> bool look(Epochs::Member &Me, uint64_t Key, Fn Look) {
    return Me.pinned([&] {
      Place P = find(Me, Key);
      if (P.Found)
        Look(*P.Found->Content);
      return P.Found != nullptr;
    });
  }

private:
  using Link = std::atomic<uintptr_t>; // A node's address, and Marked if its own node is erased.
  static constexpr uintptr_t Marked = 1;

  struct Node {
    const uint64_t Key;
    const std::unique_ptr<const T> Content;
    Link Next = 0;
    Node(uint64_t Key, std::unique_ptr<const T> Content) : Key(Key), Content(std::move(Content)) {}
  };

  /// The link at which a key is or would be, the word in it, and the key's node.
  struct Place {
    Link *Before;
    uintptr_t Word;
    Node *Found;
  };

  const size_t Mask;
  std::vector<Link> Heads;

  static Node *node(uintptr_t Word) { return reinterpret_cast<Node *>(Word & ~Marked); }
  static uintptr_t word(Node *N) { return reinterpret_cast<uintptr_t>(N); }

  Place find(Epochs::Member &Me, uint64_t Key) {
    Link &Head = Heads[(Key * 0x9e3779b97f4a7c15 >> 32) & Mask];
  Again:
    Link *Before = &Head;
    uintptr_t Word = Before->load(std::memory_order_acquire);
    while (Node *At = node(Word)) {
      uintptr_t After = At->Next.load(std::memory_order_acquire);
      if (After & Marked) {
        // Expects an unmarked word, so it fails too when the node before has been erased.
        if (!Before->compare_exchange_strong(Word, After & ~Marked, std::memory_order_acq_rel,
                                             std::memory_order_relaxed))
          goto Again;
        Me.retire(At);
        Word = After & ~Marked;
        continue;
      }
      if (At->Key >= Key)
        return {Before, Word, At->Key == Key ? At : nullptr};
      Before = &At->Next;
      Word = After;
    }
    return {Before, Word, nullptr};
  }
};

//===-- The depot -----------------------------------------------------------===//

struct Parcel {
  uint64_t Id = 0;
  uint32_t Sender = 0, Number = 0; // Number counts up for each sender.
  std::array<uint32_t, 6> Items{};
  uint64_t Seal = 0; // Of all the above.

  static Parcel make(uint64_t Id, uint32_t Sender, uint32_t Number) {
    Parcel P{Id, Sender, Number, {}, 0};
    kernel::Random R(Id);
    for (uint32_t &Item : P.Items)
      Item = static_cast<uint32_t>(R.next());
    P.Seal = P.seal();
    return P;
  }

  uint64_t seal() const {
    uint64_t Sum = Id;
    for (uint32_t Item : Items)
      Sum = (Sum ^ Item) * 0x100000001b3;
    return Sum;
  }
};

/// What one worker did. Its own until it is joined.
struct alignas(64) Ledger {
  uint64_t Posted = 0, Shelved = 0, Delivered = 0, Seen = 0, Wrong = 0;
  uint64_t Sum = 0;                      // Of the delivered parcels' seals.
  std::vector<bool> Received;            // By parcel: delivered by this worker?
  std::vector<uint32_t> NextFromSenders; // By sender: the least number that may still come.
};

struct Depot {
  static constexpr uint64_t Window = 4000; // How far back a worker picks among the parcels posted.
  Epochs Times;
  Queue<std::unique_ptr<const Parcel>> Belt;
  Map<Parcel> Shelves{1 << 14};
  uint64_t NumParcels;
  unsigned Workers;
  uint64_t NodesFreed = 0;

  Depot(unsigned Workers, uint64_t NumParcels)
      : Times(Workers), NumParcels(NumParcels), Workers(Workers) {}

  void post(Epochs::Member &Me, Ledger &Mine, uint64_t Id, unsigned Sender) {
    auto Number = static_cast<uint32_t>(Mine.Posted++);
    Belt.push(Me, std::make_unique<Parcel>(Parcel::make(Id, Sender, Number)));
  }

  bool shelve(Epochs::Member &Me, Ledger &Mine) {
    std::optional<std::unique_ptr<const Parcel>> Taken = Belt.pop(Me);
    if (!Taken)
      return false;
    const Parcel &P = **Taken;
    // First in, first out: to one receiver, a sender's parcels come in their order.
    Mine.Wrong += P.Number < Mine.NextFromSenders[P.Sender];
    Mine.NextFromSenders[P.Sender] = P.Number + 1;
    ++Mine.Shelved;
    uint64_t Id = P.Id;
    Mine.Wrong += !Shelves.insert(Me, Id, std::move(*Taken));
    return true;
  }

  bool deliver(Epochs::Member &Me, Ledger &Mine, uint64_t Id) {
    std::optional<Parcel> Taken = Shelves.erase(Me, Id);
    if (!Taken)
      return false;
    Mine.Wrong += Taken->Id != Id || Taken->Seal != Taken->seal();
    ++Mine.Delivered;
    Mine.Wrong += Mine.Received[Id];
    Mine.Received[Id] = true;
    Mine.Sum += Taken->Seal;
    return true;
  }

  /// One worker's day: its share of the parcels posted, everything else as it comes.
  void work(Epochs::Member &Me, Ledger &Mine, unsigned Worker) {
    kernel::Share Own(NumParcels, Worker, Workers);
    kernel::Random R(Worker);
    for (size_t Id = Own.Begin; Id < Own.End;) {
      // Around what has been posted lately, by this worker and the others at their pace.
      uint64_t Sender = R.below(Workers), Done = Id - Own.Begin;
      kernel::Share Theirs(NumParcels, static_cast<unsigned>(Sender), Workers);
      uint64_t Recent = Theirs.Begin + (Done - R.below(std::min(Done, Window) + 1));
      Recent = std::min<uint64_t>(Recent, NumParcels - 1);
      switch (R.below(8)) {
      case 0:
        post(Me, Mine, Id, Worker);
        if (Done >= Window) // Whatever nobody has picked by now goes out: the shelves stay short.
          deliver(Me, Mine, Id - Window);
        ++Id;
        break;
      case 1:
      case 2:
        shelve(Me, Mine);
        break;
      case 3:
      case 4:
      case 5:
        deliver(Me, Mine, Recent);
        break;
      default:
        Mine.Seen += Shelves.look(Me, Recent, [&](const Parcel &P) {
          Mine.Wrong += P.Id != Recent || P.Seal != P.seal();
        });
      }
    }
  }
};

} // namespace

int main(int Argc, char **Argv) {
  kernel::Settings S(Argc, Argv);
  Depot D(S.Threads, S.scaled(2400000, 1000));
  std::vector<Ledger> Ledgers(S.Threads);
  std::deque<Epochs::Member> Members;
  for (unsigned Worker = 0; Worker < S.Threads; ++Worker) {
    Members.emplace_back(D.Times, Worker);
    Ledgers[Worker].Received.resize(D.NumParcels);
    Ledgers[Worker].NextFromSenders.resize(S.Threads);
  }

  kernel::inParallel(S.Threads, [&](unsigned Worker) {
    D.work(Members[Worker], Ledgers[Worker], Worker);
    if (S.Race)
      D.NodesFreed += Members[Worker].numFreed(); // RACE 1
  });

  // What is left goes through the first worker's hands.
  while (D.shelve(Members[0], Ledgers[0]))
    ;
  for (uint64_t Id = 0; Id < D.NumParcels; ++Id)
    D.deliver(Members[0], Ledgers[0], Id);

  // Each parcel has been posted, shelved and delivered once, and unharmed.
  Ledger Total;
  for (const Ledger &L : Ledgers) {
    Total.Posted += L.Posted;
    Total.Shelved += L.Shelved;
    Total.Delivered += L.Delivered;
    Total.Wrong += L.Wrong;
    Total.Sum += L.Sum;
  }
  bool IsRight = Total.Wrong == 0 && Total.Posted == D.NumParcels &&
                 Total.Shelved == D.NumParcels && Total.Delivered == D.NumParcels;
  uint64_t Sum = 0;
  for (uint64_t Id = 0; Id < D.NumParcels; ++Id) {
    unsigned Times = 0;
    for (const Ledger &L : Ledgers)
      Times += L.Received[Id];
    IsRight &= Times == 1;
    Sum += Parcel::make(Id, 0, 0).Seal;
  }
  kernel::Digest Result;
  Result.add(Total.Sum);
  return kernel::finish(S, IsRight && Total.Sum == Sum, Result.value());
}
