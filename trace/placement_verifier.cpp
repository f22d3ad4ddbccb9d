//===- placement_verifier.cpp - Are checks where they should be? ------------===//

#include "trace/placement_verifier.h"

#include "llvm/ADT/StringExtras.h"

namespace photofinish {

PlacementVerifier::Thread &PlacementVerifier::thread(ThreadId T) {
  if (T >= Threads.size())
    Threads.resize(T + 1);
  return Threads[T];
}

void PlacementVerifier::access(const Operation &Op, bool IsWrite) {
  Thread &T = thread(Op.Thread);
  for (uint64_t Address = Op.Target; Address != Op.Target + Op.Size; ++Address) {
    Byte &B = T.Bytes[Address];
    B.Accessed = T.Releases;
    if (IsWrite)
      B.Written = T.Releases;
    if (auto It = T.OpenChecks.find(Address); It != T.OpenChecks.end()) {
      It->second.Read = false;
      It->second.Write &= !IsWrite;
    }
    if ((IsWrite ? B.CheckedAsWrite : B.Checked) == T.Releases)
      continue;
    Open &O = T.OpenAccesses[Address];
    (IsWrite ? O.Write : O.Read) = true;
    (IsWrite ? O.WriteSite : O.ReadSite) = Op.Site;
  }
}

void PlacementVerifier::check(const Operation &Op, bool IsWrite) {
  Thread &T = thread(Op.Thread);
  for (uint64_t Address = Op.Target; Address != Op.Target + Op.Size; ++Address) {
    Byte &B = T.Bytes[Address];
    B.Checked = T.Releases;
    if (IsWrite)
      B.CheckedAsWrite = T.Releases;
    if (auto It = T.OpenAccesses.find(Address); It != T.OpenAccesses.end()) {
      It->second.Read = false;
      It->second.Write &= !IsWrite;
    }
    if ((IsWrite ? B.Written : B.Accessed) == T.Releases)
      continue;
    Open &O = T.OpenChecks[Address];
    (IsWrite ? O.Write : O.Read) = true;
    (IsWrite ? O.WriteSite : O.ReadSite) = Op.Site;
  }
}

void PlacementVerifier::complain(ThreadId T, bool IsCheck,
                                 const std::unordered_map<uint64_t, Open> &Opened) {
  for (const auto &[Address, O] : Opened) {
    if (O.Write)
      Violations.push_back({IsCheck, true, T, Address, O.WriteSite});
    if (O.Read)
      Violations.push_back({IsCheck, false, T, Address, O.ReadSite});
  }
}

void PlacementVerifier::acquire(ThreadId Number) {
  Thread &T = thread(Number);
  complain(Number, false, T.OpenAccesses);
  complain(Number, true, T.OpenChecks);
  T.OpenAccesses.clear();
  T.OpenChecks.clear();
}

/// The memory is somebody else's from now on: what is open there stays open.
void PlacementVerifier::forget(uint64_t Address, uint64_t Size) {
  auto Drop = [&](auto &Map, auto &&BeforeErasing) {
    for (auto It = Map.begin(); It != Map.end();) {
      if (It->first - Address >= Size) {
        ++It;
        continue;
      }
      BeforeErasing(*It);
      It = Map.erase(It);
    }
  };
  for (ThreadId Number = 0; Number < Threads.size(); ++Number) {
    Thread &T = Threads[Number];
    Drop(T.OpenAccesses, [&](const auto &Entry) { complain(Number, false, {Entry}); });
    Drop(T.OpenChecks, [&](const auto &Entry) { complain(Number, true, {Entry}); });
    if (Size < T.Bytes.size())
      for (uint64_t I = 0; I < Size; ++I)
        T.Bytes.erase(Address + I);
    else
      Drop(T.Bytes, [](const auto &) {});
  }
}

void PlacementVerifier::synchronize(const Operation &Op) {
  bool Acquires = false, Releases = false;
  switch (Op.Kind) {
  case OpKind::Read:
  case OpKind::Write:
  case OpKind::Notify:
    return;
  case OpKind::Allocate:
  case OpKind::Free:
    return forget(Op.Target, Op.Size);
  case OpKind::AtomicLoad:
    Acquires = isAcquire(Op.Order);
    break;
  case OpKind::AtomicStore:
    Releases = isRelease(Op.Order);
    break;
  case OpKind::AtomicRmw:
  case OpKind::Fence:
    Acquires = isAcquire(Op.Order);
    Releases = isRelease(Op.Order);
    break;
  case OpKind::Acquire:
  case OpKind::ReadLock:
  case OpKind::Join:
  case OpKind::Begin:
  case OpKind::Wake:
  case OpKind::Depart:
    Acquires = true;
    break;
  case OpKind::Release:
  case OpKind::ReadUnlock:
  case OpKind::Fork:
  case OpKind::End:
  case OpKind::Wait:
  case OpKind::Arrive:
    Releases = true;
    break;
  case OpKind::Once:
    Acquires = Releases = true;
    break;
  }
  if (Acquires)
    acquire(Op.Thread);
  if (Releases)
    ++thread(Op.Thread).Releases;
}

void PlacementVerifier::finish() {
  for (ThreadId T = 0; T < Threads.size(); ++T)
    acquire(T);
}

std::string describe(const PlacementVerifier::Violation &V, const SymbolTable &Symbols) {
  std::string What = V.IsWrite ? "write" : "read";
  std::string Where = V.Site ? Symbols.name(NameKind::Site, V.Site) : "an unknown place";
  return (V.IsCheck ? "a check for a " + What + " that was not made"
                    : "a " + What + " without a check") +
         ", of 0x" + llvm::utohexstr(V.Address, /*LowerCase=*/true) + " at " + Where;
}

} // namespace photofinish
