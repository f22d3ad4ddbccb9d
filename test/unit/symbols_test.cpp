//===- symbols_test.cpp - Names and address ranges of variables -----------===//

#include "trace/symbols.h"

#include "gtest/gtest.h"

using namespace photofinish;

TEST(Symbols, NumbersNamesInOrderOfFirstUse) {
  SymbolTable S;
  EXPECT_EQ(S.intern(NameKind::Thread, "main"), 0u);
  EXPECT_EQ(S.intern(NameKind::Thread, "worker"), 1u);
  EXPECT_EQ(S.intern(NameKind::Thread, "main"), 0u);
  EXPECT_EQ(S.intern(NameKind::Lock, "main"), 0u) << "each kind has a name space of its own";
  EXPECT_EQ(S.count(NameKind::Thread), 2u);
  EXPECT_EQ(S.name(NameKind::Thread, 1), "worker");
  EXPECT_EQ(S.find(NameKind::Thread, "worker"), 1u);
  EXPECT_EQ(S.find(NameKind::Thread, "nobody"), std::nullopt);
}

TEST(Symbols, SiteZeroMeansNoLocation) {
  SymbolTable S;
  EXPECT_EQ(S.intern(NameKind::Site, "a.c:1"), 1u);
  EXPECT_EQ(S.intern(NameKind::Site, "a.c:2"), 2u);
  EXPECT_EQ(S.name(NameKind::Site, 1), "a.c:1");
  EXPECT_EQ(S.name(NameKind::Site, 0), "");
  EXPECT_EQ(S.givenName(NameKind::Site, 0), "");
}

TEST(Symbols, MakesUpNamesThatTheTraceDidNotGive) {
  SymbolTable S;
  EXPECT_EQ(S.name(NameKind::Thread, 3), "T3");
  EXPECT_EQ(S.name(NameKind::Lock, 0), "m0");
  EXPECT_EQ(S.name(NameKind::Condition, 1), "c1");
  EXPECT_EQ(S.name(NameKind::Barrier, 0), "b0");
  EXPECT_EQ(S.name(NameKind::Once, 2), "o2");
  EXPECT_EQ(S.name(NameKind::Site, 5), "site 5");
  EXPECT_EQ(S.givenName(NameKind::Thread, 3), "");
  EXPECT_EQ(S.name(NameKind::Thread, ~0u), "T4294967295");
}

TEST(Symbols, UsedVariablesHaveDefaultRoomAndDoNotOverlap) {
  SymbolTable S;
  EXPECT_FALSE(S.lookUp("x"));
  SymbolTable::Variable X = S.use("x");
  SymbolTable::Variable Y = S.use("y");
  EXPECT_GE(X.Base, SymbolTable::NamedBase);
  EXPECT_EQ(X.Room, SymbolTable::DefaultRoom);
  EXPECT_GE(Y.Base, X.Base + X.Room);
  EXPECT_EQ(S.use("x").Base, X.Base);
  EXPECT_EQ(S.lookUp("x")->Base, X.Base);
}

TEST(Symbols, AllocatedVariablesHaveTheRoomTheyAskedForAndAreAligned) {
  SymbolTable S;
  uint64_t End = 0;
  for (uint64_t Size : {1, 15, 16, 17, 64, 65, 4095, 4096, 4097, 100000}) {
    SymbolTable::Variable V = S.allocate("v" + std::to_string(Size), Size);
    EXPECT_EQ(V.Room, Size);
    EXPECT_EQ(V.Base % 16, 0u);
    if (Size >= 4096)
      EXPECT_EQ(V.Base % 4096, 0u);
    EXPECT_GE(V.Base, End);
    End = V.Base + V.Room;
  }
}

TEST(Symbols, AFreedVariableKeepsItsRange) {
  SymbolTable S;
  SymbolTable::Variable X = S.allocate("x", 100);
  EXPECT_TRUE(S.isAllocated("x"));
  S.release("x");
  EXPECT_FALSE(S.isAllocated("x"));
  EXPECT_EQ(S.use("x").Base, X.Base) << "a use after free is a use of the freed bytes";
  EXPECT_EQ(S.use("x").Room, 100u);
  EXPECT_NE(S.allocate("y", 100).Base, X.Base);
  EXPECT_EQ(S.allocate("x", 50).Base, X.Base) << "its own range is large enough";
  EXPECT_EQ(S.lookUp("x")->Room, 50u);
  S.release("x");
  EXPECT_NE(S.allocate("x", 5000).Base, X.Base);
  EXPECT_EQ(S.variableAt(X.Base).first, "x") << "reports of earlier races still name it";
}

