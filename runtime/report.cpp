//===- report.cpp - From a race that was found to a record ---------------===//

#include "runtime/report.h"

#include "runtime/base/arena.h"
#include "runtime/base/message.h"
#include "runtime/base/options.h"
#include "runtime/base/text.h"
#include "runtime/heap.h"
#include "runtime/modules.h"
#include "runtime/platform/os.h"
#include "runtime/recorder.h"
#include "runtime/sync_table.h"

#include <cstring>

using namespace photofinish;
using namespace photofinish::rt;

/// Defined by the compiler driver at link time.
extern "C" __attribute__((weak, visibility("hidden"))) const char __pf_tool_path[];

namespace {

SpinLock ReportLock;         // all of the following
int Socket = -1;             // to the process that prints; -1 before there is one
bool IsToolMissing;          // then there never is one
uint64_t NumRepeats;         // of pairs that were reported already
uint64_t NumRaces;           // pairs of places
constinit InternTable Pairs; // both places, and pairs of them
bool HasPairs;

bool isFunctionSite(const pf_site *Site) { return !Site->file; }

/// One side of a race.
struct Side {
  Note Where;
  AccessKind Kind;
  AccessForm Form;
  const ThreadInfo *Who;
  uintptr_t Address;
  size_t Bytes; // 0 if unknown
};

const pf_site *siteOf(Note N) { return TheModules.readable(TheContexts.siteOf(N)); }

Place placeOf(const Side &S) {
  return rt::placeOf(TheContexts.siteOf(S.Where),
                     TheContexts.returnAddressOf(TheContexts.callsOf(S.Where)));
}

const char *typeOf(const Side &S) {
  switch (S.Form) {
  case AccessForm::Free:
    return "free";
  case AccessForm::Unmap:
    return "unmap";
  case AccessForm::Plain:
    break;
  }
  if (isAtomic(S.Kind))
    return isWrite(S.Kind) ? "atomic write" : "atomic read";
  return isWrite(S.Kind) ? "write" : "read";
}

/// Interceptors that end the life of memory have names that say so.
AccessForm formOf(const pf_site *Site) {
  if (!isFunctionSite(Site))
    return AccessForm::Plain;
  const char *Name = stringAt(Site->function);
  auto Is = [&](const char *Prefix) {
    const char *At = Name;
    while (*Prefix && *Prefix == *At)
      ++Prefix, ++At;
    return !*Prefix;
  };
  if (Is("free") || Is("operator delete") || Is("realloc"))
    return AccessForm::Free;
  return Is("munmap") || Is("mremap") ? AccessForm::Unmap : AccessForm::Plain;
}

// The record, piece by piece.

void describeSite(Text &R, const pf_site *Site) {
  for (; Site; Site = Site->inlined_at ? reinterpret_cast<const pf_site *>(
                                             reinterpret_cast<const char *>(&Site->inlined_at) +
                                             Site->inlined_at)
                                       : nullptr) {
    R.open('{');
    R.member("function", stringAt(Site->function));
    if (Site->file) {
      R.member("file", stringAt(Site->file));
      R.member("line", Site->line);
      R.member("column", Site->column);
    }
    R.close('}');
  }
}

/// The stack of a note; true if its outer calls were not kept.
bool describeStack(Text &R, Note N) {
  bool IsCutOff = false;
  R.name("stack");
  R.open('[');
  if (TheContexts.siteOf(N))
    describeSite(R, siteOf(N));
  for (ContextId Call = TheContexts.callsOf(N); Call; Call = TheContexts.parentOf(Call)) {
    if (TheContexts.isCutOff(Call)) {
      IsCutOff = true;
      break;
    }
    R.open('{');
    R.addressMember("pc", TheContexts.returnAddressOf(Call));
    R.close('}');
  }
  R.close(']');
  return IsCutOff;
}

void describeLocks(Text &R, LockSetId Locks) {
  static constexpr const char *Kinds[] = {"mutex", "rwlock", "rwlock (shared)", "spinlock"};
  R.name("locks");
  R.open('[');
  TheLockSets.forEach(Locks, [&](uintptr_t Lock, uint8_t Kind) {
    R.open('{');
    R.addressMember("address", Lock);
    R.member("kind", Kinds[Kind]);
    R.close('}');
  });
  R.close(']');
}

void describeAccess(Text &R, const Side &S) {
  R.open('{');
  R.member("type", typeOf(S));
  R.addressMember("address", S.Address);
  if (S.Bytes)
    R.member("size", S.Bytes);
  R.member("thread", S.Who->Number);
  if (describeStack(R, S.Where))
    R.member("lost", "the outer calls were not kept: there are more calling contexts than "
                     "max_contexts allows");
  describeLocks(R, TheContexts.locksOf(S.Where));
  R.close('}');
}

void describeThread(Text &R, const ThreadInfo &T) {
  R.open('{');
  R.member("id", T.Number);
  if (T.Name[0])
    R.member("name", T.Name);
  R.member("tid", uint64_t(T.SystemId));
  if (T.Number && !T.WasForeign) {
    R.member("creator", T.Creator);
    describeStack(R, T.Creation);
  }
  R.member("state", T.IsFinished ? "finished" : "running");
  R.close('}');
}

void describeObject(Text &R, uintptr_t Address, Array<uint32_t> &Mentioned) {
  R.name("object");
  R.open('{');
  HeapBlock Block;
  if (TheModules.contains(Address)) {
    R.member("type", "global");
  } else if (const ThreadInfo *Local = TheRegistry.localOwner(Address)) {
    R.member("type", "tls");
    R.member("thread", Local->Number);
    Mentioned.push(Local->Number);
  } else if (const ThreadInfo *Owner = TheRegistry.stackOwner(Address)) {
    R.member("type", "stack");
    R.member("thread", Owner->Number);
    Mentioned.push(Owner->Number);
  } else if (TheHeap.findContaining(Address, Block)) {
    R.member("type", "heap");
    R.addressMember("start", Block.Start);
    R.member("size", Block.Bytes);
    R.member("thread", Block.Allocator);
    Mentioned.push(Block.Allocator);
    describeStack(R, Block.Allocation);
    if (Block.IsFreed) {
      R.name("freed");
      R.open('{');
      R.member("thread", Block.Freer);
      Mentioned.push(Block.Freer);
      describeStack(R, Block.Freeing);
      R.close('}');
    }
  } else {
    R.member("type", "unknown");
  }
  R.close('}');
}

/// Every thread that is mentioned, and who created those.
void describeThreads(Text &R, Array<uint32_t> &Mentioned) {
  R.name("threads");
  R.open('[');
  for (uint32_t I = 0; I < Mentioned.size(); ++I) {
    bool IsKnown = false;
    for (uint32_t J = 0; J < I; ++J)
      IsKnown |= Mentioned[J] == Mentioned[I];
    if (IsKnown)
      continue;
    const ThreadInfo &T = *TheRegistry.infoOfNumber(Mentioned[I]);
    describeThread(R, T);
    if (T.Number && !T.WasForeign)
      Mentioned.push(T.Creator);
  }
  R.close(']');
}

void describeKind(Text &R, const Side &Later, const Side &Earlier) {
  Text Kind;
  if (Later.Form == AccessForm::Free || Earlier.Form == AccessForm::Free)
    Kind.add("free");
  else if (Later.Form == AccessForm::Unmap || Earlier.Form == AccessForm::Unmap)
    Kind.add("unmap");
  else if (siteOf(Later.Where)->flags & siteOf(Earlier.Where)->flags & PF_SITE_VPTR)
    Kind.add("vptr");
  else
    Kind.add(typeOf(Earlier)).add('/').add(typeOf(Later));
  Kind.add('\0');
  R.member("kind", Kind.data());
}

void beginRecord(Text &R, const char *Event) {
  R.open('{');
  R.member("version", 1);
  R.member("event", Event);
}

void describeRace(Text &R, const Side &Later, const Side &Earlier, const FoundRace &Race) {
  Array<uint32_t> Mentioned;
  Mentioned.push(Later.Who->Number);
  Mentioned.push(Earlier.Who->Number);
  beginRecord(R, "race");
  describeKind(R, Later, Earlier);
  R.addressMember("address", Race.Address);
  R.member("size", Race.Bytes);
  R.name("accesses");
  R.open('[');
  describeAccess(R, Later);
  describeAccess(R, Earlier);
  R.close(']');
  describeObject(R, Race.Address, Mentioned);
  describeThreads(R, Mentioned);
  R.close('}');
  R.add('\n');
}

// The stream.

bool send(const Text &Record) {
  const char *From = Record.data();
  for (size_t Left = Record.size(); Left;) {
    long Sent = os::write(Socket, From, Left);
    if (Sent < 0)
      return false;
    From += Sent;
    Left -= size_t(Sent);
  }
  return true;
}

bool startTool() {
  if (Socket >= 0)
    return true;
  if (IsToolMissing)
    return false;
  Text Color, Log, Json, File;
  Array<const char *> Arguments;
  Arguments.push(toolPath());
  Arguments.push("report");
  Arguments.push("--live");
  Color.add("--color=").add(Options::color_choices[TheOptions.color]).add('\0');
  Arguments.push(Color.data());
  if (TheOptions.log[0]) {
    expandPath(TheOptions.log, File);
    Log.add("--log=").add(File.data()).add('\0');
    Arguments.push(Log.data());
  }
  if (TheOptions.json[0]) {
    File.clear();
    expandPath(TheOptions.json, File);
    Json.add("--json=").add(File.data()).add('\0');
    Arguments.push(Json.data());
  }
  Arguments.push(nullptr);
  Socket = os::startDetached(Arguments.begin());
  if (Socket < 0) {
    IsToolMissing = true;
    complain("cannot start '", toolPath(),
             "' to print reports; set tool=PATH in PHOTOFINISH_OPTIONS");
    return false;
  }
  Text Start;
  beginRecord(Start, "start");
  TheModules.describeProgram(Start);
  Start.member("pid", uint64_t(os::processId()));
  Start.close('}');
  Start.add('\n');
  return send(Start);
}

/// Sends a record and waits until it has been printed. False if nobody prints.
bool print(const Text &Record) {
  if (!startTool())
    return false;
  Text Modules;
  TheModules.describe(Modules, TheModules.ForReports);
  char Answer;
  if ((!Modules.size() || send(Modules)) && send(Record) && os::read(Socket, &Answer, 1) == 1)
    return true;
  complain("the process that prints reports is gone");
  IsToolMissing = true;
  os::close(Socket);
  Socket = -1;
  return false;
}

/// Without the tool: what is known here, in two lines.
void printPlainly(const Side &Later, const Side &Earlier) {
  Text R;
  auto Describe = [&](const Side &S) {
    const pf_site *Site = siteOf(S.Where);
    R.add(typeOf(S)).add(" in ").add(stringAt(Site->function));
    if (Site->line)
      R.add(" at ")
          .add(stringAt(Site->file))
          .add(':')
          .addNumber(Site->line)
          .add(':')
          .addNumber(Site->column);
    R.add(" by thread ").addNumber(S.Who->Number);
  };
  R.add("photofinish: data race: ");
  Describe(Later);
  R.add("\n  not ordered with an earlier ");
  Describe(Earlier);
  R.add('\n');
  os::write(2, R.data(), R.size());
}

/// Both places in one order, whoever came first.
bool isNewPair(const Side &A, const Side &B) {
  if (!HasPairs) {
    Pairs.initialise();
    HasPairs = true;
  }
  uint64_t X = placeOf(A).Key, Y = placeOf(B).Key;
  uint32_t Lower = Pairs.intern(0, X < Y ? X : Y);
  uint32_t Known = Pairs.size();
  return Pairs.intern(Lower, X < Y ? Y : X, 1) > Known;
}

void describeStats(Text &R) {
  beginRecord(R, "stats");
  uint64_t Checks = 0;
  for (unsigned I = 0; I < NumRules; ++I)
    if (RuleKinds[I] == RuleKind::Access)
      Checks += TheRegistry.timesFired(Rule(I));
  uint64_t Alone = TheRegistry.accessesAlone();
  R.member("accesses", Alone + (TheMemory.isDeferred() ? TheRegistry.accessesNoted() : Checks));
  R.member("accesses_alone", Alone);
  R.member("checks", Checks);
  R.member("stamps_bytes", TheStamps.bytes());
  R.member("collections", TheStamps.numCollections());
  if (TheMemory.isDeferred()) {
    CommitCounts C = TheRegistry.commits();
    R.member("singles", C.Singles);
    R.member("checked_at_once", C.AtOnce);
    R.member("commits", C.Commits);
    R.member("commit_splits", C.Splits);
    R.member("commit_merges", C.Merges);
    R.member("transitions", C.Transitions);
    SlimMemory::Sizes S = TheMemory.measure();
    R.member("pages_of_granules", S.FinePages);
    R.member("pages_1_class", S.PagesOf[0]);
    R.member("pages_2_to_4_classes", S.PagesOf[1]);
    R.member("pages_5_classes_or_more", S.PagesOf[2]);
  }
  CellCount Count = TheMemory.count();
  R.member("cells", Count.Cells);
  R.member("touched_bytes", Count.Bytes);
  R.name("rules");
  R.open('{');
  for (unsigned I = 0; I < NumRules; ++I)
    if (uint64_t Times = TheRegistry.timesFired(Rule(I)))
      R.member(RuleNames[I], Times);
  R.close('}');
  R.member("shadow_bytes", TheMemory.bytes());
  R.member("shadow_peak_bytes", TheMemory.peakBytes());
  R.member("other_bytes", arenaUse().Now);
  R.member("contexts", TheContexts.size());
  R.member("threads", TheRegistry.numThreads());
  R.member("locks", TheSyncTable.numLocks());
  R.close('}');
  R.add('\n');
}

} // namespace

