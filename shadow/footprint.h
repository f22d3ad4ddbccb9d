//===- footprint.h - What one thread has touched since it last committed ------===//
//
// A thread notes its accesses in memory that is its own, a bit for every byte read and one for
// every byte written, page by page. A bit that is set already is an access that changes nothing
// (the same-epoch rules); a bit that is newly set has a note of where the access came from: most
// often all of a page's accesses of one kind come from one place, which is noted once; what comes
// from elsewhere is listed.
//
// Pages find their entry in a direct-mapped table. Whoever needs an entry that another page has
// commits that page first.
//
//   entry = page % Entries     Tags[entry] == page     Pages[entry]: its bits
//
// Everything here belongs to its thread, or to whoever has stopped it.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_SHADOW_FOOTPRINT_H
#define PHOTOFINISH_SHADOW_FOOTPRINT_H

#include "detector/array.h"
#include "detector/cell.h"
#include "shadow/line_set.h"

namespace photofinish {

/// The bytes of a page that were touched, and where from.
template <unsigned Lines> class PageFootprint {
public:
  using LineMask = uint64_t; // a bit for every line
  static_assert(Lines <= 64);
  static constexpr uint64_t PageBytes = Lines * LineBytes;

  LineMask touched() const { return Touched; }
  ByteMask bytes(unsigned Line, bool IsWrite) const { return (IsWrite ? Written : Read)[Line]; }

  /// Notes an access to bytes of one line.
  void add(unsigned Line, ByteMask Bytes, bool IsWrite, Note N) {
    ByteMask &Known = (IsWrite ? Written : Read)[Line];
    ByteMask New = Bytes & ~Known;
    if (!New)
      return;
    Known |= Bytes;
    Touched |= LineMask(1) << Line;
    Origins &From = IsWrite ? Writes : Reads;
    if (!From.IsKnown) {
      From.IsKnown = true;
      From.Main = N;
    } else if (From.Main != N) {
      addOther(Line, New, IsWrite, N);
    }
  }

  /// Where all accesses of a kind came from, but for the others.
  Note mainNote(bool IsWrite) const { return IsWrite ? Writes.Main : Reads.Main; }
  /// Calls Visit(line, bytes, Note) for the others of a kind.
  template <class Fn> void forEachOther(bool IsWrite, Fn &&Visit) const {
    for (const Other &O : Others)
      if (O.IsWrite == IsWrite)
        Visit(unsigned(O.Line), O.Bytes, O.N);
  }
  /// Calls Visit(bytes, Note) for some touched bytes of a line, by where they were touched from.
  template <class Fn>
  void forEachNote(unsigned Line, ByteMask Bytes, bool IsWrite, Fn &&Visit) const {
    for (const Other &O : Others)
      if (ByteMask Here = O.Bytes & Bytes; Here && O.Line == Line && O.IsWrite == IsWrite) {
        Visit(Here, O.N);
        Bytes &= ~Here;
      }
    if (Bytes)
      Visit(Bytes, mainNote(IsWrite));
  }

  void clear() {
    for (LineMask Left = Touched; Left; Left &= Left - 1)
      Read[std::countr_zero(Left)] = Written[std::countr_zero(Left)] = 0;
    Touched = 0;
    Reads = Writes = {};
    Others.clear();
  }

private:
  struct Origins {
    Note Main = 0;
    bool IsKnown = false;
  };
  struct Other {
    ByteMask Bytes;
    Note N;
    uint8_t Line;
    bool IsWrite;
  };

  void addOther(unsigned Line, ByteMask Bytes, bool IsWrite, Note N) {
    // A loop over a line comes from where the last one came from.
    if (!Others.empty()) {
      Other &Last = Others.back();
      if (Last.Line == Line && Last.N == N && Last.IsWrite == IsWrite) {
        Last.Bytes |= Bytes;
        return;
      }
    }
    Others.push({Bytes, N, uint8_t(Line), IsWrite});
  }

  ByteMask Read[Lines] = {}, Written[Lines] = {};
  LineMask Touched = 0;
  Origins Reads, Writes;
  Array<Other> Others;
};

/// All of a thread's. Commit(page number, PageFootprint &) is what becomes of those that must go.
/// There is no page of number None.
template <class Page, unsigned Entries, uint64_t None> class Footprints {
public:
  static constexpr uint64_t PageBytes = Page::PageBytes;

  Footprints() {
    for (uint64_t &Tag : Tags)
      Tag = None;
  }

  /// An access.
  template <class Fn>
  void add(uint64_t Address, uint64_t Bytes, bool IsWrite, Note N, Fn &&Commit) {
    while (Bytes) {
      auto First = unsigned(Address % LineBytes);
      auto Here = unsigned(Bytes < LineBytes - First ? Bytes : LineBytes - First);
      pageFor(Address / PageBytes, Commit)
          .add(unsigned(Address % PageBytes / LineBytes), bytesOf(First, Here), IsWrite, N);
      Address += Here;
      Bytes -= Here;
    }
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
  /// Commits the pages of a range, as far as they are there.
  template <class Fn> void commitRange(uint64_t Address, uint64_t Bytes, Fn &&Commit) {
    if (Used.empty())
      return;
    uint64_t First = Address / PageBytes, Last = (Address + (Bytes - 1)) / PageBytes;
    if (Last - First < Used.size()) { // whichever is less: the range or what is pending
      for (uint64_t Number = First; Number <= Last; ++Number)
        if (Tags[Number % Entries] == Number)
          commitEntry(Number % Entries, Commit);
      return;
    }
    for (uint32_t Entry : Used)
      if (uint64_t Number = Tags[Entry]; Number != None && First <= Number && Number <= Last)
        commitEntry(Entry, Commit);
  }

private:
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
    Commit(Number, Pages[Entry]);
    Pages[Entry].clear();
  }

  uint64_t Tags[Entries]; // page numbers
  bool IsUsed[Entries] = {};
  Array<uint32_t> Used; // entries that have had a page since everything was last committed
  Page Pages[Entries];
};

} // namespace photofinish

#endif // PHOTOFINISH_SHADOW_FOOTPRINT_H
