//===- report_test.cpp - Records, explanations, text ----------------------===//

#include "report/explain.h"
#include "report/json.h"
#include "report/record.h"
#include "report/terminal.h"

#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

using namespace photofinish;

namespace {

Record parse(llvm::StringRef Line) {
  llvm::Expected<Record> R = parseRecord(Line);
  if (R)
    return *R;
  ADD_FAILURE() << llvm::toString(R.takeError());
  return {};
}

std::string errorOf(llvm::StringRef Line) {
  llvm::Expected<Record> R = parseRecord(Line);
  return R ? "no error" : llvm::toString(R.takeError());
}

std::string textOf(const Race &R) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  TerminalPrinter(OS, /*Colors=*/false).print(R);
  return Text;
}

HeldLock lock(llvm::StringRef Name, uint64_t Address, llvm::StringRef Kind = "mutex") {
  return {Address, Kind.str(), Name.str()};
}

/// T2 reads what T1 wrote before; both were created by the main thread.
Race readAfterWrite() {
  Race R;
  R.Kind = "write/read";
  R.Address = 0x1000;
  R.Size = 4;
  R.Accesses.resize(2);
  R.Accesses[0].Type = "read";
  R.Accesses[0].Thread = 2;
  R.Accesses[1].Type = "write";
  R.Accesses[1].Thread = 1;
  R.Threads.resize(2);
  R.Threads[0].Id = 1;
  R.Threads[0].Creator = 0;
  R.Threads[1].Id = 2;
  R.Threads[1].Creator = 0;
  return R;
}

const std::string Tail = "; no synchronization leads from T1's write to T2's read.";

} // namespace

TEST(Record, takesEveryMemberOfARace) {
  // The delimiter, because of the parenthesis before a quote in it.
  Record R =
      parse(R"json({"version":1,"event":"race","kind":"write/read","address":"0x7f00","size":4,
    "accesses":[{"type":"read","address":"0x7eff","size":8,"thread":3,"lost":"outer calls",
                 "stack":[{"file":"a.c","line":3,"column":7,"function":"f"},{"pc":"0x4005"}],
                 "locks":[{"address":"0x10","kind":"rwlock (shared)","name":"m"}]},{"type":"write"}],
    "object":{"type":"heap","start":"0x7e00","size":512,"thread":1,"stack":[{"function":"malloc"}],
              "freed":{"thread":2,"stack":[{"function":"free"}]}},
    "threads":[{"id":3,"name":"n","tid":99,"creator":1,"stack":[{"pc":"0x1"}],"state":"running"}],
    "unheard-of":{}})json");
  EXPECT_EQ(R.Event, Event::Race);
  EXPECT_EQ(R.Wrong, "");
  EXPECT_EQ(R.Race.Kind, "write/read");
  EXPECT_EQ(R.Race.Address, 0x7f00u);
  EXPECT_EQ(R.Race.Size, 4u);
  ASSERT_EQ(R.Race.Accesses.size(), 2u);
  const Access &A = R.Race.Accesses[0];
  EXPECT_EQ(A.Type, "read");
  EXPECT_EQ(A.Address, 0x7effu);
  EXPECT_EQ(A.Size, 8u);
  EXPECT_EQ(A.Thread, 3u);
  EXPECT_EQ(A.Lost, "outer calls");
  ASSERT_EQ(A.Stack.size(), 2u);
  EXPECT_EQ(A.Stack[0].File, "a.c");
  EXPECT_EQ(A.Stack[0].Line, 3u);
  EXPECT_EQ(A.Stack[0].Column, 7u);
  EXPECT_EQ(A.Stack[0].Function, "f");
  EXPECT_FALSE(A.Stack[0].Pc.has_value());
  EXPECT_EQ(A.Stack[1].Pc, 0x4005u);
  ASSERT_EQ(A.Locks.size(), 1u);
  EXPECT_EQ(A.Locks[0].Address, 0x10u);
  EXPECT_EQ(A.Locks[0].Kind, "rwlock (shared)");
  EXPECT_EQ(A.Locks[0].Name, "m");
  const ObjectInfo &O = R.Race.Object;
  EXPECT_EQ(O.Type, "heap");
  EXPECT_EQ(O.Start, 0x7e00u);
  EXPECT_EQ(O.Size, 512u);
  EXPECT_EQ(O.Thread, 1u);
  ASSERT_TRUE(O.Freed.has_value());
  EXPECT_EQ(O.Freed->Thread, 2u);
  EXPECT_EQ(O.Freed->Stack.size(), 1u);
  const ThreadInfo *T = R.Race.thread(3);
  ASSERT_NE(T, nullptr);
  EXPECT_EQ(T->Name, "n");
  EXPECT_EQ(T->Tid, 99u);
  EXPECT_EQ(T->Creator, 1u);
  EXPECT_EQ(T->State, "running");
  EXPECT_EQ(R.Race.thread(4), nullptr);
}

