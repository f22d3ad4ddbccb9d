//===- feasibility_test.cpp - Every rule, and every message ----------------===//
//
// One test per row of the table in docs/traces.md: what is allowed, and the exact
// words for what is not.
//
//===----------------------------------------------------------------------===//

#include "test/unit/trace_testing.h"
#include "trace/feasibility.h"

#include "gtest/gtest.h"

using namespace photofinish;
using namespace photofinish::testing;

/// What the checker says about a text, without the position of the last line.
static std::string verdict(llvm::StringRef Text) {
  TextReader Reader(bufferOf(Text));
  CheckedSource Checked(Reader);
  std::string Error = readAll(Checked).Error;
  if (Error.empty())
    return "feasible";
  std::string Where = "t:" + std::to_string(Text.count('\n')) + ": ";
  EXPECT_EQ(Error.substr(0, Where.size()), Where) << "only the last line may be refused";
  return Error.substr(std::min(Where.size(), Error.size()));
}

TEST(Feasibility, AccessesAndWhatHasNoRule) {
  EXPECT_EQ(verdict("A|r(x)\nB|w(x)\nA|aload(x,sc)\nB|astore(x,rlx)\nB|armw(x,ar)\nA|fence(sc)\n"
                    "A|notify(c)\nB|once(o)\nA|once(o)\n"),
            "feasible");
}

TEST(Feasibility, Acquire) {
  EXPECT_EQ(verdict("A|acq(m)\nA|rel(m)\nB|acq(m)\nA|acq(n)\n"), "feasible");
  EXPECT_EQ(verdict("A|acq(m)\nB|acq(m)\n"), "B acquires lock m, which A holds");
  EXPECT_EQ(verdict("A|acq(m)\nA|acq(m)\n"), "A acquires lock m, which it holds already");
  EXPECT_EQ(verdict("A|rlk(m)\nB|acq(m)\n"), "B acquires lock m, which A holds");
  EXPECT_EQ(verdict("B|rlk(m)\nA|rlk(m)\nA|acq(m)\n"), "A acquires lock m, which it holds already");
}

TEST(Feasibility, Release) {
  EXPECT_EQ(verdict("A|rel(m)\n"), "A releases lock m, which it does not hold");
  EXPECT_EQ(verdict("A|acq(m)\nB|rel(m)\n"), "B releases lock m, which it does not hold");
  EXPECT_EQ(verdict("A|acq(m)\nA|rel(m)\nA|rel(m)\n"), "A releases lock m, which it does not hold");
  EXPECT_EQ(verdict("A|rlk(m)\nA|rel(m)\n"),
            "A releases lock m, which it holds shared: rul gives it back");
}

TEST(Feasibility, ReadLock) {
  EXPECT_EQ(verdict("A|rlk(m)\nB|rlk(m)\nA|rul(m)\nB|rul(m)\nA|acq(m)\n"), "feasible");
  EXPECT_EQ(verdict("A|rlk(m)\nA|rlk(m)\n"), "A acquires lock m, which it holds already");
  EXPECT_EQ(verdict("A|acq(m)\nA|rlk(m)\n"), "A acquires lock m, which it holds already");
  EXPECT_EQ(verdict("A|acq(m)\nB|rlk(m)\n"), "B acquires lock m, which A holds");
}

TEST(Feasibility, ReadUnlock) {
  EXPECT_EQ(verdict("A|rul(m)\n"), "A gives back lock m, which it does not hold shared");
  EXPECT_EQ(verdict("A|acq(m)\nA|rul(m)\n"), "A gives back lock m, which it does not hold shared");
  EXPECT_EQ(verdict("B|rlk(m)\nA|rul(m)\n"), "A gives back lock m, which it does not hold shared");
}

TEST(Feasibility, Fork) {
  EXPECT_EQ(verdict("A|fork(B)\nB|w(x)\nB|fork(C)\n"), "feasible");
  EXPECT_EQ(verdict("A|fork(A)\n"), "A forks itself");
  EXPECT_EQ(verdict("A|fork(B)\nA|fork(B)\n"), "A forks B, which was forked before");
  EXPECT_EQ(verdict("B|w(x)\nA|fork(B)\n"), "A forks B, which has run already");
  EXPECT_EQ(verdict("B|w(x)\nA|join(B)\nA|fork(B)\n"), "A forks B, which has run already");
}

