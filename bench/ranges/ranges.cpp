// What one check of many bytes costs: a range, every other element, a field of structures, and the
// same bytes one by one; in the same epoch (hits), and in a new one each time (misses). Prints the
// nanoseconds for each check.
//
//   ranges range|strided|fields|single hit|miss BYTES SECONDS
#define CHECKED
#include "bench/another_thread.h"
#include "bench/ranges/checks_by_hand.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

using namespace by_hand;

namespace {

std::mutex Lock;

/// A release: what follows is in a new epoch.
void newEpoch() { std::lock_guard<std::mutex> Guard(Lock); }

using Check = void (*)(char *, size_t);

void range(char *P, size_t Bytes) { __pf_write_range(P, Bytes, &Write); }
/// Doubles, every other one, that have so many bytes.
void strided(char *P, size_t Bytes) { __pf_write_strided(P, 8, 16, Bytes / 8, &Write); }
/// Two fields of eight bytes each of structures of 32 bytes.
void fields(char *P, size_t Bytes) {
  for (size_t Done = 0; Done < Bytes; Done += 16, P += 32)
    __pf_write_fields(P, UINT64_C(0xff0000ff), &Write);
}
void single(char *P, size_t Bytes) {
  for (size_t Done = 0; Done < Bytes; Done += 8)
    writes(*reinterpret_cast<double *>(P + Done));
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Seconds for one of many.
double measure(double Seconds, auto &&Step) {
  Step(); // and the pages are there
  double Begin = now(), End = Begin;
  uint64_t Times = 0;
  for (uint64_t Batch = 1; End - Begin < Seconds; Batch *= 2) {
    for (uint64_t I = 0; I < Batch; ++I)
      Step();
    Times += Batch;
    End = now();
  }
  return (End - Begin) / double(Times);
}

} // namespace

int main(int Count, char **Words) {
  if (Count != 5)
    return 2;
  Check Wanted = !std::strcmp(Words[1], "range")     ? range
                 : !std::strcmp(Words[1], "strided") ? strided
                 : !std::strcmp(Words[1], "fields")  ? fields
                                                     : single;
  bool IsMiss = !std::strcmp(Words[2], "miss");
  size_t Bytes = std::strtoull(Words[3], nullptr, 10);
  double Seconds = std::atof(Words[4]);
  haveAnotherThread();
  auto *Memory = static_cast<char *>(std::aligned_alloc(4096, (2 * Bytes + 4095) & ~size_t(4095)));
  // A new epoch has its price, too, which is not the check's.
  double Other = IsMiss ? measure(Seconds / 4, newEpoch) : 0;
  double Both = measure(Seconds, [&] {
    if (IsMiss)
      newEpoch();
    Wanted(Memory, Bytes);
  });
  std::printf("%.3f\n", (Both - Other) * 1e9);
}
