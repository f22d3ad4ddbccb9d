//===- notes.h - Where the accesses to a page came from -----------------------===//
//
// Every byte that was read, or written, has a note of where from. Most often all of a page's bytes
// were accessed from one place, which is kept once. Each of a few further places has the set of its
// bytes. Where that is not enough, lines have a note for each granule, and what differs within
// granules is listed.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_SHADOW_NOTES_H
#define PHOTOFINISH_SHADOW_NOTES_H

#include "detector/array.h"
#include "detector/cell.h"
#include "shadow/line.h"

namespace photofinish {

/// The notes of some bytes of a page of so many lines; about bytes that were not added they say
/// nothing.
template <unsigned Lines> class Notes {
public:
  Notes() = default;
  Notes(const Notes &) = delete;
  Notes &operator=(const Notes &) = delete;
  ~Notes() {
    if (!Rest)
      return;
    Rest->~Table();
    host::release(Rest, sizeof(Table));
  }

  /// Bytes of a line that have no note yet get one.
  void add(unsigned Line, ByteMask Bytes, Note N) {
    if (!HasMain) {
      HasMain = true;
      Main = N;
    }
    if (N == Main)
      return;
    for (Place &P : Places)
      if (P.N == N) {
        P.Bytes[Line] |= Bytes;
        return;
      }
    addElsewhere(Line, Bytes, N);
  }
  /// The bytes may be added again.
  void forget(unsigned Line, ByteMask Bytes) {
    for (Place &P : Places)
      P.Bytes[Line] &= ~Bytes;
    if (Rest)
      Rest->forget(Line, Bytes);
  }
  void clear() {
    HasMain = false;
    Places.clear();
    if (Rest)
      Rest->clear();
  }

  /// Where all bytes come from that no other place has.
  Note main() const { return Main; }
  bool isUniform() const { return Places.empty(); }
  /// Calls Visit(Note, bytes of all lines) for the few places.
  template <class Fn> void forEachPlace(Fn &&Visit) const {
    for (const Place &P : Places)
      Visit(P.N, P.Bytes);
  }
  /// Calls Visit(line, bytes, Note) for all that comes from elsewhere.
  template <class Fn> void forEachOther(Fn &&Visit) const {
    for (unsigned Line = 0; Rest && Line < Lines; ++Line)
      Rest->forEachNote(Line, ~ByteMask(0), [&](ByteMask Bytes, Note N) { Visit(Line, Bytes, N); });
  }
  /// Calls Visit(bytes, Note) for bytes of a line, which have been added, by their notes.
  template <class Fn> void forEachNote(unsigned Line, ByteMask Bytes, Fn &&Visit) const {
    auto Take = [&](ByteMask Some, Note N) {
      if (ByteMask Here = Some & Bytes) {
        Visit(Here, N);
        Bytes &= ~Here;
      }
    };
    for (const Place &P : Places)
      Take(P.Bytes[Line], P.N);
    if (Rest)
      Rest->forEachNote(Line, Bytes, Take);
    Take(Bytes, Main);
  }
  Note noteOf(unsigned Line, unsigned Byte) const {
    Note N = 0;
    forEachNote(Line, ByteMask(1) << Byte, [&](ByteMask, Note Found) { N = Found; });
    return N;
  }

private:
  static constexpr uint32_t MaxPlaces = 2;
  struct Place {
    Note N;
    ByteMask Bytes[Lines];
  };
  /// By line and granule.
  class Table {
  public:
    void add(unsigned Line, ByteMask Bytes, Note N) {
      if (!IndexOf[Line]) {
        LineNotes.push({});
        IndexOf[Line] = uint8_t(LineNotes.size());
      }
      OfLine &L = LineNotes[IndexOf[Line] - 1u];
      forEachGranuleOf(Bytes, [&](unsigned G, uint8_t Mask) {
        if (!granuleOf(L.Bytes, G))
          L.Of[G] = N;
        else if (L.Of[G] != N)
          Parts.push({ByteMask(Mask) << G * GranuleBytes, N, uint8_t(Line)});
      });
      L.Bytes |= Bytes;
    }
    void forget(unsigned Line, ByteMask Bytes) {
      if (!IndexOf[Line])
        return;
      LineNotes[IndexOf[Line] - 1u].Bytes &= ~Bytes;
      for (uint32_t I = 0; I < Parts.size();) {
        if (Parts[I].Line == Line)
          Parts[I].Bytes &= ~Bytes;
        if (Parts[I].Bytes)
          ++I;
        else
          Parts.removeUnordered(I);
      }
    }
    template <class Fn> void forEachNote(unsigned Line, ByteMask Bytes, Fn &&Visit) const {
      if (!IndexOf[Line])
        return;
      const OfLine &L = LineNotes[IndexOf[Line] - 1u];
      Bytes &= L.Bytes;
      for (const Part &P : Parts)
        if (ByteMask Here = P.Bytes & Bytes; Here && P.Line == Line) {
          Visit(Here, P.N);
          Bytes &= ~Here;
        }
      forEachGranuleOf(Bytes, [&](unsigned G, uint8_t Mask) {
        Visit(ByteMask(Mask) << G * GranuleBytes, L.Of[G]);
      });
    }
    void clear() {
      if (LineNotes.empty())
        return;
      std::memset(IndexOf, 0, sizeof(IndexOf));
      LineNotes.clear();
      Parts.clear();
    }

  private:
    struct OfLine {
      ByteMask Bytes;
      Note Of[LineGranules];
    };
    struct Part {
      ByteMask Bytes;
      Note N;
      uint8_t Line;
    };
    uint8_t IndexOf[Lines] = {}; // in LineNotes, + 1
    Array<OfLine> LineNotes;
    Array<Part> Parts;
  };

  __attribute__((noinline)) void addElsewhere(unsigned Line, ByteMask Bytes, Note N) {
    if (Places.size() < MaxPlaces) {
      Places.push({N, {}}).Bytes[Line] = Bytes;
      return;
    }
    if (!Rest)
      Rest = new (host::allocate(sizeof(Table))) Table();
    Rest->add(Line, Bytes, N);
  }

  Note Main = 0;
  bool HasMain = false;
  Array<Place> Places;
  Table *Rest = nullptr;
};

} // namespace photofinish

#endif // PHOTOFINISH_SHADOW_NOTES_H