TEST(Feasibility, Join) {
  EXPECT_EQ(verdict("A|fork(B)\nB|w(x)\nA|join(B)\nC|join(B)\n"), "feasible");
  EXPECT_EQ(verdict("A|fork(B)\nB|start()\nB|exit()\nA|join(B)\n"), "feasible");
  EXPECT_EQ(verdict("B|exit()\nA|join(B)\n"), "feasible");
  EXPECT_EQ(verdict("A|join(A)\n"), "A joins itself");
  EXPECT_EQ(verdict("A|join(B)\n"), "A joins B, which has done nothing yet");
  EXPECT_EQ(verdict("A|fork(B)\nA|join(B)\n"), "A joins B, which has done nothing yet");
  EXPECT_EQ(verdict("B|start()\nB|w(x)\nA|join(B)\n"), "A joins B, which is still running");
  EXPECT_EQ(verdict("B|w(x)\nA|join(B)\nB|w(x)\n"), "B runs after A joined it");
  EXPECT_EQ(verdict("B|w(x)\nA|join(B)\nC|join(B)\nB|w(x)\n"), "B runs after A joined it");
  EXPECT_EQ(verdict("B|acq(m)\nB|wait(c,m)\nA|join(B)\nB|wake(c,m)\n"), "B runs after A joined it");
}

TEST(Feasibility, StartAndExit) {
  EXPECT_EQ(verdict("A|start()\nA|fork(B)\nB|start()\nB|exit()\nA|exit()\n"), "feasible");
  EXPECT_EQ(verdict("A|w(x)\nA|start()\n"), "A starts after its first operation");
  EXPECT_EQ(verdict("A|start()\nA|start()\n"), "A starts after its first operation");
  EXPECT_EQ(verdict("A|exit()\nA|w(x)\n"), "A runs after its exit");
  EXPECT_EQ(verdict("A|exit()\nA|exit()\n"), "A runs after its exit");
  EXPECT_EQ(verdict("A|acq(m)\nA|exit()\n"), "A exits while it holds 1 lock");
  EXPECT_EQ(verdict("A|acq(m)\nA|rlk(n)\nA|exit()\n"), "A exits while it holds 2 locks");
}

TEST(Feasibility, WaitAndWake) {
  EXPECT_EQ(verdict("A|acq(m)\nA|wait(c,m)\nB|acq(m)\nB|notify(c)\nB|rel(m)\nA|wake(c,m)\n"
                    "A|rel(m)\nA|exit()\n"),
            "feasible");
  EXPECT_EQ(verdict("A|wait(c,m)\n"), "A waits with lock m, which it does not hold exclusively");
  EXPECT_EQ(verdict("A|rlk(m)\nA|wait(c,m)\n"),
            "A waits with lock m, which it does not hold exclusively");
  EXPECT_EQ(verdict("A|acq(m)\nA|wait(c,m)\nA|w(x)\n"),
            "A does something else while it waits on condition c with lock m");
  EXPECT_EQ(verdict("A|acq(m)\nA|wait(c,m)\nA|exit()\n"),
            "A does something else while it waits on condition c with lock m");
  EXPECT_EQ(verdict("A|wake(c,m)\n"), "A wakes, but does not wait on condition c with lock m");
  EXPECT_EQ(verdict("A|acq(m)\nA|wait(c,m)\nA|wake(d,m)\n"),
            "A wakes, but does not wait on condition d with lock m");
  EXPECT_EQ(verdict("A|acq(m)\nA|wait(c,m)\nA|wake(c,n)\n"),
            "A wakes, but does not wait on condition c with lock n");
  EXPECT_EQ(verdict("A|acq(m)\nA|wait(c,m)\nB|acq(m)\nA|wake(c,m)\n"),
            "A wakes with lock m, which B holds");
  EXPECT_EQ(verdict("A|acq(m)\nA|wait(c,m)\nB|rlk(m)\nA|wake(c,m)\n"),
            "A wakes with lock m, which B holds");
}

TEST(Feasibility, Barriers) {
  EXPECT_EQ(verdict("A|arrive(b)\nB|arrive(b)\nA|depart(b)\nA|arrive(b)\nB|depart(b)\n"),
            "feasible");
  EXPECT_EQ(verdict("A|arrive(b)\nA|w(x)\n"), "A does something else while it is inside barrier b");
  EXPECT_EQ(verdict("A|arrive(b)\nA|arrive(b)\n"),
            "A does something else while it is inside barrier b");
  EXPECT_EQ(verdict("A|depart(b)\n"), "A departs from barrier b, at which it has not arrived");
  EXPECT_EQ(verdict("A|arrive(b)\nA|depart(c)\n"),
            "A departs from barrier c, at which it has not arrived");
  EXPECT_EQ(verdict("A|exit()\nA|depart(c)\n"), "A runs after its exit");
}

