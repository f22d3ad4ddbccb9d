//===- recorded_run.cpp - A program's events, while it runs, as a trace ----===//

#include "driver/recorded_run.h"

#include <algorithm>
#include <cerrno>
#include <unistd.h>

namespace photofinish {

// The kinds of operations are OpKind's own numbers.
static_assert(
    PF_RECORDED_READ == int(OpKind::Read) && PF_RECORDED_ATOMIC_RMW == int(OpKind::AtomicRmw) &&
    PF_RECORDED_FENCE == int(OpKind::Fence) && PF_RECORDED_READ_UNLOCK == int(OpKind::ReadUnlock) &&
    PF_RECORDED_FORK == int(OpKind::Fork) && PF_RECORDED_JOIN == int(OpKind::Join) &&
    PF_RECORDED_ARRIVE == int(OpKind::Arrive) && PF_RECORDED_DEPART == int(OpKind::Depart) &&
    PF_RECORDED_ALLOCATE == int(OpKind::Allocate) && PF_RECORDED_FREE == int(OpKind::Free));

bool RecordedRun::read(void *Data, size_t Bytes) {
  auto *To = static_cast<char *>(Data);
  while (Bytes) {
    ssize_t Got = ::read(Socket, To, Bytes);
    if (Got < 0 && errno == EINTR)
      continue;
    if (Got <= 0)
      return false;
    To += Got;
    Bytes -= size_t(Got);
  }
  return true;
}

void RecordedRun::answer(char Byte) {
  while (::write(Socket, &Byte, 1) < 0 && errno == EINTR)
    ;
}

std::optional<std::string> RecordedRun::misplaced() const {
  if (Placement.violations().empty())
    return std::nullopt;
  const PlacementVerifier::Violation &First = Placement.violations().front();
  return describe(First, Symbols) + " (" + std::to_string(Placement.violations().size()) +
         " in all)";
}

llvm::Expected<bool> RecordedRun::next(Operation &Op) {
  if (!HasStarted) {
    HasStarted = true;
    answer();
  }
  while (Ready.empty()) {
    pf_recorded Event;
    std::string Text;
    if (IsOver || !read(&Event, sizeof(Event)))
      return false;
    Text.resize(Event.text);
    if (!read(Text.data(), Text.size()))
      return false;
    ++NumEvents;
    if (llvm::Error E = handle(Event, Text))
      return E;
  }
  Op = Ready.front();
  Ready.pop_front();
  return true;
}

llvm::Error RecordedRun::handle(const pf_recorded &Event, const std::string &Text) {
  switch (Event.kind) {
  case PF_RECORDED_SITE:
    addSite(Event, Text);
    return llvm::Error::success();
  case PF_RECORDED_MODULES: {
    llvm::Expected<Record> R = parseRecord(Text);
    if (!R)
      return R.takeError();
    Addresses.addModules(R->Modules);
    return llvm::Error::success();
  }
  case PF_RECORDED_FRESH:
    return startLife(Event.target, Event.size);
  case PF_RECORDED_END:
    IsComplete = IsOver = true;
    Placement.finish();
    return llvm::Error::success();
  default:
    break;
  }
  auto Name = [&](NameKind Kind, const char *Prefix, uint64_t Number) {
    return Symbols.intern(Kind, Prefix + std::to_string(Number));
  };
  bool IsCheck = Event.kind == PF_RECORDED_CHECK_READ || Event.kind == PF_RECORDED_CHECK_WRITE;
  Operation Op;
  Op.Kind = IsCheck ? (Event.kind == PF_RECORDED_CHECK_WRITE ? OpKind::Write : OpKind::Read)
                    : OpKind(Event.kind);
  Op.Thread = Name(NameKind::Thread, "T", Event.thread);
  bool IsPlain = Op.Kind == OpKind::Read || Op.Kind == OpKind::Write;
  if (!IsPlain)
    Op.Order = MemoryOrder(Event.order);
  Op.Target = Event.target;
  Op.Size = Event.size;
  Op.Site = Event.site < Sites.size() ? Sites[Event.site] : 0;
  if (IsPlain) {
    bool IsWrite = Op.Kind == OpKind::Write;
    forEachPiece(Op, [&](const Operation &Piece) {
      if (!IsCheck)
        Placement.access(Piece, IsWrite);
      if (IsCheck || Event.order != PF_RECORDED_CHECKED_APART)
        Placement.check(Piece, IsWrite);
    });
    if (IsCheck)
      return llvm::Error::success();
  }
  switch (opInfo(Op.Kind).Target) {
  case TargetKind::Memory:
    addMemory(Op);
    return llvm::Error::success();
  case TargetKind::Lock:
    Op.Target = Name(NameKind::Lock, "m", Event.target);
    break;
  case TargetKind::Barrier:
    Op.Target = Name(NameKind::Barrier, "b", Event.target);
    break;
  case TargetKind::Thread:
    Op.Target = Name(NameKind::Thread, "T", Event.target);
    break;
  default:
    break;
  }
  if (Op.Kind == OpKind::Join)
    addJoin(Op);
  else if (Op.Kind != OpKind::Fence || Op.Order != MemoryOrder::Relaxed)
    add(Op);
  return llvm::Error::success();
}

void RecordedRun::add(const Operation &Op) {
  if (Op.Thread >= HasRun.size())
    HasRun.resize(Op.Thread + 1);
  HasRun[Op.Thread] = true;
  Placement.synchronize(Op);
  Ready.push_back(Op);
}

/// A thread that has done nothing cannot be joined in a trace.
void RecordedRun::addJoin(Operation Op) {
  auto Child = ThreadId(Op.Target);
  if (Child >= HasRun.size() || !HasRun[Child])
    for (OpKind Kind : {OpKind::Begin, OpKind::End}) {
      Operation Of;
      Of.Kind = Kind;
      Of.Thread = Child;
      add(Of);
    }
  add(Op);
}

void RecordedRun::addSite(const pf_recorded &Event, const std::string &Text) {
  std::string Name = Text;
  if (Name.empty()) {
    Race Asked;
    Asked.Accesses.resize(1);
    Asked.Accesses[0].Stack.resize(1);
    Asked.Accesses[0].Stack[0].Pc = Event.target;
    Addresses.resolve(Asked);
    for (const Frame &F : Asked.Accesses[0].Stack)
      if (Name.empty() && !F.File.empty())
        Name = F.File + ":" + std::to_string(F.Line) + ":" + std::to_string(F.Column);
  }
  if (Sites.size() <= Event.site)
    Sites.resize(Event.site + 1);
  if (!Name.empty())
    Sites[Event.site] = Symbols.intern(NameKind::Site, Name);
}

uint64_t RecordedRun::lifeOf(uint64_t Address) const {
  auto It = Lives.find(Address / PageBytes);
  return It == Lives.end() ? 0 : It->second;
}

llvm::Error RecordedRun::startLife(uint64_t Start, uint64_t Bytes) {
  constexpr uint64_t MaxLife = (1 << 14) - 1;
  for (uint64_t Page = Start / PageBytes; Page < (Start + Bytes + PageBytes - 1) / PageBytes;
       ++Page)
    if (++Lives[Page] > MaxLife)
      return llvm::make_error<TraceError>("the same memory was mapped more than 16,383 times, "
                                          "which a trace cannot tell apart");
  return llvm::Error::success();
}

template <class Fn> void RecordedRun::forEachPiece(const Operation &Op, Fn &&Visit) const {
  uint64_t End = Op.Target + Op.Size;
  for (uint64_t From = Op.Target; From < End;) {
    uint64_t Life = lifeOf(From);
    uint64_t To = From;
    while (To < End && lifeOf(To) == Life)
      To = std::min(End, (To / PageBytes + 1) * PageBytes);
    Operation Piece = Op;
    Piece.Target = From | Life << 48;
    Piece.Size = To - From;
    From = To;
    Visit(Piece);
  }
}

void RecordedRun::addMemory(const Operation &Op) {
  if (Op.Target & PF_RECORDED_CHANNELS)
    return add(Op);
  forEachPiece(Op, [&](Operation Piece) {
    if (Op.Kind == OpKind::Allocate) {
      // An allocation over one that is still there: its end was not seen.
      auto It = Allocations.lower_bound(Piece.Target + Piece.Size);
      if (It != Allocations.begin() && std::prev(It)->second > Piece.Target)
        return;
      Allocations[Piece.Target] = Piece.Target + Piece.Size;
    } else if (Op.Kind == OpKind::Free && !Allocations.erase(Piece.Target)) {
      Piece.Kind = OpKind::Write; // its beginning was not seen
    }
    add(Piece);
  });
}

} // namespace photofinish