const char *rt::stringAt(const int32_t &Distance) {
  return Distance ? reinterpret_cast<const char *>(&Distance) + Distance : "";
}

Place rt::placeOf(const pf_site *Site, uint64_t ReturnAddress) {
  if (isFunctionSite(TheModules.readable(Site)))
    return {ReturnAddress, true};
  return {reinterpret_cast<uintptr_t>(Site), false};
}

bool rt::describeModules(Text &Record) {
  return TheModules.describe(Record, TheModules.ForRecorder);
}

void rt::expandPath(const char *Path, Text &Result) {
  for (; *Path; ++Path)
    if (Path[0] == '%' && Path[1] == 'p') {
      Result.addNumber(uint64_t(os::processId()));
      ++Path;
    } else {
      Result.add(*Path);
    }
  Result.add('\0');
}

const char *rt::toolPath() {
  if (TheOptions.tool[0])
    return TheOptions.tool;
  return __pf_tool_path ? __pf_tool_path : "photofinish";
}

/// Every recorded run is a test of what others leave out.
[[noreturn]] static void reportedAlone() {
  host::giveUp(
      "this is a defect of Photofinish: a thread that was alone has raced; please report it");
}

/// Where checks stand for several accesses (abi.h: PF_SITE_ROW), calls Visit(race) for each pair
/// of them, with bytes that both have accessed.
template <class Fn> static void forEachPair(const FoundRace &Race, Fn &&Visit) {
  auto At = [](Note N, uintptr_t Address) {
    return N ? TheContexts.withSite(N, TheModules.siteAt(TheContexts.siteOf(N), Address)) : N;
  };
  Array<FoundRace> Seen;
  for (uintptr_t Byte = Race.Address; Byte < Race.Address + Race.Bytes; ++Byte) {
    FoundRace Its = Race;
    Its.Address = Byte;
    Its.Bytes = 1;
    Its.EarlierNote = At(Race.EarlierNote, Byte);
    Its.LaterNote = At(Race.LaterNote, Byte);
    // Of one access as a whole there is nothing to tell apart.
    if (Its.EarlierNote == Race.EarlierNote && Its.LaterNote == Race.LaterNote)
      return Visit(Race);
    FoundRace *Known = nullptr;
    for (FoundRace &Other : Seen)
      if (Other.EarlierNote == Its.EarlierNote && Other.LaterNote == Its.LaterNote)
        Known = &Other;
    if (!Known)
      Seen.push(Its);
    else if (Known->Address + Known->Bytes == Byte)
      ++Known->Bytes;
  }
  for (const FoundRace &Its : Seen)
    Visit(Its);
}

