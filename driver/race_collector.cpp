//===- race_collector.cpp - From reported races to what people read -------===//

#include "driver/race_collector.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <utility>

namespace photofinish {

/// Holds a detector's reports until collect() is called.
class RaceCollector::Sink final : public RaceSink {
public:
  void report(const Race &R) override { Reports.push_back(R); }

  /// The reports so far, with adjoining ones joined.
  std::vector<Race> take() {
    auto Accesses = [](const Race &R) {
      auto Key = [](const RaceAccess &A) {
        return std::tuple(A.Thread, A.Site, A.IsWrite, A.IsAtomic);
      };
      return std::tuple(R.Operation, Key(R.First), Key(R.Second));
    };
    llvm::sort(Reports, [&](const Race &A, const Race &B) {
      return std::pair(Accesses(A), A.Address) < std::pair(Accesses(B), B.Address);
    });
    std::vector<Race> Joined;
    for (const Race &R : Reports) {
      if (!Joined.empty() && Accesses(Joined.back()) == Accesses(R) &&
          R.Address <= Joined.back().Address + Joined.back().Size) {
        Race &Last = Joined.back();
        Last.Size = std::max(Last.Size, R.Address + R.Size - Last.Address);
      } else {
        Joined.push_back(R);
      }
    }
    Reports.clear();
    return Joined;
  }

  bool empty() const { return Reports.empty(); }

private:
  std::vector<Race> Reports;
};

RaceCollector::RaceCollector(llvm::ArrayRef<const DetectorInfo *> Detectors)
    : Detectors(Detectors), RacyBytes(Detectors.size()) {
  for (size_t I = 0; I < Detectors.size(); ++I)
    Sinks.push_back(std::make_unique<Sink>());
}
RaceCollector::~RaceCollector() = default;

RaceSink &RaceCollector::sink(unsigned Detector) { return *Sinks[Detector]; }

void RaceCollector::collect(const SymbolTable &Symbols,
                            llvm::function_ref<std::string(uint64_t)> PositionOf) {
  for (unsigned Detector = 0; Detector < Sinks.size(); ++Detector) {
    if (Sinks[Detector]->empty())
      continue;
    for (const Race &R : Sinks[Detector]->take())
      add(Detector, R, Symbols, PositionOf);
  }
}

RaceCollector::SitePair RaceCollector::sitePairOf(const Race &R) {
  auto SideOf = [](const RaceAccess &A) {
    return Side(A.Site, A.Site ? 0 : A.Thread, A.IsWrite, A.IsAtomic);
  };
  return std::minmax({SideOf(R.First), SideOf(R.Second)});
}

void RaceCollector::add(unsigned Detector, const Race &R, const SymbolTable &Symbols,
                        llvm::function_ref<std::string(uint64_t)> PositionOf) {
  RacyBytes[Detector].add(R.Address, R.Size);
  auto Describe = [&](const RaceAccess &A) {
    return FindingAccess{Symbols.name(NameKind::Thread, A.Thread),
                         A.Site ? Symbols.name(NameKind::Site, A.Site) : "", A.IsWrite, A.IsAtomic};
  };
  BySitePair &Known = Detectors[Detector]->IsPrecise ? Races : Unprotected;
  std::map<uint64_t, size_t> &OfPair = Known[sitePairOf(R)];
  const uint64_t End = R.Address + R.Size;

  // From left to right: bytes that are known repeat a finding, the gaps between make new ones.
  auto Next = OfPair.upper_bound(R.Address);
  if (Next != OfPair.begin()) {
    const Finding &Before = Findings[std::prev(Next)->second];
    if (Before.Address + Before.Size > R.Address)
      --Next;
  }
  for (uint64_t At = R.Address; At < End;) {
    if (Next != OfPair.end() && Next->first <= At) {
      Finding &Again = Findings[Next->second];
      ++Again.Seen[Detector];
      At = Again.Address + Again.Size;
      ++Next;
      continue;
    }
    uint64_t GapEnd = Next == OfPair.end() ? End : std::min(End, Next->first);
    Finding New{At,
                GapEnd - At,
                Symbols.describe(At),
                Describe(R.First),
                Describe(R.Second),
                R.Operation,
                PositionOf(R.Operation),
                std::vector<uint64_t>(Sinks.size())};
    New.Seen[Detector] = 1;
    OfPair.emplace(At, Findings.size());
    Findings.push_back(std::move(New));
    At = GapEnd;
  }
}

std::vector<Finding> RaceCollector::takeFindings() {
  for (auto &[Pair, OfPair] : Unprotected)
    for (auto [Address, Index] : OfPair) {
      auto SamePair = Races.find(Pair);
      if (SamePair == Races.end())
        continue;
      auto SameAddress = SamePair->second.find(Address);
      if (SameAddress == SamePair->second.end())
        continue;
      Finding &Race = Findings[SameAddress->second], &Repeat = Findings[Index];
      if (Race.Size != Repeat.Size)
        continue;
      for (size_t I = 0; I < Detectors.size(); ++I)
        Race.Seen[I] += std::exchange(Repeat.Seen[I], 0);
    }
  llvm::erase_if(Findings, [](const Finding &F) {
    return llvm::all_of(F.Seen, [](uint64_t Times) { return Times == 0; });
  });
  auto Key = [](const Finding &F) {
    return std::tie(F.Operation, F.Address, F.First.Site, F.First.Thread);
  };
  llvm::sort(Findings, [&](const Finding &A, const Finding &B) { return Key(A) < Key(B); });
  return std::move(Findings);
}

} // namespace photofinish