TEST(Feasibility, Allocations) {
  EXPECT_EQ(verdict("A|alloc(0x10,16)\nA|alloc(0x20,16)\nA|alloc(0x0,16)\nA|free(0x10)\n"
                    "B|alloc(0x18,8)\nB|alloc(0x10,8)\n"),
            "feasible");
  EXPECT_EQ(verdict("A|alloc(0xfffffffffffffff0,16)\nA|free(0xfffffffffffffff0,16)\n"
                    "A|alloc(0xffffffffffffffff,1)\nA|alloc(0x0,1)\n"),
            "feasible");
  EXPECT_EQ(verdict("A|alloc(x,8)\nA|free(x)\nA|alloc(x,80)\nA|free(x,80)\nA|w(x)\n"), "feasible");
  EXPECT_EQ(verdict("A|alloc(0x10,16)\nA|alloc(0x1f,1)\n"),
            "A allocates 1 bytes at 0x1f, which overlap the live allocation of 16 bytes at 0x10");
  EXPECT_EQ(verdict("A|alloc(0x10,16)\nA|alloc(0x0,17)\n"),
            "A allocates 17 bytes at 0x0, which overlap the live allocation of 16 bytes at 0x10");
  EXPECT_EQ(verdict("A|alloc(0x10,1)\nA|alloc(0x0,100)\n"),
            "A allocates 100 bytes at 0x0, which overlap the live allocation of 1 bytes at 0x10");
  EXPECT_EQ(verdict("A|free(0x10)\n"), "A frees 0x10, where no live allocation starts");
  EXPECT_EQ(verdict("A|alloc(0x10,16)\nA|free(0x18)\n"),
            "A frees 0x18, where no live allocation starts");
  EXPECT_EQ(verdict("A|alloc(x,16)\nB|free(x)\nA|free(x)\n"),
            "A frees x, where no live allocation starts");
  EXPECT_EQ(verdict("A|alloc(x,16)\nB|free(x,8)\n"),
            "B frees 8 bytes at x, where 16 are allocated");
}

/// What text cannot say, but a trace in memory can.
TEST(Feasibility, AllocationsThatAreNone) {
  SymbolTable Symbols;
  FeasibilityChecker Checker;
  Operation Op;
  Op.Kind = OpKind::Allocate;
  Op.Target = 0x10;
  EXPECT_EQ(Checker.check(Op, Symbols), "T0 allocates 0 bytes at 0x10");
  Op.Size = ~uint64_t(0);
  EXPECT_EQ(Checker.check(Op, Symbols), "T0 allocates 18446744073709551615 bytes at 0x10, "
                                        "past the end of the address space");
  Op.Target = 0;
  EXPECT_EQ(Checker.check(Op, Symbols), std::nullopt);
}

TEST(Feasibility, ARefusalChangesNothing) {
  TextReader Reader(bufferOf("A|fork(B)\nA|acq(m)\nB|acq(m)\nB|rel(m)\nB|rlk(m)\nA|join(B)\n"
                             "B|start()\nA|alloc(x,8)\nA|free(x,4)\nA|exit()\nA|rel(m)\n"
                             "A|free(x,8)\nA|exit()\n"));
  FeasibilityChecker Checker;
  std::string Verdicts;
  Operation Op;
  for (;;) {
    llvm::Expected<bool> HasNext = Reader.next(Op);
    ASSERT_TRUE(bool(HasNext));
    if (!*HasNext)
      break;
    Verdicts += Checker.check(Op, Reader.symbols()) ? '-' : '+';
  }
  EXPECT_EQ(Verdicts, "++----++--+++");
}

TEST(Feasibility, WorksOnTracesInMemory) {
  Operation Acquire;
  Acquire.Kind = OpKind::Acquire;
  EXPECT_TRUE(isFeasible({}));
  EXPECT_TRUE(isFeasible({Acquire}));
  EXPECT_FALSE(isFeasible({Acquire, Acquire}));
  Trace Twice = {Acquire, Acquire};
  VectorSource Source(Twice);
  CheckedSource Checked(Source);
  EXPECT_EQ(readAll(Checked).Error, "operation 2: T0 acquires lock m0, which it holds already");
}