TEST(Record, jsonSaysAllOfItAgain) {
  llvm::StringRef Whole =
      R"({"accesses":[{"address":"0x1000","locks":[{"address":"0x10","kind":"mutex","name":"m"}],)"
      R"("lost":"l","size":4,"stack":[{"column":2,"file":"a.c","function":"f","line":1},)"
      R"({"module":"lib.so","pc":"0x99"}],"thread":1,"type":"write"}],"address":"0x1000",)"
      R"("event":"race","kind":"write/write","object":{"file":"a.c","freed":{"stack":[],"thread":2},)"
      R"("line":5,"member":"[1]","name":"v","size":8,"stack":[{"function":"malloc"}],)"
      R"("start":"0xffc","thread":0,"type":"global"},"size":4,"threads":[{"creator":0,"id":1,)"
      R"("name":"n","stack":[{"pc":"0x1"}],"state":"finished","tid":7}],"version":1})";
  std::string Again;
  llvm::raw_string_ostream OS(Again);
  printJson(OS, parse(Whole));
  EXPECT_EQ(Again, (Whole + "\n").str());
}

TEST(Record, otherEvents) {
  Record Start =
      parse(R"({"version":1,"event":"start","program":"/p","arguments":["p","x"],"pid":5})");
  EXPECT_EQ(Start.Program, "/p");
  EXPECT_EQ(Start.Arguments, (std::vector<std::string>{"p", "x"}));
  EXPECT_EQ(Start.Pid, 5u);
  Record Modules = parse(R"({"version":1,"event":"modules","modules":[{"path":"/p","base":"0x10",
                             "start":"0x20","end":"0x30"}]})");
  ASSERT_EQ(Modules.Modules.size(), 1u);
  EXPECT_EQ(Modules.Modules[0].Path, "/p");
  EXPECT_EQ(Modules.Modules[0].Base, 0x10u);
  EXPECT_EQ(Modules.Modules[0].Start, 0x20u);
  EXPECT_EQ(Modules.Modules[0].End, 0x30u);
  EXPECT_EQ(parse(R"({"version":1,"event":"repeat","kind":"k","count":4})").Count, 4u);
  EXPECT_EQ(parse(R"({"version":1,"event":"message","text":"t"})").Text, "t");
  EXPECT_EQ(parse(R"({"version":1,"event":"end","races":6})").Count, 6u);
  EXPECT_EQ(parse(R"({"version":1,"event":"news"})").Event, Event::Unknown);
  Record Stats =
      parse(R"({"version":1,"event":"stats","locks":2,"checks":1,"rules":{"b":4,"a":3}})");
  using Counts = std::vector<std::pair<std::string, uint64_t>>;
  EXPECT_EQ(Stats.Stats.Counts, (Counts{{"checks", 1}, {"locks", 2}}));
  EXPECT_EQ(Stats.Stats.Rules, (Counts{{"a", 3}, {"b", 4}}));
}

TEST(Record, whatNothingCanBeMadeOf) {
  EXPECT_EQ(errorOf("{"), "not JSON");
  EXPECT_EQ(errorOf("3"), "not a JSON object");
  EXPECT_EQ(errorOf(R"({"event":"end"})"), "a record without 'version'");
  EXPECT_EQ(errorOf(R"({"version":2,"event":"end"})"), "a record of another version than 1");
  EXPECT_EQ(errorOf(R"({"version":1})"), "a record without 'event'");
}

TEST(Record, aWrongMemberCostsNoRace) {
  Record R = parse(R"({"version":1,"event":"race","kind":3,"size":8})");
  EXPECT_EQ(R.Wrong, "'kind' is not a string");
  EXPECT_EQ(R.Event, Event::Race);
  EXPECT_EQ(R.Race.Size, 8u);
  auto WrongOf = [](llvm::StringRef Member) {
    return parse((R"({"version":1,"event":"race",)" + Member + "}").str()).Wrong;
  };
  EXPECT_EQ(WrongOf(R"("size":-1)"), "'size' is not a number that is not negative");
  EXPECT_EQ(WrongOf(R"("address":16)"), "'address' is not an address (\"0x...\")");
  EXPECT_EQ(WrongOf(R"("address":"0x11112222333344445")"),
            "'address' is not an address (\"0x...\")");
  EXPECT_EQ(WrongOf(R"("accesses":{})"), "'accesses' is not a list");
  EXPECT_EQ(WrongOf(R"("accesses":[1])"), "'accesses' is not a list of objects");
  EXPECT_EQ(WrongOf(R"("object":[])"), "'object' is not an object");
}