static void reportRace(const Side &Later, const FoundRace &Race) {
  Locked Guard(ReportLock);
  const pf_site *EarlierSite = siteOf(Race.EarlierNote);
  Side Earlier = {Race.EarlierNote,    Race.EarlierKind,
                  formOf(EarlierSite), TheRegistry.infoOf(Race.Earlier),
                  Race.Address,        EarlierSite->size};
  if (recording() && Race.Earlier.clock() <= Earlier.Who->AloneUntil)
    reportedAlone();
  if (!isNewPair(Later, Earlier)) {
    ++NumRepeats;
    return;
  }
  ++NumRaces;
  TheModules.refresh();
  Text Record;
  describeRace(Record, Later, Earlier, Race);
  if (!print(Record))
    printPlainly(Later, Earlier);
}

/// The later side of a race that was found when it was committed.
static Side notedSide(const ThreadInfo &Who, const FoundRace &Race) {
  const pf_site *Site = siteOf(Race.LaterNote);
  return {Race.LaterNote, Race.LaterKind, formOf(Site), &Who, Race.Address, Site->size};
}

void rt::haltIfWanted() {
  if (TheOptions.halt_on_race && racesFound())
    os::exitProcess(finish(0));
}

void rt::reportRaces(Entered &E, AccessKind Kind, AccessForm Form, uintptr_t Address, size_t Bytes,
                     const FoundRaces &Found) {
  Thread &T = E.thread();
  if (recording() && T.isAlone() && !Found.empty())
    reportedAlone();
  for (FoundRace Race : Found) {
    if (const pf_site *Site = E.site(); !Race.LaterNote && Site && Site->flags & PF_SITE_ROW) {
      Race.LaterNote = T.noteFor(E.site());
      Race.LaterKind = Kind;
    }
    forEachPair(Race, [&](const FoundRace &Its) {
      reportRace(Its.LaterNote ? notedSide(*T.Info, Its)
                               : Side{T.noteFor(E.site()), Kind, Form, T.Info, Address, Bytes},
                 Its);
    });
  }
  haltIfWanted();
}

