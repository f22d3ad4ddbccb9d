//===- page_records.h - Where past accesses to a page came from ---------------===//
//
// For every epoch that the classes of a page mention, where the bytes that were read, or written,
// at that epoch were accessed from. A record is made of the notes of the footprint that was
// committed (shadow/notes.h), in a form that takes little room, because it stays.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_SHADOW_PAGE_RECORDS_H
#define PHOTOFINISH_SHADOW_PAGE_RECORDS_H

#include "shadow/footprint.h"
#include "shadow/lanes.h"

namespace photofinish {

template <unsigned Lines> class PageRecords {
  static constexpr unsigned NumGranules = Lines * LineGranules;

public:
  /// All bytes come from Main, but for granules that another place has, but for what is listed: of
  /// several entries for a byte the last one counts.
  struct Record {
    struct Place {
      Note N;
      uint32_t Granules[NumGranules / Lanes::Count]; // a bit for each
    };
    struct Entry {
      Note N;
      uint16_t Granule;
      uint8_t Bytes;
    };
    Note Main = 0;
    Array<Place> Places;
    Array<Entry> Entries;

    Note noteOf(unsigned Granule, unsigned Byte) const {
      for (uint32_t I = Entries.size(); I--;)
        if (Entries[I].Granule == Granule && Entries[I].Bytes >> Byte & 1)
          return Entries[I].N;
      for (const Place &P : Places)
        if (P.Granules[Granule / Lanes::Count] >> Granule % Lanes::Count & 1)
          return P.N;
      return Main;
    }
    /// May bytes of the granule have different notes?
    bool isSplit(unsigned Granule) const {
      for (const Entry &E : Entries)
        if (E.Granule == Granule)
          return true;
      return false;
    }
    bool isUniform() const { return Places.empty() && Entries.empty(); }
    /// Bytes of a granule come from N, wherever they came from before.
    void add(unsigned Granule, uint8_t Bytes, Note N) {
      if (N == Main && isUniform())
        return;
      if (Entries.size() == MaxEntries)
        compact();
      Entries.push({N, uint16_t(Granule), Bytes});
    }

  private:
    /// Every byte has one entry that counts.
    static constexpr uint32_t MaxEntries = 2 * Lines * LineBytes;

    /// Only entries that count are left.
    void compact() {
      uint8_t Seen[NumGranules] = {};
      for (uint32_t I = Entries.size(); I--;) {
        Entry &E = Entries[I];
        E.Bytes &= uint8_t(~Seen[E.Granule]);
        Seen[E.Granule] |= E.Bytes;
      }
      uint32_t Kept = 0;
      for (const Entry &E : Entries)
        if (E.Bytes)
          Entries[Kept++] = E;
      while (Entries.size() > Kept)
        Entries.pop();
    }
  };

  const Record *find(Epoch E, bool IsWrite) const {
    const Array<Epoch> &At = RecordedAt[IsWrite];
    for (uint32_t I = At.size(); I--;)
      if (At[I] == E)
        return &Records[IsWrite][I];
    return nullptr;
  }
  Record *find(Epoch E, bool IsWrite) {
    return const_cast<Record *>(static_cast<const PageRecords *>(this)->find(E, IsWrite));
  }

  /// A new record.
  Record &add(Epoch E, bool IsWrite, Note Main) {
    RecordedAt[IsWrite].push(E);
    Records[IsWrite].push({});
    Records[IsWrite].back().Main = Main;
    return Records[IsWrite].back();
  }
  /// A new record with all the notes of a footprint.
  Record &add(Epoch E, bool IsWrite, const PageFootprint<Lines> &F) {
    const Notes<Lines> &From = F.notes(IsWrite);
    Record &R = add(E, IsWrite, From.main());
    From.forEachPlace([&](Note N, const ByteMask *Bytes) {
      typename Record::Place &P = R.Places.push({N, {}});
      for (unsigned First = 0; First < NumGranules; First += Lanes::Count) {
        Lanes Here = Lanes::load(&Bytes[First / LineGranules]);
        Lanes All = Lanes::load(&F.allBytes(IsWrite)[First / LineGranules]);
        uint32_t Some = ~(Here == 0).bits(), Whole = Here.equals(All).bits();
        P.Granules[First / Lanes::Count] = Some & Whole;
        // Granules that have bytes from elsewhere, too.
        for (uint32_t Left = Some & ~Whole; Left; Left &= Left - 1)
          addGranule(R, F, IsWrite, First + unsigned(std::countr_zero(Left)));
      }
    });
    From.forEachOther([&](unsigned Line, ByteMask Bytes, Note N) {
      forEachGranuleOf(Bytes,
                       [&](unsigned G, uint8_t Mask) { R.add(Line * LineGranules + G, Mask, N); });
    });
    return R;
  }

  uint32_t size() const { return Records[0].size() + Records[1].size(); }

  /// When they may be many, forgets the records that nobody mentions any more.
  /// ForEachMention(Visit(epoch, whether of a write)).
  template <class Fn> void prune(Fn &&ForEachMention) {
    if (Records[0].size() < PruneAt[0] && Records[1].size() < PruneAt[1])
      return;
    Array<bool> IsMentioned[2];
    for (bool IsWrite : {false, true})
      IsMentioned[IsWrite].growTo(Records[IsWrite].size());
    ForEachMention([&](Epoch E, bool IsWrite) {
      IsMentioned[IsWrite][uint32_t(find(E, IsWrite) - Records[IsWrite].begin())] = true;
    });
    for (bool IsWrite : {false, true}) {
      for (uint32_t I = Records[IsWrite].size(); I--;)
        if (!IsMentioned[IsWrite][I]) {
          RecordedAt[IsWrite].removeUnordered(I);
          Records[IsWrite].removeUnordered(I);
        }
      PruneAt[IsWrite] = Records[IsWrite].size() * 2 + MinRecords;
    }
  }

private:
  static constexpr uint32_t MinRecords = 4;

  static void addGranule(Record &R, const PageFootprint<Lines> &F, bool IsWrite, unsigned G) {
    unsigned Line = G / LineGranules, Shift = G % LineGranules * GranuleBytes;
    F.notes(IsWrite).forEachNote(Line, F.bytes(Line, IsWrite) & bytesOf(Shift, GranuleBytes),
                                 [&](ByteMask Of, Note N) { R.add(G, uint8_t(Of >> Shift), N); });
  }

  Array<Epoch> RecordedAt[2]; // reads, and writes
  Array<Record> Records[2];   // of those epochs
  uint32_t PruneAt[2] = {MinRecords, MinRecords};
};

} // namespace photofinish

#endif // PHOTOFINISH_SHADOW_PAGE_RECORDS_H
