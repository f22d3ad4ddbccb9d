/*===- abi.h - The contract between instrumented code and the runtime ------===
 *
 * Instrumented code calls the entry points of entry_points.def and touches the three
 * objects declared here. The pass builds its LLVM declarations from this file and that
 * table, the runtime its definitions, so that neither can drift from the other. What they
 * agree on has a version: every instrumented object refers to the symbol
 * PF_VERSION_SYMBOL, which only a runtime of the same version defines, so that a mixture
 * fails to link with a name that says why.
 *
 * Plain C, because both a compiler plugin and a runtime without a C++ library include it.
 *
 *===----------------------------------------------------------------------===*/

#ifndef PHOTOFINISH_ABI_ABI_H
#define PHOTOFINISH_ABI_ABI_H

#include <stddef.h>
#include <stdint.h>

/* Raise it with every change to this file or to entry_points.def, here and in the name. */
#define PF_ABI_VERSION 6
#define PF_VERSION_SYMBOL __pf_instrumented_for_another_photofinish_runtime_than_version_6

/* What a site does. */
enum pf_site_flags {
  PF_SITE_WRITE = 1,  /* it writes; otherwise it reads */
  PF_SITE_ATOMIC = 2, /* by an atomic operation */
  PF_SITE_VPTR = 4,   /* the pointer to a virtual table */
  PF_SITE_CALL = 8,   /* it accesses nothing: a call that was inlined, for InlinedAt */
  PF_SITE_CHECK = 16, /* it is of a check, and accesses are announced on their own */
  PF_SITE_ROW = 32,   /* it stands for several, see below */
};

/* A program point that performs accesses. Each object file has a table of them in the
 * section PF_SITES_SECTION. References are distances in bytes from the field itself, so
 * that the table needs no relocation when the program is loaded; 0 means that there is
 * nothing to refer to. Strings end with a zero byte.
 */
struct pf_site {
  int32_t file;       /* -> path as the compiler had it */
  int32_t function;   /* -> name of the function, as written in the source; demangled by readers */
  uint32_t line;      /* 0 if the object was compiled without debug information */
  uint16_t column;    /* 0 if unknown */
  uint8_t size;       /* bytes accessed; 0 if only known at run time */
  uint8_t flags;      /* pf_site_flags */
  int32_t inlined_at; /* -> the pf_site of the call that was inlined */
};
#define PF_SITES_SECTION "pf_sites"

/* Accesses that lie side by side, again and again, are checked together. Their site is one of a row
 * of sites with PF_SITE_ROW, one for each byte from one time to the next: `line` is how many they
 * are, `column` which of them this is, and `inlined_at` refers to the site of the byte's access, if
 * there is one. The check's site is number S of the row if its address is S modulo `line`; so
 * that of the byte at address A is what number (A - S) modulo `line` refers to.
 */
#define PF_MAX_PERIOD 64

/* Accesses to neighbouring bytes that are checked together. Each has its site, which is asked for
 * only when the thread has not noted them all (pf_noted says how one looks). Bit I of `read` stands
 * for byte I from the group's address on, if an access of 1, 2 or 4 bytes reads it, and `written`
 * likewise; bit I of `read_whole` for bytes 8 * I to 8 * I + 7, if one of 8 or 16 bytes does, with
 * I so that these are a granule if the address is one's.
 */
struct pf_group_member {
  uint16_t offset; /* from the group's address */
  uint8_t size;    /* 1, 2, 4, 8 or 16 */
  uint8_t write;   /* 1: it writes */
  int32_t site;    /* -> pf_site */
};
struct pf_group {
  uint64_t read;
  uint64_t written;
  uint8_t read_whole;
  uint8_t written_whole;
  uint16_t count;
  uint32_t unused;
  /* followed by so many members */
};
#define PF_GROUP_BYTES 56 /* how far the members reach at most */

/* One active function: where it will return to, and what the runtime has made of it. */
struct pf_frame {
  uint64_t return_address;
  uint32_t context; /* 0, or the runtime's number for this frame and those below */
  uint32_t unused;
};