TEST(Record, pathsNeedNotBeUtf8) {
  EXPECT_EQ(parse("{\"version\":1,\"event\":\"message\",\"text\":\"a\xff\"}").Event,
            Event::Message);
}

TEST(Explain, noLocks) {
  EXPECT_EQ(explain(readAfterWrite()), "nothing orders the two: neither thread held a lock" + Tail);
}

TEST(Explain, oneSideLocks) {
  Race R = readAfterWrite();
  R.Accesses[1].Locks = {lock("m", 0x10)};
  EXPECT_EQ(explain(R), "nothing orders the two: T1 held 'm', but T2 held no lock" + Tail);
  std::swap(R.Accesses[0].Locks, R.Accesses[1].Locks);
  EXPECT_EQ(explain(R), "nothing orders the two: T2 held 'm', but T1 held no lock" + Tail);
}

TEST(Explain, differentLocks) {
  Race R = readAfterWrite();
  R.Accesses[1].Locks = {lock("a", 0x10), lock("b", 0x20), lock("", 0x30, "spinlock")};
  R.Accesses[0].Locks = {lock("c", 0x40)};
  EXPECT_EQ(explain(R), "nothing orders the two: T1 held 'a', 'b' and the spinlock at 0x30 and T2 "
                        "held 'c': no lock in common" +
                            Tail);
  R.Accesses[1].Locks.resize(100, lock("more", 0x50));
  EXPECT_EQ(explain(R), "nothing orders the two: T1 held 100 locks and T2 held 'c': no lock in "
                        "common" +
                            Tail);
}

TEST(Explain, theSameLock) {
  Race R = readAfterWrite();
  R.Accesses[0].Locks = {lock("rw", 0x10, "rwlock (shared)")};
  R.Accesses[1].Locks = {lock("rw", 0x10, "rwlock (shared)")};
  EXPECT_EQ(explain(R), "nothing orders the two: both held 'rw' (shared), which lets several "
                        "threads in at once" +
                            Tail);
  // Two locks may have had the same name; the address tells.
  R.Accesses[1].Locks[0].Address = 0x20;
  EXPECT_NE(explain(R).find("no lock in common"), std::string::npos);
}

TEST(Explain, creatorAndCreated) {
  Race R = readAfterWrite();
  R.Threads[0].Creator = 2;
  EXPECT_EQ(explain(R), "nothing orders the two: neither thread held a lock; T2 had created T1 and "
                        "not yet joined it" +
                            Tail);
  R.Threads[0].Creator = 0;
  R.Threads[1].Creator = 1;
  EXPECT_EQ(explain(R),
            "nothing orders the two: neither thread held a lock; T1 had already created T2" + Tail);
}

TEST(Explain, atomicAgainstPlain) {
  Race R = readAfterWrite();
  R.Accesses[1].Type = "atomic write";
  EXPECT_EQ(explain(R),
            "nothing orders the two: T1's write is atomic, but T2's read is not; neither "
            "thread held a lock" +
                Tail);
}

TEST(Explain, freedMemory) {
  Race R = readAfterWrite();
  R.Accesses[0].Type = "free";
  EXPECT_EQ(explain(R), "nothing keeps the memory alive: neither thread held a lock; no "
                        "synchronization leads from T1's write to T2's free.");
}

TEST(Explain, halfARecord) {
  Race R = readAfterWrite();
  R.Accesses.pop_back();
  EXPECT_EQ(explain(R), "nothing orders the two accesses, of which only one is known.");
}

TEST(Terminal, aHeapBlock) {
  Race R = readAfterWrite();
  R.Threads[1].Name = "auditor";
  R.Threads[0].State = "finished";
  R.Object.Type = "heap";
  R.Object.Start = 0xff0;
  R.Object.Size = 64;
  R.Object.Thread = 0;
  Frame Read;
  Read.Function = "look";
  Read.File = "nowhere.c";
  Read.Line = 3;
  Read.Column = 9;
  Frame Unknown;
  Unknown.Pc = 0xabc;
  Unknown.Module = "/lib/libx.so";
  R.Accesses[0].Stack = {Read, Unknown};
  R.Accesses[0].Size = 8;
  R.Accesses[0].Lost = "some calls are missing";
  Frame Malloc;
  Malloc.Function = "malloc";
  R.Object.Stack = {Malloc};
  EXPECT_EQ(textOf(R),
            "data race: write/read on bytes 16 to 19 of a heap block of 64 bytes\n"
            "  read of 8 bytes by thread T2 'auditor', holding no lock\n"
            "    #0 look nowhere.c:3:9\n"
            "    #1 0xabc (unknown function of libx.so)\n"
            "    some calls are missing\n"
            "  earlier write by thread T1, holding no lock\n"
            "    (the stack is not known)\n"
            "  the heap block of 64 bytes at 0xff0 was allocated by the main thread\n"
            "    #0 malloc\n"
            "  thread T1 (finished) was created by the main thread\n"
            "    (the stack is not known)\n"
            "  thread T2 'auditor' was created by the main thread\n"
            "    (the stack is not known)\n"
            "  why: nothing orders the two: neither thread held a lock; no synchronization leads "
            "from T1's write to T2's read.\n\n");
}

