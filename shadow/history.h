//===- history.h - What many granules have in common --------------------------===//
//
// Memory that is accessed together has the same history, over many pages: a history is stored once
// for all granules that have it, and counts the classes that refer to it (shadow/class_page.h).
// A history that others refer to is never changed. What it becomes by an access is another one,
// and the same one for all: a thread remembers what it has made of which while its clock stays as
// it is. So a thousand pages that the same threads read share a clock of readers, too.
//
// A Histories belongs to its thread. A History belongs to whoever holds the lock of the page that
// refers to it, if no other does; its count is anyone's.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_SHADOW_HISTORY_H
#define PHOTOFINISH_SHADOW_HISTORY_H

#include "shadow/granule.h"

namespace photofinish {

struct History {
  Granule G; ///< atomics have not touched it
  std::atomic<uint32_t> References{0};

  /// Acquire: whoever let go of it has finished looking.
  bool isShared() const { return References.load(std::memory_order_acquire) != 1; }
};

/// What a thread has made of histories since its clock last changed, and what it has counted.
class Histories {
public:
  /// Old, which is null for memory that nobody has touched, became New by an access to bytes.
  struct Transition {
    History *Old = nullptr, *New = nullptr;
    Note N = 0;
    uint8_t Bytes = 0;
    bool IsWrite = false;
    // Where it was last needed.
    uint8_t Label = 0;
    const void *Page = nullptr;
  };
  struct Counts {
    uint64_t Commits = 0;     ///< accesses to a page, or many together
    uint64_t Splits = 0;      ///< classes that began
    uint64_t Merges = 0;      ///< granules that came into a class that was there
    uint64_t Transitions = 0; ///< histories that became another
    uint64_t Shared = 0;      ///< and those that became what an equal one had become
    uint64_t InPlace = 0;     ///< and those that nobody else had
    uint64_t ToFine = 0;      ///< granules that there was no class for
    uint64_t ToClasses = 0;   ///< and that came back
    uint64_t AtOnce = 0;      ///< accesses that were not put off, by whoever puts off others
    uint64_t Made = 0, Gone = 0;

    void operator+=(const Counts &Other) {
      Commits += Other.Commits;
      Splits += Other.Splits;
      Merges += Other.Merges;
      Transitions += Other.Transitions;
      Shared += Other.Shared;
      InPlace += Other.InPlace;
      ToFine += Other.ToFine;
      ToClasses += Other.ToClasses;
      AtOnce += Other.AtOnce;
      Made += Other.Made;
      Gone += Other.Gone;
    }
  };

  Histories() = default;
  Histories(const Histories &) = delete;
  Histories &operator=(const Histories &) = delete;
  ~Histories() {
    forgetTransitions();
    for (History *H : Spares)
      remove(H);
  }

  /// One that has nothing in it yet, for the caller.
  History *make() {
    ++Count.Made;
    History *H;
    if (Spares.empty()) {
      H = new (host::allocate(sizeof(History))) History();
    } else {
      H = Spares.back();
      Spares.pop();
    }
    H->References.store(1, std::memory_order_relaxed);
    return H;
  }
  static History *share(History *H) {
    H->References.fetch_add(1, std::memory_order_relaxed);
    return H;
  }
  /// The caller no longer refers to it.
  void drop(History *H) {
    // Acquire and release: whoever clears it comes after everybody else's last look.
    if (H->isShared() && H->References.fetch_sub(1, std::memory_order_acq_rel) != 1)
      return;
    ++Count.Gone;
    H->G.forget(0xff);
    if (Spares.size() < MaxSpares)
      Spares.push(H);
    else
      remove(H);
  }

  /// Where the transition is, or would be.
  Transition &find(const History *Old, uint8_t Bytes, bool IsWrite, Note N) {
    uint64_t Key = reinterpret_cast<uintptr_t>(Old) / sizeof(History) + N * UINT64_C(16) +
                   Bytes * UINT64_C(2) + IsWrite;
    return Known[(Key * UINT64_C(0x9E3779B97F4A7C15) >> 32) % MaxKnown];
  }
  bool isThere(const Transition &T, const History *Old, uint8_t Bytes, bool IsWrite, Note N) const {
    return T.New && T.Old == Old && T.N == N && T.Bytes == Bytes && T.IsWrite == IsWrite;
  }
  /// Both are shared from now on, so that neither changes.
  void remember(Transition &T, History *Old, History *New, uint8_t Bytes, bool IsWrite, Note N) {
    if (!T.New)
      Used.push(uint8_t(&T - Known));
    forget(T);
    T = {Old ? share(Old) : nullptr, share(New), N, Bytes, IsWrite};
  }
  /// The thread's clock is about to change.
  void forgetTransitions() {
    for (uint8_t I : Used)
      forget(Known[I]);
    Used.clear();
  }

  Counts Count;

private:
  static constexpr unsigned MaxKnown = 128;
  static constexpr uint32_t MaxSpares = 256;

  void forget(Transition &T) {
    if (!T.New)
      return;
    if (T.Old)
      drop(T.Old);
    drop(T.New);
    T = {};
  }
  static void remove(History *H) {
    H->~History();
    host::release(H, sizeof(History));
  }

  Transition Known[MaxKnown];
  Array<uint8_t> Used; // of Known
  Array<History *> Spares;
};

} // namespace photofinish

#endif // PHOTOFINISH_SHADOW_HISTORY_H
