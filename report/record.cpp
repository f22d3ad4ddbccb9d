//===- record.cpp - What the runtime found, as it came --------------------===//

#include "report/record.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/JSON.h"

#include <algorithm>

namespace photofinish {

using llvm::StringRef;
namespace json = llvm::json;

const ThreadInfo *Race::thread(uint64_t Id) const {
  auto It = llvm::find_if(Threads, [&](const ThreadInfo &T) { return T.Id == Id; });
  return It == Threads.end() ? nullptr : &*It;
}

namespace {

/// Reads members into variables; one that is missing leaves its variable alone, and the first
/// one that is wrong is remembered.
class Reader {
public:
  Record read(const json::Object &O);
  std::string Wrong;

private:
  void wrong(StringRef Member, StringRef Expected) {
    if (Wrong.empty())
      Wrong = ("'" + Member + "' is not " + Expected).str();
  }

  void text(const json::Object &O, StringRef Member, std::string &Value) {
    if (const json::Value *V = O.get(Member)) {
      if (auto S = V->getAsString())
        Value = S->str();
      else
        wrong(Member, "a string");
    }
  }
  template <typename Number> void number(const json::Object &O, StringRef Member, Number &Value) {
    if (const json::Value *V = O.get(Member)) {
      if (auto N = V->getAsUINT64())
        Value = *N;
      else
        wrong(Member, "a number that is not negative");
    }
  }
  /// "0x..."; what is too long to be an address is wrong.
  template <typename Number> void address(const json::Object &O, StringRef Member, Number &Value) {
    if (const json::Value *V = O.get(Member)) {
      std::optional<StringRef> S = V->getAsString();
      uint64_t A = 0;
      if (S && S->consume_front("0x") && !S->getAsInteger(16, A))
        Value = A;
      else
        wrong(Member, "an address (\"0x...\")");
    }
  }
  template <typename Reader> void object(const json::Object &O, StringRef Member, Reader Read) {
    if (const json::Value *V = O.get(Member)) {
      if (const json::Object *Inner = V->getAsObject())
        Read(*Inner);
      else
        wrong(Member, "an object");
    }
  }
  /// A list of objects.
  template <typename Item, typename Reader>
  void list(const json::Object &O, StringRef Member, std::vector<Item> &Items, Reader Read) {
    const json::Value *V = O.get(Member);
    if (!V)
      return;
    const json::Array *A = V->getAsArray();
    if (!A)
      return wrong(Member, "a list");
    for (const json::Value &Element : *A) {
      const json::Object *Inner = Element.getAsObject();
      if (!Inner)
        return wrong(Member, "a list of objects");
      Read(*Inner, Items.emplace_back());
    }
  }