TEST(Symbols, ReleaseOfWhatIsNotAllocatedDoesNothing) {
  SymbolTable S;
  S.release("nobody");
  SymbolTable::Variable X = S.use("x");
  S.release("x");
  EXPECT_EQ(S.use("x").Base, X.Base);
  S.allocate("y", 8);
  S.release("y");
  S.release("y");
  SymbolTable::Variable Z = S.allocate("z", 8);
  EXPECT_NE(S.allocate("w", 8).Base, Z.Base);
  S.release("x");
  for (unsigned I = 0; I <= SymbolTable::RememberedFrees; ++I) {
    S.allocate("h", 8);
    S.release("h");
  }
  EXPECT_EQ(S.use("x").Base, X.Base) << "it was never allocated, so nothing has ended";
}

TEST(Symbols, AllocatingForHoursDoesNotGrowTheTable) {
  SymbolTable S;
  for (unsigned I = 0; I != 3 * SymbolTable::RememberedFrees; ++I) {
    std::string Name = "h" + std::to_string(I);
    S.allocate(Name, 1 + I % 100);
    S.release(Name);
  }
  EXPECT_LE(S.rangeCount(), 2 * SymbolTable::RememberedFrees + 2);
  EXPECT_FALSE(S.lookUp("h0")) << "freed long ago";
  EXPECT_TRUE(S.lookUp("h" + std::to_string(3 * SymbolTable::RememberedFrees - 1)));
}

TEST(Symbols, RangesAreHandedOutAgainToAllocationsOnly) {
  SymbolTable S;
  SymbolTable::Variable First = S.allocate("h0", 64);
  S.release("h0");
  for (unsigned I = 1; I <= SymbolTable::RememberedFrees; ++I) {
    S.allocate("h", 64);
    S.release("h");
  }
  ASSERT_FALSE(S.lookUp("h0"));
  // A use is no allocation: at the old bytes it would seem to race with the old accesses.
  EXPECT_NE(S.use("new").Base, First.Base);
  EXPECT_NE(S.use("h0").Base, First.Base);
  EXPECT_EQ(S.allocate("other", 64).Base, First.Base);
  EXPECT_EQ(S.describe(First.Base), "other");
}

TEST(Symbols, AUsedVariableThatIsAllocatedLaterMovesIfItMust) {
  SymbolTable S;
  SymbolTable::Variable X = S.use("x");
  EXPECT_EQ(S.allocate("x", 8).Base, X.Base);
  S.release("x");
  SymbolTable::Variable Large = S.allocate("x", 65);
  EXPECT_NE(Large.Base, X.Base);
  EXPECT_EQ(S.lookUp("x")->Base, Large.Base);
}

TEST(Symbols, AddressSpaceIsNotGivenOutTwice) {
  SymbolTable S;
  EXPECT_FALSE(S.canAllocate(~uint64_t(0)));
  EXPECT_FALSE(S.canAllocate((uint64_t(1) << 62) + 1));
  ASSERT_TRUE(S.canAllocate(uint64_t(1) << 61));
  SymbolTable::Variable Half = S.allocate("half", uint64_t(1) << 61);
  EXPECT_FALSE(S.canAllocate(uint64_t(1) << 61));
  EXPECT_TRUE(S.canAllocate(uint64_t(1) << 60));
  SymbolTable::Variable X = S.use("x");
  EXPECT_GE(X.Base, Half.Base + Half.Room);
  EXPECT_LT(X.Base, SymbolTable::NamedEnd);
}

TEST(Symbols, DescribesAddresses) {
  SymbolTable S;
  SymbolTable::Variable X = S.use("x");
  EXPECT_EQ(S.describe(X.Base), "x");
  EXPECT_EQ(S.describe(X.Base + 63), "x+63");
  EXPECT_EQ(S.describe(X.Base + 64), "0x4000000000000040");
  EXPECT_EQ(S.describe(0x7f0010), "0x7f0010");
  EXPECT_EQ(S.describe(0), "0x0");
  EXPECT_EQ(S.describe(~uint64_t(0)), "0xffffffffffffffff");
}

TEST(Symbols, PlacedVariablesReplaceWhatWasThere) {
  SymbolTable S;
  S.place("counter", {0x1000, 4});
  S.place("flag", {0x1010, 1});
  S.place("end", {~uint64_t(0) - 7, 8});
  EXPECT_EQ(S.describe(0x1003), "counter+3");
  EXPECT_EQ(S.describe(0x1004), "0x1004");
  EXPECT_EQ(S.describe(~uint64_t(0)), "end+7");
  S.place("both", {0x1002, 15});
  EXPECT_EQ(S.describe(0x1010), "both+14");
  EXPECT_FALSE(S.lookUp("counter"));
  EXPECT_FALSE(S.lookUp("flag"));
  S.place("both", {0x2000, 8});
  EXPECT_EQ(S.lookUp("both")->Base, 0x2000u);

  uint64_t Taken = SymbolTable::NamedBase + 4096;
  S.place("taken", {Taken, 64});
  EXPECT_GE(S.use("x").Base, Taken + 64) << "later variables keep clear of it";
  EXPECT_EQ(S.describe(Taken + 1), "taken+1");
}
