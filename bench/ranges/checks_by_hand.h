// Checks that a programmer writes where the pass will put them one day: the entry points of the
// runtime, called from code that is not instrumented. Without CHECKED they are nothing.
#ifndef PHOTOFINISH_BENCH_RANGES_CHECKS_BY_HAND_H
#define PHOTOFINISH_BENCH_RANGES_CHECKS_BY_HAND_H

#include "abi/abi.h"

#include <cstddef>
#include <cstdint>

namespace by_hand {

#ifdef CHECKED
extern "C" {
void __pf_read_range(void *, uint64_t, const pf_site *);
void __pf_write_range(void *, uint64_t, const pf_site *);
void __pf_read_strided(void *, uint64_t, uint64_t, uint64_t, const pf_site *);
void __pf_write_strided(void *, uint64_t, uint64_t, uint64_t, const pf_site *);
void __pf_read_fields(void *, uint64_t, const pf_site *);
void __pf_write_fields(void *, uint64_t, const pf_site *);
void __pf_read8(void *, const pf_site *);
void __pf_write8(void *, const pf_site *);
extern __attribute__((tls_model("initial-exec"))) thread_local pf_thread_head __pf_thread;
}

inline constexpr pf_site Read = {0, 0, 1, 0, 0, 0, 0};
inline constexpr pf_site Write = {0, 0, 2, 0, 0, PF_SITE_WRITE, 0};

template <class T> void reads(const T *First, size_t Count, size_t Step = 1) {
  auto *P = const_cast<void *>(static_cast<const void *>(First));
  if (Step == 1)
    __pf_read_range(P, Count * sizeof(T), &Read);
  else
    __pf_read_strided(P, sizeof(T), Step * sizeof(T), Count, &Read);
}
template <class T> void writes(T *First, size_t Count, size_t Step = 1) {
  if (Step == 1)
    __pf_write_range(First, Count * sizeof(T), &Write);
  else
    __pf_write_strided(First, sizeof(T), Step * sizeof(T), Count, &Write);
}

/// Eight bytes that are aligned: as the pass inlines it.
inline bool isNoted(const void *P, const uint8_t *(*BitsOf)(const pf_noted_page &)) {
  auto Address = reinterpret_cast<uintptr_t>(P);
  uintptr_t Page = Address >> PF_PAGE_SHIFT, Entry = Page % PF_NOTED_ENTRIES;
  const pf_noted &Noted = *__pf_thread.noted;
  return Noted.pages[Entry].number == Page &&
         BitsOf(Noted.pages[Entry])[Address % PF_PAGE_BYTES / 64] >> Address / 8 % 8 & 1;
}
inline void reads(const double &X) {
  auto *P = const_cast<double *>(&X);
  if (!isNoted(P, [](const pf_noted_page &Page) -> const uint8_t * { return Page.read_whole; }))
    __pf_read8(P, &Read);
}
inline void writes(double &X) {
  if (!isNoted(&X, [](const pf_noted_page &Page) -> const uint8_t * { return Page.written_whole; }))
    __pf_write8(&X, &Write);
}
#else
inline void reads(const double &) {}
inline void writes(double &) {}
template <class T> void reads(const T *, size_t, size_t = 1) {}
template <class T> void writes(T *, size_t, size_t = 1) {}
#endif

} // namespace by_hand

#endif // PHOTOFINISH_BENCH_RANGES_CHECKS_BY_HAND_H