  void stack(const json::Object &O, Stack &S);
  void access(const json::Object &O, Access &A);
  void thread(const json::Object &O, ThreadInfo &T);
  void objectInfo(const json::Object &O, ObjectInfo &Info);
  void race(const json::Object &O, Race &R);
  void start(const json::Object &O, Record &R);
  void stats(const json::Object &O, Stats &S);
};

void Reader::stack(const json::Object &O, Stack &S) {
  list(O, "stack", S, [&](const json::Object &In, Frame &F) {
    address(In, "pc", F.Pc);
    text(In, "function", F.Function);
    text(In, "file", F.File);
    number(In, "line", F.Line);
    number(In, "column", F.Column);
    text(In, "module", F.Module);
  });
}

void Reader::access(const json::Object &O, Access &A) {
  text(O, "type", A.Type);
  address(O, "address", A.Address);
  number(O, "size", A.Size);
  number(O, "thread", A.Thread);
  stack(O, A.Stack);
  list(O, "locks", A.Locks, [&](const json::Object &In, HeldLock &L) {
    address(In, "address", L.Address);
    text(In, "kind", L.Kind);
    text(In, "name", L.Name);
  });
  text(O, "lost", A.Lost);
}

void Reader::thread(const json::Object &O, ThreadInfo &T) {
  number(O, "id", T.Id);
  text(O, "name", T.Name);
  number(O, "tid", T.Tid);
  number(O, "creator", T.Creator);
  stack(O, T.Stack);
  text(O, "state", T.State);
}

void Reader::objectInfo(const json::Object &O, ObjectInfo &Info) {
  text(O, "type", Info.Type);
  address(O, "start", Info.Start);
  number(O, "size", Info.Size);
  number(O, "thread", Info.Thread);
  stack(O, Info.Stack);
  object(O, "freed", [&](const json::Object &In) {
    Info.Freed.emplace();
    number(In, "thread", Info.Freed->Thread);
    stack(In, Info.Freed->Stack);
  });
  text(O, "name", Info.Name);
  text(O, "member", Info.Member);
  text(O, "file", Info.File);
  number(O, "line", Info.Line);
}

void Reader::race(const json::Object &O, Race &R) {
  text(O, "kind", R.Kind);
  address(O, "address", R.Address);
  number(O, "size", R.Size);
  list(O, "accesses", R.Accesses, [&](const json::Object &In, Access &A) { access(In, A); });
  object(O, "object", [&](const json::Object &In) { objectInfo(In, R.Object); });
  list(O, "threads", R.Threads, [&](const json::Object &In, ThreadInfo &T) { thread(In, T); });
}

void Reader::start(const json::Object &O, Record &R) {
  text(O, "program", R.Program);
  number(O, "pid", R.Pid);
  if (const json::Array *A = O.getArray("arguments"))
    for (const json::Value &V : *A)
      if (auto S = V.getAsString())
        R.Arguments.push_back(S->str());
}

void Reader::stats(const json::Object &O, Stats &S) {
  // Those that docs/records.md names, in its order; then whatever else is counted.
  constexpr StringRef Known[] = {"accesses",    "checks",   "shadow_bytes", "shadow_peak_bytes",
                                 "other_bytes", "contexts", "threads",      "locks"};
  auto Append = [](auto &Counts, const json::Object &From, StringRef Name) {
    if (const json::Value *V = From.get(Name))
      if (auto N = V->getAsUINT64())
        Counts.emplace_back(Name.str(), *N);
  };
  auto AppendRest = [&](auto &Counts, const json::Object &From, auto Skip) {
    std::vector<StringRef> Names;
    for (const auto &Entry : From)
      if (!Skip(StringRef(Entry.first)))
        Names.push_back(Entry.first);
    llvm::sort(Names);
    for (StringRef Name : Names)
      Append(Counts, From, Name);
  };
  for (StringRef Name : Known)
    Append(S.Counts, O, Name);
  AppendRest(S.Counts, O,
             [&](StringRef Name) { return Name == "version" || llvm::is_contained(Known, Name); });
  object(O, "rules", [&](const json::Object &Rules) {
    AppendRest(S.Rules, Rules, [](StringRef) { return false; });
  });
}

Record Reader::read(const json::Object &O) {
  Record R;
  uint64_t Version = 0;
  std::string Name;
  number(O, "version", Version);
  if (Version != 1) {
    Wrong = O.get("version") ? "a record of another version than 1" : "a record without 'version'";
    return R;
  }
  text(O, "event", Name);
  if (Name.empty() && Wrong.empty())
    Wrong = "a record without 'event'";
  R.Event = llvm::StringSwitch<Event>(Name)
                .Case("start", Event::Start)
                .Case("modules", Event::Modules)
                .Case("race", Event::Race)
                .Case("repeat", Event::Repeat)
                .Case("stats", Event::Stats)
                .Case("message", Event::Message)
                .Case("end", Event::End)
                .Default(Event::Unknown);
  switch (R.Event) {
  case Event::Start:
    start(O, R);
    break;
  case Event::Modules:
    list(O, "modules", R.Modules, [&](const json::Object &In, Module &M) {
      text(In, "path", M.Path);
      address(In, "base", M.Base);
      address(In, "start", M.Start);
      address(In, "end", M.End);
    });
    break;
  case Event::Race:
    race(O, R.Race);
    break;
  case Event::Repeat:
    text(O, "kind", R.Kind);
    number(O, "count", R.Count);
    break;
  case Event::Stats:
    stats(O, R.Stats);
    break;
  case Event::Message:
    text(O, "text", R.Text);
    break;
  case Event::End:
    number(O, "races", R.Count);
    break;
  case Event::Unknown:
    break;
  }
  return R;
}

} // namespace

llvm::Expected<Record> parseRecord(StringRef Line) {
  // Paths need not be UTF-8.
  llvm::Expected<json::Value> Value =
      json::isUTF8(Line) ? json::parse(Line) : json::parse(json::fixUTF8(Line));
  if (!Value) {
    llvm::consumeError(Value.takeError());
    return llvm::createStringError("not JSON");
  }
  const json::Object *Object = Value->getAsObject();
  if (!Object)
    return llvm::createStringError("not a JSON object");
  Reader Read;
  Record R = Read.read(*Object);
  if (R.Event == Event::Unknown && !Read.Wrong.empty())
    return llvm::createStringError(Read.Wrong);
  R.Wrong = Read.Wrong;
  return R;
}

} // namespace photofinish
