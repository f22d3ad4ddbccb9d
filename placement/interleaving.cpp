//===- interleaving.cpp - Strided checks that lie between each other ---------===//

#include "placement/interleaving.h"

#include "abi/abi.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;

namespace photofinish {

namespace {

/// How far one element is from the next, if that is little enough for a row of sites.
std::optional<uint64_t> periodOf(const PlannedCheck &C) {
  const auto *Stride = dyn_cast_or_null<SCEVConstant>(C.What.Stride);
  if (!Stride || Stride->getAPInt().getSignificantBits() > 32)
    return std::nullopt;
  auto Period = uint64_t(std::abs(Stride->getAPInt().getSExtValue()));
  if (Period <= C.What.Bytes || Period > PF_MAX_PERIOD)
    return std::nullopt;
  return Period;
}

bool goTogether(const PlannedCheck &A, const PlannedCheck &B) {
  return A.Before == B.Before && A.From == B.From && A.To == B.To && A.Counted == B.Counted &&
         A.WithCurrent == B.WithCurrent && A.Reread == B.Reread && A.What.Write == B.What.Write &&
         A.What.Stride == B.What.Stride && A.What.Count == B.What.Count;
}

struct Member {
  size_t Number;  // among all checks
  int64_t Offset; // from the first of its cluster
};
using Cluster = SmallVector<Member, 4>;

/// Makes the first of them the check of all.
void join(std::vector<PlannedCheck> &Checks, ArrayRef<Member> Run, uint64_t Bytes) {
  SmallVector<PlannedCheck::Part, 0> Parts;
  SmallSetVector<LoadInst *, 4> Bases;
  for (const Member &M : Run) {
    const PlannedCheck &C = Checks[M.Number];
    Parts.push_back({unsigned(M.Offset - Run[0].Offset), unsigned(C.What.Bytes), C.Origin});
    Bases.insert(C.Bases.begin(), C.Bases.end());
  }
  PlannedCheck &Whole = Checks[Run[0].Number];
  Whole.Bases.assign(Bases.begin(), Bases.end());
  Whole.What.Bytes = Bytes;
  Whole.Parts = std::move(Parts);
  for (const Member &M : Run.drop_front())
    Checks[M.Number].Origin = nullptr;
}

} // namespace

void interleave(std::vector<PlannedCheck> &Checks, ScalarEvolution &SE) {
  std::vector<Cluster> Clusters;
  for (size_t I = 0; I < Checks.size(); ++I) {
    if (!periodOf(Checks[I]))
      continue;
    auto Joins = [&](Cluster &Known) {
      const PlannedCheck &First = Checks[Known[0].Number];
      if (!goTogether(First, Checks[I]))
        return false;
      const auto *Distance =
          dyn_cast<SCEVConstant>(SE.getMinusSCEV(Checks[I].What.Start, First.What.Start));
      if (!Distance || Distance->getAPInt().getSignificantBits() > 32)
        return false;
      Known.push_back({I, Distance->getAPInt().getSExtValue()});
      return true;
    };
    if (none_of(Clusters, Joins))
      Clusters.push_back({{I, 0}});
  }
  for (Cluster &C : Clusters) {
    uint64_t Period = *periodOf(Checks[C[0].Number]);
    stable_sort(C, [](const Member &A, const Member &B) { return A.Offset < B.Offset; });
    for (ArrayRef<Member> Rest = C; !Rest.empty();) {
      // What lies side by side, until it would meet its own next element.
      size_t Count = 0;
      int64_t End = Rest[0].Offset;
      auto EndOf = [&](const Member &M) { return M.Offset + int64_t(Checks[M.Number].What.Bytes); };
      while (Count < Rest.size() && Rest[Count].Offset <= End &&
             EndOf(Rest[Count]) <= Rest[0].Offset + int64_t(Period))
        End = std::max(End, EndOf(Rest[Count++]));
      if (Count > 1)
        join(Checks, Rest.take_front(Count), uint64_t(End - Rest[0].Offset));
      Rest = Rest.drop_front(Count);
    }
  }
  erase_if(Checks, [](const PlannedCheck &C) { return !C.Origin; });
}

} // namespace photofinish
