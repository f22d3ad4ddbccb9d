// Addresses become functions, inlined ones too, variables and their parts. The program makes the records about
// itself, as the runtime would.
//
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: clang++ -g -O1 -pie -fPIE %s -o pie && ./pie > pie.jsonl && not %pf report pie.jsonl | FileCheck %s
// RUN: clang++ -g -O1 -no-pie %s -o fixed && ./fixed > fixed.jsonl && not %pf report fixed.jsonl | FileCheck %s
// Without debug information there are still names.
// RUN: clang++ -g0 -O1 -no-pie %s -o bare && ./bare > bare.jsonl && not %pf report bare.jsonl | FileCheck %s --check-prefix=BARE
// And without symbols, addresses; nothing is lost.
// RUN: clang++ -g0 -s -O1 -no-pie %s -o none && ./none > none.jsonl && not %pf report none.jsonl | FileCheck %s --check-prefix=NONE
// NONE: data race: write/write on 8 bytes of global memory at 0x
// NONE: #0 0x{{.*}} (unknown function of none)

#include <cstdint>
#include <cstdio>
#include <link.h>
#include <pthread.h>

namespace bank {
struct Base {
  int Id;
};
struct Account : Base {
  int Flags;
  union {
    long Balance;
    double Rate;
  };
  int History[2][3];
  pthread_mutex_t Lock;
};
Account Accounts[4];
typedef const volatile int Word;
Word Table[5] = {1};
struct {
  short Low, High;
} Pair;
static long Plain;
} // namespace bank

static int emit(dl_phdr_info *Info, size_t, void *Data) {
  std::printf("{\"version\":1,\"event\":\"modules\",\"modules\":[{\"path\":\"%s\",\"base\":\"0x%lx\",\"start\":\"0x%lx\","
              "\"end\":\"0x%lx\"}]}\n",
              static_cast<char *>(Data), long(Info->dlpi_addr), long(Info->dlpi_addr),
              long(Info->dlpi_addr) + 0x1000000);
  return 1; // the first one is the program
}

static void race(const volatile void *Address, int Size, void *Pc, const void *Lock) {
  std::printf("{\"version\":1,\"event\":\"race\",\"kind\":\"write/write\",\"address\":\"0x%lx\",\"size\":%d,\"accesses\":"
              "[{\"type\":\"write\",\"thread\":0,\"stack\":[{\"pc\":\"0x%lx\"}],\"locks\":[{\"kind\":\"mutex\","
              "\"address\":\"0x%lx\"}]}],\"object\":{\"type\":\"global\"}}\n",
              long(Address), Size, long(Pc), long(Lock));
}

static void *Pc;
__attribute__((noinline)) void where() { Pc = __builtin_return_address(0); }
__attribute__((always_inline)) static inline void inlined() {
  where();
  asm volatile("nop"); // to this line belongs the return address
}

// CHECK: data race: write/write on 'bank::Accounts[1].Balance' (8 bytes, global variable)
// CHECK-NEXT: holding 'bank::Accounts[2].Lock'
// CHECK-NEXT: #0 inlined() {{.*}}symbolize.cpp:[[# INNER:]]:3
// CHECK-NEXT: [[# INNER]] | where();
// CHECK: #1 main {{.*}}symbolize.cpp:
// CHECK: 'bank::Accounts' is a global variable of {{[0-9]+}} bytes, declared at {{.*}}symbolize.cpp:32
// CHECK: on 'bank::Accounts[3].Id' (4 bytes
// CHECK: on 'bank::Accounts[0].Flags' (4 bytes
// CHECK: on 'bank::Accounts[2].History[1][2]' (4 bytes
// Bytes of two members belong to neither.
// CHECK: on 'bank::Accounts[0]' (8 bytes
// CHECK: on 'bank::Accounts' (200 bytes
// CHECK: on 'bank::Table[4]' (4 bytes
// CHECK: on 'bank::Pair.High' (2 bytes
// CHECK: on 'bank::Plain' (8 bytes
// CHECK-NEXT: holding the mutex at 0x10
//
// BARE: on 'bank::Accounts' (8 bytes
// BARE-NEXT: holding 'bank::Accounts+{{[0-9]+}}'
// BARE-NEXT: #0 main
int main(int, char **Argv) {
  using namespace bank;
  dl_iterate_phdr(emit, Argv[0]);
  inlined();
  race(&Accounts[1].Balance, 8, Pc, &Accounts[2].Lock);
  race(&Accounts[3].Id, 4, Pc, &Plain);
  race(&Accounts[0].Flags, 4, Pc, &Plain);
  race(&Accounts[2].History[1][2], 4, Pc, &Plain);
  race(&Accounts[0], 8, Pc, &Plain);
  race(&Accounts[0], 200, Pc, &Plain);
  race(&Table[4], 4, Pc, &Plain);
  race(&Pair.High, 2, Pc, &Plain);
  race(&Plain, 8, Pc, reinterpret_cast<void *>(0x10));
}
