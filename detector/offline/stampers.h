//===- stampers.h - Stamps for the threads of a trace ---------------------------===//

#ifndef PHOTOFINISH_DETECTOR_OFFLINE_STAMPERS_H
#define PHOTOFINISH_DETECTOR_OFFLINE_STAMPERS_H

#include "shadow/stamps.h"
#include "trace/operation.h"

#include <memory>
#include <vector>

namespace photofinish {

/// Stamps reserve much address space, which takes the system longer than a short trace takes us:
/// whoever has had some leaves them to the next.
class OfflineStamps {
public:
  OfflineStamps() {
    if (Spares.empty()) {
      Own = std::make_unique<Stamps>();
      if (!Own->initialise())
        host::giveUp("cannot reserve address space for the shadow; is it limited (ulimit -v)?");
    } else {
      Own = std::move(Spares.back());
      Spares.pop_back();
    }
  }
  ~OfflineStamps() {
    constexpr uint64_t MostBytes = 1 << 20;
    if (Own->bytes() > MostBytes)
      return;
    Own->restart();
    Spares.push_back(std::move(Own));
  }
  OfflineStamps(const OfflineStamps &) = delete;
  OfflineStamps &operator=(const OfflineStamps &) = delete;

  Stamps &get() { return *Own; }

private:
  std::unique_ptr<Stamps> Own;
  static inline thread_local std::vector<std::unique_ptr<Stamps>> Spares;
};

class Stampers {
public:
  explicit Stampers(Stamps &All) : All(All) {}

  Stamper &operator[](ThreadId Thread) {
    if (Thread >= Of.size())
      Of.resize(size_t(Thread) + 1);
    if (!Of[Thread])
      Of[Thread] = std::make_unique<Stamper>(All);
    return *Of[Thread];
  }

  /// KeepAll(Stamps::Collection &) keeps what the shadow has.
  template <class Fn> void collect(Fn &&KeepAll) {
    Stamps::Collection C(All);
    KeepAll(C);
    for (auto &Each : Of)
      if (Each)
        Each->forgetAll();
  }

private:
  Stamps &All;
  std::vector<std::unique_ptr<Stamper>> Of; // by thread
};

} // namespace photofinish

#endif // PHOTOFINISH_DETECTOR_OFFLINE_STAMPERS_H
