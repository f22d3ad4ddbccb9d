//===- footprint.h - What one thread has touched since it last committed ------===//
//
// A thread notes its accesses in memory that is its own, a bit for every byte read and one for
// every byte written, page by page. A bit that is set already is an access that changes nothing
// (the same-epoch rules); a bit that is newly set has a note of where the access came from
// (shadow/notes.h).
//
// Pages find their entry in a direct-mapped table. Whoever needs an entry that another page has
// commits that page first.
//
//   entry = page % Entries     Tags[entry] == page     Pages[entry].Read[line]: bits of the bytes
//
// Everything here belongs to its thread, or to whoever has stopped it.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_SHADOW_FOOTPRINT_H
#define PHOTOFINISH_SHADOW_FOOTPRINT_H

#include "shadow/notes.h"

namespace photofinish {

/// Some bytes of a page, without a gap.
struct Window {
  uint64_t First, Count;

  /// Those in a line.
  ByteMask bytes(unsigned Line) const {
    uint64_t Start = Line * LineBytes, End = Start + LineBytes;
    uint64_t From = First > Start ? First : Start;
    uint64_t To = First + Count < End ? First + Count : End;
    return From < To ? bytesOf(unsigned(From - Start), unsigned(To - From)) : 0;
  }
  /// The lines that have some, a bit for each.
  uint64_t lines() const {
    uint64_t Last = (First + Count - 1) / LineBytes;
    return ~uint64_t(0) >> (63 - Last) & ~uint64_t(0) << First / LineBytes;
  }
};

/// The bytes of a page that were touched, and where from.
template <unsigned Lines> class PageFootprint {
public:
  using LineMask = uint64_t; // a bit for every line
  static_assert(Lines <= 64);
  static constexpr uint64_t PageBytes = Lines * LineBytes;

  bool isEmpty() const { return !Touched; }
  LineMask touched() const { return Touched; }
  /// The bytes of all lines; a byte for each granule (shadow/lanes.h).
  const ByteMask *allBytes(bool IsWrite) const { return IsWrite ? Written : Read; }
  ByteMask bytes(unsigned Line, bool IsWrite) const { return (IsWrite ? Written : Read)[Line]; }
  bool touches(const Window &W) const {
    for (LineMask Left = W.lines() & Touched; Left; Left &= Left - 1) {
      auto Line = unsigned(std::countr_zero(Left));
      if ((Read[Line] | Written[Line]) & W.bytes(Line))
        return true;
    }
    return false;
  }

  /// Notes an access to bytes of one line.
  void add(unsigned Line, ByteMask Bytes, bool IsWrite, Note N) {
    ByteMask &Known = (IsWrite ? Written : Read)[Line];
    ByteMask New = Bytes & ~Known;
    if (!New)
      return;
    (IsWrite ? Writes : Reads).add(Line, New, N);
    Known |= Bytes;
    Touched |= LineMask(1) << Line;
  }

  /// Where the bytes that were read, or written, were accessed from.
  const Notes<Lines> &notes(bool IsWrite) const { return IsWrite ? Writes : Reads; }

  void clear() {
    for (LineMask Left = Touched; Left; Left &= Left - 1)
      Read[std::countr_zero(Left)] = Written[std::countr_zero(Left)] = 0;
    Touched = 0;
    Reads.clear();
    Writes.clear();
  }
  /// As if some bytes had not been touched.
  void clear(const Window &W) {
    for (LineMask Left = W.lines() & Touched; Left; Left &= Left - 1) {
      auto Line = unsigned(std::countr_zero(Left));
      ByteMask Gone = W.bytes(Line);
      Reads.forget(Line, Gone);
      Writes.forget(Line, Gone);
      Read[Line] &= ~Gone;
      Written[Line] &= ~Gone;
      if (!(Read[Line] | Written[Line]))
        Touched &= ~(LineMask(1) << Line);
    }
  }

private:
  ByteMask Read[Lines] = {}, Written[Lines] = {};
  LineMask Touched = 0;
  Notes<Lines> Reads, Writes;
};

/// All of a thread's. Commit(page number, PageFootprint &, Window) is what becomes of those that
/// must go. There is no page of number None.
template <class Page, unsigned Entries, uint64_t None> class Footprints {
public:
  static constexpr uint64_t PageBytes = Page::PageBytes;

  Footprints() {
    for (uint64_t &Tag : Tags)
      Tag = None;
  }
  Footprints(const Footprints &) = delete;
  Footprints &operator=(const Footprints &) = delete;

  /// An access.
  template <class Fn>
  void add(uint64_t Address, uint64_t Bytes, bool IsWrite, Note N, Fn &&Commit) {
    forEachLine(Address, Bytes, [&](uint64_t Line, ByteMask Here) {
      pageFor(Line / PageBytes, Commit)
          .add(unsigned(Line % PageBytes / LineBytes), Here, IsWrite, N);
    });
  }

  /// Commits everything.
  template <class Fn> void commitAll(Fn &&Commit) {
    // A commit adds nothing: it may report, but that touches no memory of the program's.
    for (uint32_t Entry : Used) {
      commitEntry(Entry, Commit);
      IsUsed[Entry] = false;
    }
    Used.clear();
  }
  /// Commits a range, as far as it has been touched.
  template <class Fn> void commitRange(uint64_t Address, uint64_t Bytes, Fn &&Commit) {
    forEachEntry(Address, Bytes, [&](uint32_t Entry, const Window &W) {
      if (W.Count == PageBytes)
        return commitEntry(Entry, Commit);
      if (!Pages[Entry].touches(W))
        return;
      Commit(Tags[Entry], Pages[Entry], W);
      Pages[Entry].clear(W);
    });
  }

private:
  /// Calls Visit(entry, Window) for every page of a range that is there. Whichever is less is gone
  /// through: the range, or the entries that are used.
  template <class Fn> void forEachEntry(uint64_t Address, uint64_t Bytes, Fn &&Visit) const {
    uint64_t First = Address / PageBytes, Last = (Address + (Bytes - 1)) / PageBytes;
    auto VisitPage = [&](uint32_t Entry, uint64_t Number) {
      uint64_t Start = Number * PageBytes;
      uint64_t From = Address > Start ? Address - Start : 0;
      uint64_t To = Last == Number ? Address + (Bytes - 1) - Start + 1 : PageBytes;
      Visit(Entry, Window{From, To - From});
    };
    if (Last - First < Used.size()) {
      for (uint64_t Number = First; Number <= Last; ++Number)
        if (Tags[Number % Entries] == Number && Number != None)
          VisitPage(uint32_t(Number % Entries), Number);
      return;
    }
    for (uint32_t Entry : Used)
      if (uint64_t Number = Tags[Entry]; Number != None && First <= Number && Number <= Last)
        VisitPage(Entry, Number);
  }

  template <class Fn> Page &pageFor(uint64_t Number, Fn &&Commit) {
    uint32_t Entry = Number % Entries;
    if (Tags[Entry] == Number)
      return Pages[Entry];
    commitEntry(Entry, Commit);
    if (!IsUsed[Entry])
      Used.push(Entry);
    IsUsed[Entry] = true;
    Tags[Entry] = Number;
    return Pages[Entry];
  }
  template <class Fn> void commitEntry(uint32_t Entry, Fn &&Commit) {
    uint64_t Number = Tags[Entry];
    if (Number == None)
      return;
    Tags[Entry] = None;
    Commit(Number, Pages[Entry], Window{0, PageBytes});
    Pages[Entry].clear();
  }

  uint64_t Tags[Entries]; // page numbers
  Page Pages[Entries];
  bool IsUsed[Entries] = {};
  Array<uint32_t> Used; // entries that have had a page since everything was last committed
};

} // namespace photofinish

#endif // PHOTOFINISH_SHADOW_FOOTPRINT_H
