//===- footprint.h - What one thread has touched in its epoch ------------------===//
//
// A thread notes its accesses in memory that is its own, a bit for every byte read and one for
// every byte written, page by page. A bit that is set already is an access that changes nothing
// (the same-epoch rules), and so is a read of what the thread has written in this epoch: whoever
// races with it races with the write. What is newly set is *pending* until the thread commits it: a
// list of runs, each from one place, which grow as a sweep goes on.
//
//   page   Read[line]     ....xxxxxxxx............      runs   read  a[i].x  16 + 24 n, n < 40
//          Written[line]  xxxx....................             wrote b[i]    0 .. 4096
//
// Bits live as long as the epoch; runs until the next commit, which comes before the thread's
// clock changes, or others have to know. What is pending has its bits set: touches() is enough to
// know whether a thread has anything pending on a range.
//
// Pages find their entry in a direct-mapped table. Whoever needs an entry that another page has
// commits, and that page's bits go: all that is lost is that they were known.
//
// Everything here belongs to its thread, or to whoever has stopped it; but for touches().
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_SHADOW_FOOTPRINT_H
#define PHOTOFINISH_SHADOW_FOOTPRINT_H

#include "detector/array.h"
#include "shadow/elements.h"

#include <cstddef>

namespace photofinish {

/// Accesses that come from places, each by one. A place can be compared, and has a hash().
template <class Place, unsigned MaxRuns = 512> class Runs {
public:
  struct Run {
    Elements E;
    bool IsWrite;
    Place P;
    uint64_t Next; // E.next()
  };

  bool isEmpty() const { return All.empty(); }
  bool isFull() const { return All.size() == MaxRuns; }

  /// Bytes that are not pending yet. There must be room.
  __attribute__((always_inline)) void add(uint64_t Address, uint32_t Bytes, bool IsWrite,
                                          const Place &P) {
    // The run of the place that grew last, or one that is there instead. Most often it grows again.
    uint16_t &Open = openOf(IsWrite, P);
    if (Open < All.size())
      if (Run &R = All[Open]; R.P == P && R.IsWrite == IsWrite) {
        if (R.Next == Address && R.E.Size == Bytes) {
          ++R.E.Count;
          R.Next += R.E.Stride;
          return;
        }
        if (R.E.extend(Address, Bytes)) {
          R.Next = R.E.next();
          return;
        }
      }
    begin(Open, Elements::range(Address, Bytes), IsWrite, P);
  }
  void add(const Elements &E, bool IsWrite, const Place &P) {
    if (E.Count == 1)
      return add(E.First, E.Size, IsWrite, P);
    uint16_t &Open = openOf(IsWrite, P);
    if (Open < All.size())
      if (Run &R = All[Open]; R.P == P && R.IsWrite == IsWrite && R.Next == E.First &&
                              R.E.Size == E.Size && R.E.Stride == E.Stride &&
                              R.E.Count <= UINT32_MAX - E.Count) {
        R.E.Count += E.Count;
        R.Next = R.E.next();
        return;
      }
    begin(Open, E, IsWrite, P);
  }
  template <class Fn> void forEach(Fn &&Visit) const {
    for (const Run &R : All)
      Visit(R);
  }
  void clear() { All.clear(); }

private:
  static constexpr unsigned MaxOpen = 64;
  static_assert(MaxRuns < UINT16_MAX);

  uint16_t &openOf(bool IsWrite, const Place &P) {
    return OpenOf[(P.hash() * 2 + IsWrite) % MaxOpen];
  }
  void begin(uint16_t &Open, const Elements &E, bool IsWrite, const Place &P) {
    Open = uint16_t(All.size());
    All.push({E, IsWrite, P, E.next()});
  }

  Array<Run> All;
  uint16_t OpenOf[MaxOpen] = {}; // by place; stale ones do no harm
};

/// The bytes of a page that were touched.
template <unsigned Lines> struct alignas(64) PageFootprint {
  using LineMask = uint64_t; // a bit for every line
  static_assert(Lines <= 64);
  static constexpr uint64_t PageBytes = Lines * LineBytes;

  ByteMask Read[Lines] = {}, Written[Lines] = {};
  LineMask Touched = 0;

  /// The bytes of a line for which another access of the kind changes nothing.
  ByteMask known(unsigned Line, bool IsWrite) const {
    return IsWrite ? Written[Line] : Read[Line] | Written[Line];
  }
  /// Those bytes of a line that were not known.
  ByteMask add(unsigned Line, ByteMask Bytes, bool IsWrite) {
    ByteMask New = Bytes & ~known(Line, IsWrite);
    (IsWrite ? Written : Read)[Line] |= Bytes;
    Touched |= LineMask(1) << Line;
    return New;
  }
  bool touches(unsigned Line, ByteMask Bytes) const { return (Read[Line] | Written[Line]) & Bytes; }
  void forget(unsigned Line, ByteMask Bytes) {
    Read[Line] &= ~Bytes;
    Written[Line] &= ~Bytes;
  }
  void clear() {
    for (LineMask Left = Touched; Left; Left &= Left - 1)
      Read[std::countr_zero(Left)] = Written[std::countr_zero(Left)] = 0;
    Touched = 0;
  }
};

/// All of a thread's. There is no page of number None; where that is 0, zeroed memory is a
/// Footprints: it costs what is used of it.
template <class Page, unsigned Entries, uint64_t None> class Footprints {
public:
  static constexpr uint64_t PageBytes = Page::PageBytes;

  Footprints() {
    for (uint64_t &Tag : Tags)
      Tag = None;
  }
  Footprints(const Footprints &) = delete;
  Footprints &operator=(const Footprints &) = delete;

  static constexpr size_t pagesOffset() { return offsetof(Footprints, Pages); }

  /// The page's, if it is there.
  Page *find(uint64_t Number) {
    return Tags[Number % Entries] == Number ? &Pages[Number % Entries] : nullptr;
  }

  /// Notes accesses to elements. OnNew(Elements) is told of what was not known, page by page;
  /// OnEvicted() comes before another page's bits go.
  template <class NewFn, class EvictFn>
  void add(const Elements &E, bool IsWrite, NewFn &&OnNew, EvictFn &&OnEvicted) {
    E.template forEachPage<PageBytes>(adding(IsWrite, OnNew, OnEvicted));
  }
  /// The same for a range of any length.
  template <class NewFn, class EvictFn>
  void add(uint64_t Address, uint64_t Bytes, bool IsWrite, NewFn &&OnNew, EvictFn &&OnEvicted) {
    Elements::forEachPageOf<PageBytes>(Address, Bytes, adding(IsWrite, OnNew, OnEvicted));
  }

  /// Has a byte of the range been touched? For others than the thread, too: then the answer is
  /// about some moment.
  bool touches(uint64_t Address, uint64_t Bytes) const {
    bool Touches = false;
    forEachPageOf(*this, Address, Bytes, [&](const Page &P, unsigned Line, ByteMask Here) {
      Touches |= P.touches(Line, Here);
    });
    return Touches;
  }
  /// As if the range had not been touched.
  void forget(uint64_t Address, uint64_t Bytes) {
    forEachPageOf(*this, Address, Bytes,
                  [&](Page &P, unsigned Line, ByteMask Here) { P.forget(Line, Here); });
  }
  void clear() {
    for (uint32_t Entry : Used) {
      Pages[Entry].clear();
      IsUsed[Entry] = false;
    }
    Used.clear();
  }

private:
  template <class NewFn, class EvictFn>
  auto adding(bool IsWrite, NewFn &OnNew, EvictFn &OnEvicted) {
    return [this, IsWrite, &OnNew, &OnEvicted](uint64_t Number, const Elements &E) {
      Page &P = pageFor(Number, OnEvicted);
      uint64_t Start = Number * PageBytes;
      ByteMask Known = 0;
      E.forEachLine([&](uint64_t At, ByteMask Bytes) {
        Known |= P.known(unsigned(At / LineBytes), IsWrite) & Bytes;
      });
      E.forEachLine([&](uint64_t At, ByteMask Bytes) {
        ByteMask New = P.add(unsigned(At / LineBytes), Bytes, IsWrite);
        if (Known) // in part: what is new goes run by run
          forEachRun(New, [&](unsigned First, unsigned Count) {
            OnNew(Elements::range(Start + At + First, Count));
          });
      });
      if (!Known)
        OnNew(Elements{Start + E.First, E.Size, E.Stride, E.Count});
    };
  }

  /// Calls Visit(page, line, bytes) for the lines of a range that are touched. Whichever is less is
  /// gone through: the range, or the table.
  template <class Self, class Fn>
  static void forEachPageOf(Self &S, uint64_t Address, uint64_t Bytes, Fn &&Visit) {
    if (!Bytes)
      return;
    uint64_t First = Address / PageBytes, Last = (Address + (Bytes - 1)) / PageBytes;
    auto VisitPage = [&](uint64_t Number) {
      auto &P = S.Pages[Number % Entries];
      uint64_t Start = Number * PageBytes;
      uint64_t From = Address > Start ? Address - Start : 0;
      uint64_t To = Last == Number ? Address + (Bytes - 1) - Start + 1 : PageBytes;
      forEachLine(From, To - From, [&](uint64_t At, ByteMask Here) {
        if (auto Line = unsigned(At / LineBytes); P.Touched >> Line & 1)
          Visit(P, Line, Here);
      });
    };
    if (Last - First < Entries) {
      for (uint64_t Number = First; Number <= Last; ++Number)
        if (S.Tags[Number % Entries] == Number && Number != None)
          VisitPage(Number);
      return;
    }
    for (uint32_t Entry = 0; Entry < Entries; ++Entry)
      if (uint64_t Number = S.Tags[Entry]; Number != None && First <= Number && Number <= Last)
        VisitPage(Number);
  }

  template <class EvictFn> Page &pageFor(uint64_t Number, EvictFn &&OnEvicted) {
    uint32_t Entry = Number % Entries;
    if (Tags[Entry] != Number) {
      if (Tags[Entry] != None && Pages[Entry].Touched) {
        OnEvicted();
        Pages[Entry].clear();
      }
      Tags[Entry] = Number;
    }
    if (!IsUsed[Entry])
      Used.push(Entry);
    IsUsed[Entry] = true;
    return Pages[Entry];
  }

  // Inlined checks look at the first two (abi.h).
  uint64_t Tags[Entries]; // page numbers
  Page Pages[Entries];
  bool IsUsed[Entries] = {};
  Array<uint32_t> Used; // entries that may have bits
};

} // namespace photofinish

#endif // PHOTOFINISH_SHADOW_FOOTPRINT_H
