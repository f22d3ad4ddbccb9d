/*===- recording.h - A run's events, on their way to a trace -------------------------------===
 *
 * What the runtime tells `photofinish record` over a socket: a sequence of pf_recorded, each
 * followed by `text` bytes of text. Never on disk; both ends are of one version.
 *
 *===----------------------------------------------------------------------===*/

#ifndef PHOTOFINISH_ABI_RECORDING_H
#define PHOTOFINISH_ABI_RECORDING_H

#include <stdint.h>

/* The kinds of operations come first, with the numbers of OpKind (trace/operation.h). */
enum pf_recorded_kind {
  PF_RECORDED_READ = 0,
  PF_RECORDED_WRITE = 1,
  PF_RECORDED_ATOMIC_LOAD = 2,
  PF_RECORDED_ATOMIC_STORE = 3,
  PF_RECORDED_ATOMIC_RMW = 4,
  PF_RECORDED_FENCE = 5,
  PF_RECORDED_ACQUIRE = 6,
  PF_RECORDED_RELEASE = 7,
  PF_RECORDED_READ_LOCK = 8,
  PF_RECORDED_READ_UNLOCK = 9,
  PF_RECORDED_FORK = 10,
  PF_RECORDED_JOIN = 11,
  PF_RECORDED_ARRIVE = 17,
  PF_RECORDED_DEPART = 18,
  PF_RECORDED_ALLOCATE = 20,
  PF_RECORDED_FREE = 21,

  /* A site: `site` is its number from now on, `text` says "file:line:column" if that is known, and
   * otherwise `target` is a return address to look up. */
  PF_RECORDED_SITE = 64,
  /* The modules, as a record of docs/records.md in `text`; before the first site in them. */
  PF_RECORDED_MODULES = 65,
  /* Fresh memory that nobody has freed: [target, target + size), whole pages. */
  PF_RECORDED_FRESH = 66,
  /* The program has ended. The process answers one byte when the trace is complete: '.', or
   * PF_RECORDED_MISPLACED if the checks of the run were not where they should be. */
  PF_RECORDED_END = 67,
  /* Checks whose accesses are events of their own. */
  PF_RECORDED_CHECK_READ = 68,
  PF_RECORDED_CHECK_WRITE = 69,
};
#define PF_RECORDED_MISPLACED '!'
/* A plain access whose check is an event of its own. */
#define PF_RECORDED_CHECKED_APART 1

struct pf_recorded {
  uint8_t kind;  /* pf_recorded_kind */
  uint8_t order; /* pf_memory_order; of a plain access, 0 or PF_RECORDED_CHECKED_APART */
  uint16_t unused;
  uint32_t thread;
  uint64_t target;
  uint64_t size;
  uint32_t site; /* 0 is none */
  uint32_t text; /* bytes of text that follow */
};

/* Where the trace has the objects that have no address of their own: channels, as atomics. */
#define PF_RECORDED_CHANNELS (UINT64_C(1) << 63)

#endif /* PHOTOFINISH_ABI_RECORDING_H */