void rt::reportNoted(const ThreadInfo &Who, const FoundRaces &Found) {
  for (const FoundRace &Race : Found)
    forEachPair(Race, [&](const FoundRace &Its) { reportRace(notedSide(Who, Its), Its); });
}

uint64_t rt::racesFound() {
  Locked Guard(ReportLock);
  return NumRaces;
}

void rt::finishReports() {
  Locked Guard(ReportLock);
  if (TheOptions.stats) {
    Text Stats;
    describeStats(Stats);
    print(Stats);
  }
  // Whoever asked for a file gets one, if only to read that there were no races.
  if (Socket < 0 && !TheOptions.log[0] && !TheOptions.json[0])
    return;
  if (NumRepeats) {
    Text Repeats;
    beginRecord(Repeats, "repeat");
    Repeats.member("count", NumRepeats);
    Repeats.close('}');
    Repeats.add('\n');
    print(Repeats);
  }
  Text End;
  beginRecord(End, "end");
  End.member("races", NumRaces);
  End.close('}');
  End.add('\n');
  print(End);
  if (Socket >= 0)
    os::close(Socket);
  Socket = -1;
}

void rt::restartReports() {
  if (Socket >= 0)
    os::close(Socket);
  Socket = -1;
  NumRaces = NumRepeats = 0;
}