/* What instrumented code and runtime share of a thread (initial-exec thread-local).
 *
 * On entry a function saves stack_top, stores stack_top + 1, and only then writes its return
 * address and context 0 to the frame that it saved: a signal handler between the two pushes
 * its own frames behind it. Before it returns, and wherever
 * control comes back to it by another way than a return (landing pads, functions that return
 * twice), it stores the value that belongs there. There is always room for one more frame:
 * the stack of frames ends with a page that cannot be touched, long after the thread's own.
 *
 * A function that calls nothing but entry points of the rare kind may do so around each such call
 * instead: whenever the runtime runs, what it was called from has its frame. Only a signal handler
 * may come to run in such a function while it has none.
 */
struct pf_noted;
struct pf_thread_head {
  void *self;                 /* the runtime's own */
  struct pf_frame *stack_top; /* the first free frame */
  struct pf_noted *noted;     /* accesses that the thread has made since its clock last changed */
};

/* Memory is cut into pages, and these into granules. */
#define PF_PAGE_SHIFT 12
#define PF_PAGE_BYTES 4096
#define PF_GRANULE_BYTES 8
#define PF_ROOT_MASK UINT64_C(0x7ffffffff) /* 47 bits of address */

/* What a thread has noted, as far as inlined checks look at it. A page of memory finds its entry by
 * its number, A >> 12, modulo PF_NOTED_ENTRIES. An access needs no further check if the entry has
 * the page's number, and its bits are set: of an access to the eight bytes of a granule, G = A %
 * 4096 / 8, that is bit G % 8 of byte G / 8 in read_whole (for a read) or written_whole (for a
 * write); of one to fewer bytes, bit A % 8 and so on of byte G in read or written.
 *
 * So it is with a group at A that ends in the same page: the bits of its masks follow upon that of
 * granule G, or upon bit A % 8 of byte G. If it has whole granules, A must be one's address. A
 * group that goes on in the next page has none of them noted. The entry is found by the page of its
 * first byte and compared with that of its last, which is another's if there are two. An access to
 * up to PF_TESTED_BYTES bytes that are whole granules is looked for as a group of these.
 *
 * All bits may be looked at before the number is known to be right, as a word of up to 16 bits from
 * byte G / 8 of the sets, and of up to 64 from byte G of the others: they are in memory, for as
 * many bytes behind as that may take.
 */
#define PF_NOTED_ENTRIES 4096
struct pf_noted_bytes {
  uint8_t read[PF_PAGE_BYTES / 8];
  uint8_t written[PF_PAGE_BYTES / 8];
};
struct pf_noted_page {
  uint64_t number;    /* of the page */
  int64_t to_bytes;   /* how far from here its pf_noted_bytes are, or some that have no bits */
  uint8_t others[48]; /* the runtime's own */
  uint8_t read_whole[PF_PAGE_BYTES / 64];
  uint8_t written_whole[PF_PAGE_BYTES / 64];
};
#define PF_TESTED_BYTES 64
#define PF_NOTED_BEHIND 8 /* so much memory there is behind any pf_noted_bytes */
struct pf_noted {
  struct pf_noted_page pages[PF_NOTED_ENTRIES];
  struct pf_noted_bytes behind; /* for those who look for bytes that are not there */
  uint8_t further[PF_NOTED_BEHIND];
};

/* Memory orders as the entry points take them; the values of the C11 enumeration. */
enum pf_memory_order {
  PF_RELAXED = 0,
  PF_CONSUME = 1,
  PF_ACQUIRE = 2,
  PF_RELEASE = 3,
  PF_ACQ_REL = 4,
  PF_SEQ_CST = 5,
};

/* What an atomic operation turned out to be: a compare-exchange that fails is a load. */
enum pf_atomic_kind { PF_ATOMIC_LOAD = 0, PF_ATOMIC_STORE = 1, PF_ATOMIC_RMW = 2 };

#endif /* PHOTOFINISH_ABI_ABI_H */
