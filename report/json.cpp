//===- json.cpp - Races as JSON lines -------------------------------------===//

#include "report/json.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

namespace photofinish {

using llvm::StringRef;
namespace json = llvm::json;

namespace {

/// JSON is UTF-8, paths and thread names need not be.
json::Value text(StringRef S) { return json::fixUTF8(S); }

json::Value address(uint64_t A) { return "0x" + llvm::utohexstr(A, /*LowerCase=*/true); }

void addText(json::Object &O, StringRef Member, StringRef S) {
  if (!S.empty())
    O[Member] = text(S);
}

void addNumber(json::Object &O, StringRef Member, std::optional<uint64_t> N) {
  if (N)
    O[Member] = *N;
}

json::Value stack(const Stack &S) {
  json::Array Frames;
  for (const Frame &F : S) {
    json::Object O;
    if (F.Pc)
      O["pc"] = address(*F.Pc);
    addText(O, "function", F.Function);
    addText(O, "file", F.File);
    if (F.Line)
      O["line"] = F.Line;
    if (F.Column)
      O["column"] = F.Column;
    addText(O, "module", F.Module);
    Frames.push_back(std::move(O));
  }
  return Frames;
}

json::Value access(const Access &A) {
  json::Object O;
  addText(O, "type", A.Type);
  O["address"] = address(A.Address);
  if (A.Size)
    O["size"] = A.Size;
  addNumber(O, "thread", A.Thread);
  O["stack"] = stack(A.Stack);
  json::Array Locks;
  for (const HeldLock &L : A.Locks) {
    json::Object Lock{{"address", address(L.Address)}};
    addText(Lock, "kind", L.Kind);
    addText(Lock, "name", L.Name);
    Locks.push_back(std::move(Lock));
  }
  O["locks"] = std::move(Locks);
  addText(O, "lost", A.Lost);
  return O;
}

json::Value object(const ObjectInfo &Info) {
  json::Object O;
  addText(O, "type", Info.Type);
  if (Info.Start)
    O["start"] = address(*Info.Start);
  addNumber(O, "size", Info.Size);
  addNumber(O, "thread", Info.Thread);
  addText(O, "name", Info.Name);
  addText(O, "member", Info.Member);
  addText(O, "file", Info.File);
  if (Info.Line)
    O["line"] = Info.Line;
  if (!Info.Stack.empty())
    O["stack"] = stack(Info.Stack);
  if (Info.Freed) {
    json::Object Freed;
    addNumber(Freed, "thread", Info.Freed->Thread);
    Freed["stack"] = stack(Info.Freed->Stack);
    O["freed"] = std::move(Freed);
  }
  return O;
}

json::Value thread(const ThreadInfo &T) {
  json::Object O{{"id", T.Id}};
  addText(O, "name", T.Name);
  addNumber(O, "tid", T.Tid);
  addNumber(O, "creator", T.Creator);
  if (!T.Stack.empty())
    O["stack"] = stack(T.Stack);
  addText(O, "state", T.State);
  return O;
}

void addRace(json::Object &O, const Race &R) {
  addText(O, "kind", R.Kind);
  O["address"] = address(R.Address);
  O["size"] = R.Size;
  json::Array Accesses, Threads;
  for (const Access &A : R.Accesses)
    Accesses.push_back(access(A));
  for (const ThreadInfo &T : R.Threads)
    Threads.push_back(thread(T));
  O["accesses"] = std::move(Accesses);
  O["object"] = object(R.Object);
  O["threads"] = std::move(Threads);
}

void addStats(json::Object &O, const Stats &S) {
  for (const auto &[Name, Count] : S.Counts)
    O[Name] = Count;
  json::Object Rules;
  for (const auto &[Name, Count] : S.Rules)
    Rules[Name] = Count;
  O["rules"] = std::move(Rules);
}

} // namespace

void printJson(llvm::raw_ostream &OS, const Record &R) {
  json::Object O{{"version", 1}};
  switch (R.Event) {
  case Event::Modules:
  case Event::Unknown:
    return;
  case Event::Start: {
    O["event"] = "start";
    addText(O, "program", R.Program);
    json::Array Arguments;
    for (const std::string &A : R.Arguments)
      Arguments.push_back(text(A));
    O["arguments"] = std::move(Arguments);
    addNumber(O, "pid", R.Pid);
    break;
  }
  case Event::Race:
    O["event"] = "race";
    addRace(O, R.Race);
    break;
  case Event::Repeat:
    O["event"] = "repeat";
    addText(O, "kind", R.Kind);
    O["count"] = R.Count;
    break;
  case Event::Stats:
    O["event"] = "stats";
    addStats(O, R.Stats);
    break;
  case Event::Message:
    O["event"] = "message";
    addText(O, "text", R.Text);
    break;
  case Event::End:
    O["event"] = "end";
    O["races"] = R.Count;
    break;
  }
  OS << json::Value(std::move(O)) << '\n';
}

} // namespace photofinish
