//===- placement_verifier.cpp - Are checks where they should be? ------------===//

#include "trace/placement_verifier.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace photofinish {

PlacementVerifier::Thread &PlacementVerifier::thread(ThreadId T) {
  if (T >= Threads.size())
    Threads.resize(T + 1);
  return Threads[T];
}

PlacementVerifier::Byte &PlacementVerifier::byteAt(Thread &T, uint64_t Address) {
  std::unique_ptr<Page> &P = T.Pages[Address / PageBytes];
  if (!P)
    P = std::make_unique<Page>();
  return (*P)[Address % PageBytes];
}

template <class Fn>
void PlacementVerifier::forEachByte(Thread &T, uint64_t Start, uint64_t Size, Fn &&Visit) {
  for (uint64_t At = Start; At < Start + Size;) {
    uint64_t Next = std::min(Start + Size, (At / PageBytes + 1) * PageBytes);
    if (auto It = T.Pages.find(At / PageBytes); It != T.Pages.end())
      for (uint64_t Address = At; Address < Next; ++Address)
        Visit((*It->second)[Address % PageBytes], Address);
    At = Next;
  }
}

void PlacementVerifier::open(Thread &T, Byte &B, uint64_t Address, Open Kind, SiteId Site) {
  B.IsOpen |= Kind;
  if (!T.Opened.empty())
    if (Interval &Last = T.Opened.back();
        Last.End == Address && Last.Kind == Kind && Last.Site == Site) {
      ++Last.End;
      return;
    }
  T.Opened.push_back({Address, Address + 1, Kind, Site});
}

/// An access and a check are each other's counterparts: what one needs, the other gives.
void PlacementVerifier::note(const Operation &Op, bool IsWrite, bool IsCheck) {
  Thread &T = thread(Op.Thread);
  Open Kind = IsCheck ? (IsWrite ? WriteCheck : ReadCheck) : (IsWrite ? WriteAccess : ReadAccess);
  int Closes = IsCheck ? (IsWrite ? ReadAccess | WriteAccess : ReadAccess)
                       : (IsWrite ? ReadCheck | WriteCheck : ReadCheck);
  for (uint64_t Address = Op.Target; Address != Op.Target + Op.Size; ++Address) {
    Byte &B = byteAt(T, Address);
    Times &Mine = IsCheck ? B.Checked : B.Accessed;
    const Times &Others = IsCheck ? B.Accessed : B.Checked;
    Mine.AtAll = T.Releases;
    if (IsWrite)
      Mine.AsWrite = T.Releases;
    B.IsOpen &= uint8_t(~Closes);
    if ((IsWrite ? Others.AsWrite : Others.AtAll) != T.Releases && !(B.IsOpen & Kind))
      open(T, B, Address, Kind, Op.Site);
  }
}

void PlacementVerifier::complain(ThreadId T, const Interval &I, uint64_t Address) {
  Violations.push_back({bool(I.Kind & (ReadCheck | WriteCheck)),
                        bool(I.Kind & (WriteAccess | WriteCheck)), T, Address, I.Site});
}

void PlacementVerifier::acquire(ThreadId Number) {
  Thread &T = thread(Number);
  for (const Interval &I : T.Opened)
    forEachByte(T, I.Start, I.End - I.Start, [&](Byte &B, uint64_t Address) {
      if (B.IsOpen & I.Kind)
        complain(Number, I, Address);
      B.IsOpen &= uint8_t(~I.Kind);
    });
  T.Opened.clear();
}

/// The memory is somebody else's from now on: what is open there stays open.
void PlacementVerifier::forget(uint64_t Start, uint64_t Size) {
  for (ThreadId Number = 0; Number < Threads.size(); ++Number) {
    Thread &T = Threads[Number];
    // What has been closed in the meantime need not be looked at again.
    std::erase_if(T.Opened, [&](const Interval &I) {
      bool IsOpen = false;
      forEachByte(T, I.Start, I.End - I.Start, [&](Byte &B, uint64_t Address) {
        if (!(B.IsOpen & I.Kind))
          return;
        IsOpen = true;
        if (Address - Start < Size)
          complain(Number, I, Address);
      });
      return !IsOpen;
    });
    forEachByte(T, Start, Size, [](Byte &B, uint64_t) { B = {}; });
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