TEST(Terminal, whereItIs) {
  Race R = readAfterWrite();
  auto Heading = [&R] { return llvm::StringRef(textOf(R)).split('\n').first.str(); };
  EXPECT_EQ(Heading(), "data race: write/read on 4 bytes at 0x1000");
  R.Object.Type = "stack";
  R.Object.Thread = 0;
  EXPECT_EQ(Heading(), "data race: write/read on 4 bytes on the stack of the main thread");
  R.Object.Type = "tls";
  EXPECT_EQ(Heading(),
            "data race: write/read on 4 bytes of thread-local memory of the main thread");
  R.Object.Type = "global";
  EXPECT_EQ(Heading(), "data race: write/read on 4 bytes of global memory at 0x1000");
  R.Object.Name = "counters";
  R.Object.Member = "[1].hits";
  EXPECT_EQ(Heading(), "data race: write/read on 'counters[1].hits' (4 bytes, global variable)");
  R.Object.Type = "mapping";
  R.Object.Start = 0xf00;
  EXPECT_EQ(Heading(), "data race: write/read on bytes 256 to 259 of memory mapped at 0xf00");
  R.Kind = "free";
  R.Accesses[0].Type = "free";
  R.Object.Type = "heap";
  EXPECT_EQ(Heading(), "data race: write/free on bytes 256 to 259 of a heap block");
  EXPECT_EQ(llvm::StringRef(textOf(Race())).split('\n').first, "data race: of unknown kind");
}

TEST(Terminal, hostileNamesStayOnTheirLine) {
  Race R = readAfterWrite();
  R.Threads[1].Name = "evil\n\033[2J";
  EXPECT_NE(textOf(R).find("thread T2 'evil??[2J'"), std::string::npos);
}

TEST(Terminal, machineryIsLeftOut) {
  auto Named = [](std::initializer_list<const char *> Names) {
    Stack S;
    for (const char *Name : Names)
      S.emplace_back().Function = Name;
    return S;
  };
  auto Names = [](const Stack &S) {
    std::string All;
    for (const Frame &F : S)
      All += F.Function + " ";
    return All;
  };
  EXPECT_EQ(Names(withoutMachinery(Named({"f", "main", "", "__libc_start_main", "_start"}))),
            "f main ");
  EXPECT_EQ(Names(withoutMachinery(Named({"f", "photofinish::rt::runThread(void*)"}))), "f ");
  EXPECT_EQ(Names(withoutMachinery(Named({"__pf_memcpy", "f", "start_thread", "clone3"}))), "f ");
  Stack Thread = Named({"f", "operator()", "__invoke<>", "_M_run", ""});
  Thread[1].File = "a.cpp";
  Thread[2].File = "/usr/include/c++/12/bits/invoke.h";
  Thread[3].File = "/usr/include/c++/12/bits/std_thread.h";
  Thread[4].Module = "/usr/lib/libstdc++.so.6.0.30";
  EXPECT_EQ(Names(withoutMachinery(Thread)), "f operator() ");
  // A function of the same name further in stays.
  EXPECT_EQ(Names(withoutMachinery(Named({"clone", "f"}))), "clone f ");
  // Better all of it than nothing.
  EXPECT_EQ(Names(withoutMachinery(Named({"start_thread"}))), "start_thread ");
}

TEST(Terminal, summary) {
  auto Summary = [](uint64_t Races, uint64_t Repeats, bool Killed) {
    std::string Text;
    llvm::raw_string_ostream OS(Text);
    TerminalPrinter(OS, false).printSummary(Races, Repeats, Killed);
    return Text;
  };
  EXPECT_EQ(Summary(0, 0, true), "");
  EXPECT_EQ(Summary(1, 0, false), "photofinish: 1 data race found\n");
  EXPECT_EQ(Summary(2, 5, false), "photofinish: 2 data races found, seen again 5 times\n");
}
