//===- footprint.h - What one thread has touched in its epoch ------------------===//
//
// A thread notes its accesses in memory that is its own, page by page: a bit for every granule
// that it has read or written as a whole, and for accesses to less, a bit for every byte. A bit
// that is set already is an access that changes nothing (the same-epoch rules), and so is a read of
// what the thread has written in this epoch: whoever races with it races with the write. What is
// newly set is *pending* until the thread commits it: a list of runs, each from one place, which
// grow as a sweep goes on.
//
//   page   ReadWhole      ....xxxxxxxx............      runs   read  a[i].x  16 + 24 n, n < 40
//          WrittenWhole   xxxx....................             wrote b[i]    0 .. 4096
//
// Bits live as long as the epoch; runs until the next commit, which comes before the thread's
// clock changes, or others have to know. What is pending has its bits set: touches() is enough to
// know whether a thread has anything pending on a range.
//
// Where memory has no order that runs could follow, what is new is pending as it came: *singles*, a
// list. Memory that its thread frees need not wait for them: once its bits are gone, so are they. A
// byte has its bit from one single, or is in another life: so from the last one on, the first that
// has a byte is the one that its bit is about.
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
#include "shadow/granule_set.h"

#include <algorithm>
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
  PF_INLINE void add(uint64_t Address, uint32_t Bytes, bool IsWrite, const Place &P) {
    if (!extend(Address, Bytes, IsWrite, P))
      begin(openOf(IsWrite, P), Elements::range(Address, Bytes), IsWrite, P);
  }
  /// The same, if a run can grow by them; false if not.
  PF_INLINE bool extend(uint64_t Address, uint32_t Bytes, bool IsWrite, const Place &P) {
    // The run of the place that grew last, or one that is there instead. Most often it grows again.
    uint16_t Open = openOf(IsWrite, P);
    if (Open >= All.size())
      return false;
    Run &R = All[Open];
    if (R.P != P || R.IsWrite != IsWrite)
      return false;
    if (R.Next == Address && R.E.Size == Bytes) {
      ++R.E.Count;
      R.Next += R.E.Stride;
      return true;
    }
    if (!R.E.extend(Address, Bytes))
      return false;
    R.Next = R.E.next();
    return true;
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

/// What was touched of a page: whole granules, as sets; and bytes of others. A read is known if the
/// bytes were written, too. Bytes that are touched one by one do not make a granule whole: that is
/// forgotten knowledge, and does no harm.
template <unsigned Lines> struct alignas(64) PageFootprint {
  static constexpr uint64_t PageBytes = Lines * LineBytes;
  static constexpr unsigned NumGranules = PageBytes / GranuleBytes;
  using Set = GranuleSet<NumGranules>;
  static_assert(Lines <= 64);

  /// Bytes of granules that were touched in part, a bit for each: apart, because most pages have
  /// none.
  struct Bytes {
    uint8_t Read[NumGranules], Written[NumGranules];
  };

  // Inlined checks look at these (abi.h), and at the bytes.
  uint64_t Number = 0;             ///< the page's
  intptr_t ToInPart = toNothing(); ///< how far from here its Bytes are, or some that have no bits

  /// For PendingAccesses, of reads and of writes: the place that last began anew here, and its set.
  struct Scatter {
    uint64_t In; // when there was one
    uint16_t Set, Last;
  };
  Scatter Scattered[2] = {};

  uint64_t LinesOfBytes = 0;   ///< that have bits there
  bool IsTouched = false;      ///< since the epoch began
  bool IsListed : 1 = false;   ///< among those that may be
  bool KeepsBytes : 1 = false; ///< when it is cleared
  uint16_t SingleIn = 0;  ///< for PendingAccesses: when it last had a single, as far as it fits,
  uint32_t PendingIn = 0; ///< and when a run or a set
  // These, too.
  alignas(64) Set ReadWhole;
  alignas(64) Set WrittenWhole;

  /// So many bytes are gone through granule by granule: a set takes longer.
  static constexpr unsigned Few = 128;
  /// Calls Visit(offset, bytes) for the granules of a range.
  template <class Fn>
  PF_INLINE static void forEachGranule(unsigned Offset, unsigned Bytes, Fn &&Visit) {
    for (unsigned End = Offset + Bytes; Offset < End;) {
      unsigned Here = GranuleBytes - Offset % GranuleBytes;
      Here = Here < End - Offset ? Here : End - Offset;
      Visit(Offset, Here);
      Offset += Here;
    }
  }

  /// What zeroed memory lacks to be one.
  void prepare() {
    if (!ToInPart)
      ToInPart = toNothing();
  }
  /// It goes.
  void dropBytes() {
    prepare();
    if (ownsBytes())
      host::release(inPart(), sizeof(Bytes));
    ToInPart = toNothing();
    KeepsBytes = false;
  }
  bool ownsBytes() const { return ToInPart != toNothing(); }

  /// Are the bits of the bytes set that inlined checks look for? Of one granule, or of two that
  /// begin at an even one.
  PF_INLINE bool has(unsigned Offset, unsigned Bytes, bool IsWrite) const {
    unsigned G = Offset / GranuleBytes;
    if (Bytes >= GranuleBytes)
      return !(bitsOf(G, Bytes) & ~(IsWrite ? WrittenWhole : ReadWhole).word(G / 64));
    return !(maskOf(Offset, Bytes) & ~(IsWrite ? inPart()->Written : inPart()->Read)[G]);
  }
  /// The same of many accesses to neighbouring bytes: Group says which bits (abi.h).
  template <class Group> PF_INLINE bool hasAll(unsigned Offset, const Group &G) const {
    unsigned First = Offset / GranuleBytes, Shift = Offset % GranuleBytes;
    if (G.read_whole | G.written_whole) {
      if (Shift)
        return false;
      auto Misses = [&](const Set &Some, uint8_t Wanted) {
        uint64_t Bits = Some.word(First / 64) >> First % 64;
        if (First % 64 > 56)
          Bits |= Some.word(First / 64 + 1) << (64 - First % 64);
        return Wanted & ~Bits;
      };
      if (Misses(ReadWhole, G.read_whole) | Misses(WrittenWhole, G.written_whole))
        return false;
    }
    if (!(G.read | G.written))
      return true;
    if (!LinesOfBytes)
      return false;
    auto Misses = [&](const uint8_t *From, uint64_t Wanted) {
      uint64_t Bits;
      __builtin_memcpy(&Bits, From + First, sizeof(Bits));
      return (Wanted << Shift) & ~Bits;
    };
    return !(Misses(inPart()->Read, G.read) | Misses(inPart()->Written, G.written));
  }
  /// Are the bytes known, one way or another?
  PF_INLINE bool knows(unsigned Offset, unsigned Bytes, bool IsWrite) const {
    unsigned G = Offset / GranuleBytes;
    uint64_t Whole = WrittenWhole.word(G / 64) | (IsWrite ? 0 : ReadWhole.word(G / 64));
    if (!(bitsOf(G, Bytes) & ~Whole))
      return true;
    return Bytes < GranuleBytes && !(maskOf(Offset, Bytes) & ~bytes(G, IsWrite));
  }
  /// The same of any number of bytes of the page.
  bool knowsAll(unsigned Offset, unsigned Bytes, bool IsWrite) const {
    for (unsigned At = Offset, End = Offset + Bytes; At < End;) {
      // As many whole granules as there are in a word, or some bytes of one.
      unsigned G = At / GranuleBytes, ToEndOfWord = (64 - G % 64) * GranuleBytes;
      if (unsigned Here = std::min(End - At, ToEndOfWord) / GranuleBytes;
          Here && At % GranuleBytes == 0) {
        uint64_t Wanted = ~uint64_t(0) >> (64 - Here) << G % 64;
        uint64_t Known = WrittenWhole.word(G / 64) | (IsWrite ? 0 : ReadWhole.word(G / 64));
        if ((Wanted & ~Known) == 0) {
          At += Here * GranuleBytes;
          continue;
        }
      }
      unsigned Next = std::min(End, (G + 1) * GranuleBytes);
      if (!knows(At, Next - At, IsWrite))
        return false;
      At = Next;
    }
    return true;
  }
  /// They are known from now on, and inlined checks find them: reads of what was written, too.
  PF_INLINE void add(unsigned Offset, unsigned Bytes, bool IsWrite) {
    unsigned G = Offset / GranuleBytes;
    IsTouched = true;
    if (Bytes >= GranuleBytes)
      addWhole(G / 64, bitsOf(G, Bytes), IsWrite);
    else
      addBytes(G, maskOf(Offset, Bytes), IsWrite);
  }
  /// The bytes are known otherwise than inlined checks look for them: from now on they find them,
  /// and all others that are known with them.
  PF_INLINE void show(unsigned Offset, unsigned Bytes, bool IsWrite) {
    unsigned G = Offset / GranuleBytes;
    if (Bytes >= GranuleBytes)
      return;
    bool IsWhole = WrittenWhole.contains(G);
    addBytes(G, IsWhole || (!IsWrite && ReadWhole.contains(G)) ? uint8_t(0xff) : bytes(G, IsWrite),
             IsWhole);
  }

  /// The same of any number of bytes of the page.
  void addRange(unsigned Offset, unsigned Bytes, bool IsWrite) {
    IsTouched = true;
    unsigned End = Offset + Bytes;
    if (unsigned Ahead = -Offset % GranuleBytes; Ahead) {
      Ahead = std::min(Ahead, Bytes);
      addBytes(Offset / GranuleBytes, maskOf(Offset, Ahead), IsWrite);
      Offset += Ahead;
    }
    if (unsigned Whole = (End - Offset) & ~(GranuleBytes - 1); Whole) {
      forEachWord(Offset, Whole,
                  [&](unsigned Word, uint64_t Bits) { addWhole(Word, Bits, IsWrite); });
      Offset += Whole;
    }
    if (Offset < End)
      addBytes(Offset / GranuleBytes, maskOf(Offset, End - Offset), IsWrite);
  }
  /// Is nothing known of them?
  bool knowsNone(unsigned Offset, unsigned Bytes, bool IsWrite) const {
    uint64_t Known = 0;
    forEachWord(Offset, Bytes, [&](unsigned Word, uint64_t Bits) {
      Known |= (WrittenWhole.word(Word) | (IsWrite ? 0 : ReadWhole.word(Word))) & Bits;
    });
    if (LinesOfBytes && !Known)
      forEachGranule(Offset, Bytes, [&](unsigned At, unsigned Here) {
        Known |= maskOf(At, Here) & bytes(At / GranuleBytes, IsWrite);
      });
    return !Known;
  }
  /// The bytes of one granule, as a mask, that are known by their own bits of the kind.
  uint8_t ownBits(unsigned G, bool IsWrite) const {
    if ((IsWrite ? WrittenWhole : ReadWhole).contains(G))
      return 0xff;
    return (IsWrite ? inPart()->Written : inPart()->Read)[G];
  }

  /// The granules of which all bytes are known at once.
  Set whole(bool IsWrite) const {
    Set Whole = WrittenWhole;
    if (!IsWrite)
      Whole |= ReadWhole;
    return Whole;
  }
  /// Is nothing known of these bytes of some granules?
  bool isNew(uint8_t Mask, const Set &Some, bool IsWrite) const {
    bool IsNew = (Some & whole(IsWrite)).isEmpty();
    if (Mask != 0xff)
      Some.forEach([&](unsigned G) { IsNew &= !(Mask & bytes(G, IsWrite)); });
    return IsNew;
  }
  /// They are known from now on.
  void addAll(uint8_t Mask, const Set &Some, bool IsWrite) {
    IsTouched = true;
    if (Mask == 0xff) {
      ReadWhole |= Some;
      if (IsWrite)
        WrittenWhole |= Some;
    } else {
      Some.forEach([&](unsigned G) { addBytes(G, Mask, IsWrite); });
    }
  }
  /// Calls Visit(number, bytes) for what is not known.
  template <class Fn> void forEachNew(uint8_t Mask, Set Some, bool IsWrite, Fn &&Visit) const {
    Some -= whole(IsWrite);
    Some.forEach([&](unsigned G) {
      if (auto New = uint8_t(Mask & ~(Mask == 0xff ? 0 : bytes(G, IsWrite))))
        Visit(G, New);
    });
  }

  /// Has a byte of a range been touched?
  bool touches(unsigned Offset, unsigned Bytes) const {
    uint64_t Touched = 0;
    forEachWord(Offset, Bytes, [&](unsigned Word, uint64_t Bits) {
      Touched |= (ReadWhole.word(Word) | WrittenWhole.word(Word)) & Bits;
    });
    if (LinesOfBytes && !Touched)
      forEachGranule(Offset, Bytes, [&](unsigned At, unsigned Here) {
        Touched |= maskOf(At, Here) & bytes(At / GranuleBytes, /*IsWrite=*/false);
      });
    return Touched;
  }
  /// As if it had not been. A granule that was touched as a whole is forgotten as a whole.
  void forget(unsigned Offset, unsigned Bytes) {
    forEachWord(Offset, Bytes, [&](unsigned Word, uint64_t Bits) {
      ReadWhole.word(Word) &= ~Bits;
      WrittenWhole.word(Word) &= ~Bits;
    });
    if (LinesOfBytes)
      forEachGranule(Offset, Bytes, [&](unsigned At, unsigned Here) {
        inPart()->Read[At / GranuleBytes] &= uint8_t(~maskOf(At, Here));
        inPart()->Written[At / GranuleBytes] &= uint8_t(~maskOf(At, Here));
      });
  }
  void clear() {
    ReadWhole = WrittenWhole = {};
    for (uint64_t Left = LinesOfBytes; Left; Left &= Left - 1) {
      auto Line = unsigned(std::countr_zero(Left));
      std::memset(&inPart()->Read[Line * LineGranules], 0, LineGranules);
      std::memset(&inPart()->Written[Line * LineGranules], 0, LineGranules);
    }
    LinesOfBytes = 0;
    Scattered[0] = Scattered[1] = {};
    IsTouched = false;
  }

private:
  /// Calls Visit(word of a set, bits of it) for the granules of a range.
  template <class Fn>
  PF_INLINE static void forEachWord(unsigned Offset, unsigned Bytes, Fn &&Visit) {
    unsigned First = Offset / GranuleBytes, Last = (Offset + Bytes - 1) / GranuleBytes;
    for (unsigned Word = First / 64; Word <= Last / 64; ++Word) {
      uint64_t Bits = ~uint64_t(0);
      if (Word == First / 64)
        Bits &= ~uint64_t(0) << First % 64;
      if (Word == Last / 64)
        Bits &= ~uint64_t(0) >> (63 - Last % 64);
      Visit(Word, Bits);
    }
  }

  uint8_t bytes(unsigned G, bool IsWrite) const {
    return uint8_t(inPart()->Written[G] | (IsWrite ? 0 : inPart()->Read[G]));
  }
  static uint64_t bitsOf(unsigned G, unsigned Bytes) {
    return uint64_t(Bytes > GranuleBytes ? 3 : 1) << G % 64;
  }
  static uint8_t maskOf(unsigned Offset, unsigned Bytes) {
    return uint8_t(((1u << Bytes) - 1) << Offset % GranuleBytes);
  }
  PF_INLINE void addWhole(unsigned Word, uint64_t Bits, bool IsWrite) {
    ReadWhole.word(Word) |= Bits;
    if (IsWrite)
      WrittenWhole.word(Word) |= Bits;
  }
  PF_INLINE void addBytes(unsigned G, uint8_t Mask, bool IsWrite) {
    if (__builtin_expect(!ownsBytes(), false))
      ToInPart = distanceTo(host::allocate(sizeof(Bytes)));
    LinesOfBytes |= uint64_t(1) << G / LineGranules;
    inPart()->Read[G] |= Mask;
    if (IsWrite)
      inPart()->Written[G] |= Mask;
  }
  /// What a page has that has none: inlined checks look without asking, and a little further.
  static constexpr struct {
    Bytes None;
    uint64_t Behind;
  } Nothing = {};
  intptr_t distanceTo(const void *That) const {
    return reinterpret_cast<intptr_t>(That) - reinterpret_cast<intptr_t>(this);
  }
  intptr_t toNothing() const { return distanceTo(&Nothing); }
  Bytes *inPart() const {
    return reinterpret_cast<Bytes *>(reinterpret_cast<uintptr_t>(this) + uintptr_t(ToInPart));
  }
};

/// What a thread has yet to commit: runs; where a place goes to and fro in a page, sets of whole
/// granules; and singles.
template <class Page, class Place, unsigned MaxRuns = 512, unsigned MaxSets = 128,
          unsigned MaxSingles = 512>
class PendingAccesses {
public:
  using Set = typename Page::Set;
  /// Granules of a page that one place has accessed, in no order.
  struct Scattered {
    Set All;
    uint64_t Number; // the page's
    bool IsWrite;
    Place P;
  };

  /// Bytes that one place has accessed, one behind the other.
  struct Single {
    uint64_t Address;
    uint32_t Bytes;
    bool IsWrite;
    Place P;
  };

  bool isEmpty() const { return Ordered.isEmpty() && Sets.empty() && Singles.empty(); }
  bool isFull() const {
    return Ordered.isFull() || Sets.size() == MaxSets || Singles.size() == MaxSingles;
  }

  /// Bytes of a page that are not pending yet. There must be room.
  PF_INLINE void add(Page &F, uint64_t Address, uint32_t Bytes, bool IsWrite, const Place &P) {
    F.PendingIn = uint32_t(Round);
    if (Bytes % GranuleBytes || Address % GranuleBytes || Bytes > 2 * GranuleBytes)
      return Ordered.add(Address, Bytes, IsWrite, P);
    typename Page::Scatter &Here = F.Scattered[IsWrite];
    if (Here.In == Round && Sets[Here.Set].P == P)
      return put(Sets[Here.Set], Address, Bytes);
    if (!Ordered.extend(Address, Bytes, IsWrite, P))
      begin(Here, Address, Bytes, IsWrite, P);
  }
  void add(Page &F, const Elements &E, bool IsWrite, const Place &P) {
    F.PendingIn = uint32_t(Round);
    if (E.Count == 1)
      add(F, E.First, E.Size, IsWrite, P);
    else
      Ordered.add(E, IsWrite, P);
  }

  void add(Page &F, const Set &Some, bool IsWrite, const Place &P) {
    F.PendingIn = uint32_t(Round);
    Sets.push({Some, F.Number, IsWrite, P});
  }
  /// Bytes of a page that are not pending yet, as they come: how many accesses the single has that
  /// they are in. There must be room.
  PF_INLINE uint32_t addSingle(Page &F, uint64_t Address, uint32_t Bytes, bool IsWrite,
                               const Place &P) {
    Last &Of = LastOf[P.hash() % NumLast];
    if (Of.Number < Singles.size() && Of.Number >= FirstAlive)
      if (Single &S = Singles[Of.Number]; S.Address + S.Bytes == Address && S.P == P &&
                                          S.IsWrite == IsWrite && Address % Page::PageBytes) {
        S.Bytes += Bytes;
        return ++Of.Count;
      }
    F.SingleIn = uint16_t(Round);
    Of = {Singles.size(), 0};
    Singles.push({Address, Bytes, IsWrite, P});
    return 0;
  }
  /// May what is pending of a range be dropped? Singles may; but a granule that belongs to the
  /// range in part might be another's.
  bool canDrop(const Page &F, unsigned Offset, unsigned Bytes) const {
    auto IsWhole = [&](unsigned Edge) {
      unsigned G = Edge / GranuleBytes;
      return Edge % GranuleBytes && (F.ownBits(G, true) == 0xff || F.ownBits(G, false) == 0xff);
    };
    return F.PendingIn != uint32_t(Round) && !IsWhole(Offset) && !IsWhole(Offset + Bytes);
  }
  /// The range is no longer touched, and nothing of it is pending.
  void drop(Page &F, unsigned Offset, unsigned Bytes) {
    F.forget(Offset, Bytes);
    if (F.SingleIn == uint16_t(Round))
      FirstAlive = Singles.size();
  }
  /// May something of the page be pending?
  bool isPending(const Page &F) const {
    return F.PendingIn == uint32_t(Round) || F.SingleIn == uint16_t(Round);
  }

  /// Calls OnRun(Run) and OnSet(Scattered).
  template <class RunFn, class SetFn> void forEach(RunFn &&OnRun, SetFn &&OnSet) const {
    Ordered.forEach(OnRun);
    for (const Scattered &S : Sets)
      OnSet(S);
  }
  /// Calls OnSingle(address, bytes, is it a write, place) for what singles still stand for, the
  /// last one first; Ahead(address) some time before.
  template <class Table, class SingleFn, class AheadFn>
  void forEachSingle(Table &Touched, SingleFn &&OnSingle, AheadFn &&Ahead) const {
    constexpr uint32_t Distance = 8;
    for (uint32_t I = Singles.size(); I--;) {
      if (I >= Distance)
        Ahead(Singles[I - Distance].Address);
      const Single &S = Singles[I];
      if (I >= FirstAlive) {
        OnSingle(S.Address, S.Bytes, S.IsWrite, S.P);
        continue;
      }
      const Page *F = Touched.find(S.Address / Page::PageBytes);
      if (!F)
        continue; // all of it was freed, and another page has the entry
      Page::forEachGranule(
          unsigned(S.Address % Page::PageBytes), S.Bytes, [&](unsigned At, unsigned Here) {
            uint64_t Mask = bytesOf(At % GranuleBytes, Here);
            forEachRun(Mask & F->ownBits(At / GranuleBytes, S.IsWrite), [&](unsigned First,
                                                                            unsigned Count) {
              OnSingle(F->Number * Page::PageBytes + At / GranuleBytes * GranuleBytes + First,
                       Count, S.IsWrite, S.P);
            });
          });
    }
  }
  void clear() {
    Ordered.clear();
    Sets.clear();
    Singles.clear();
    FirstAlive = 0;
    ++Round; // pages no longer look at those that were there
  }

private:
  static void put(Scattered &S, uint64_t Address, uint32_t Bytes) {
    auto First = unsigned(Address % Page::PageBytes / GranuleBytes);
    S.All.add(First);
    if (Bytes > GranuleBytes)
      S.All.add(First + 1);
  }
  void begin(typename Page::Scatter &Here, uint64_t Address, uint32_t Bytes, bool IsWrite,
             const Place &P) {
    auto Hash = uint16_t(P.hash());
    // The second time that it begins anew in this page.
    if (Here.Last != Hash || Here.In == Round) {
      Here.Last = Hash;
      return Ordered.add(Address, Bytes, IsWrite, P);
    }
    Here.In = Round;
    Here.Set = uint16_t(Sets.size());
    put(Sets.push({{}, Address / Page::PageBytes, IsWrite, P}), Address, Bytes);
  }

  /// Of a place: the single that it grew last, and how often that has.
  struct Last {
    uint32_t Number, Count;
  };
  static constexpr unsigned NumLast = 64;

  Runs<Place, MaxRuns> Ordered;
  Array<Scattered> Sets;
  Array<Single> Singles;
  Last LastOf[NumLast] = {}; // stale ones do no harm
  uint32_t FirstAlive = 0;   // of the singles before, only what has its bit counts
  uint64_t Round = 1;        // how often they were committed
};

/// All of a thread's. There is no page of number None; where that is 0, zeroed memory is a
/// Footprints: it costs what is used of it.
template <class Page, unsigned Entries, uint64_t None> class Footprints {
public:
  static constexpr uint64_t PageBytes = Page::PageBytes;
  /// So many pages keep their bytes from one epoch to the next.
  static constexpr uint32_t MaxKeeping = 128;

  Footprints() {
    for (Page &P : Pages)
      P.Number = None;
  }
  ~Footprints() {
    for (Page &P : Pages)
      P.dropBytes();
  }
  Footprints(const Footprints &) = delete;
  Footprints &operator=(const Footprints &) = delete;

  /// The page's, if it is there.
  Page *find(uint64_t Number) {
    Page &P = Pages[Number % Entries];
    return P.Number == Number ? &P : nullptr;
  }

  /// The same, to note something in it; null if another page that was touched is there.
  PF_INLINE Page *touch(uint64_t Number) {
    uint32_t Entry = Number % Entries;
    Page &P = Pages[Entry];
    if (P.Number != Number) {
      if (P.IsTouched)
        return nullptr;
      P.prepare();
      P.Number = Number;
    }
    if (__builtin_expect(!P.IsListed, false)) {
      Used.push(Entry);
      P.IsListed = true;
    }
    return &P;
  }

  /// Notes accesses to elements. OnNew(Page &, Elements or a set of granules) is told of what was
  /// not known; OnEvicted(Page &) comes before its bits go, to make room for another's.
  template <class NewFn, class EvictFn>
  void add(const Elements &E, bool IsWrite, NewFn &&OnNew, EvictFn &&OnEvicted) {
    E.template forEachPage<PageBytes>(adding(IsWrite, OnNew, OnEvicted));
  }
  /// The same for a range of any length.
  template <class NewFn, class EvictFn>
  void add(uint64_t Address, uint64_t Bytes, bool IsWrite, NewFn &&OnNew, EvictFn &&OnEvicted) {
    auto Offset = unsigned(Address % PageBytes);
    if (Bytes > Page::Few || Offset + Bytes > PageBytes)
      return Elements::forEachPageOf<PageBytes>(Address, Bytes, adding(IsWrite, OnNew, OnEvicted));
    Page &P = pageFor(Address / PageBytes, OnEvicted);
    Page::forEachGranule(Offset, unsigned(Bytes), [&](unsigned At, unsigned Here) {
      if (!P.knows(At, Here, IsWrite))
        OnNew(P, Elements::range(Address - Offset + At, Here));
      P.add(At, Here, IsWrite);
    });
  }

  /// Has a byte of the range been touched? For others than the thread, too: then the answer is
  /// about some moment.
  bool touches(uint64_t Address, uint64_t Bytes) const {
    bool Touches = false;
    forEachPageOf(*this, Address, Bytes, [&](const Page &P, unsigned Offset, unsigned Here) {
      Touches |= P.touches(Offset, Here);
    });
    return Touches;
  }
  /// As if the range had not been touched. If some of it has been, nothing is pending.
  void forget(uint64_t Address, uint64_t Bytes) {
    forEachPageOf(*this, Address, Bytes,
                  [&](Page &P, unsigned Offset, unsigned Here) { P.forget(Offset, Here); });
  }
  void clear() {
    for (uint32_t Entry : Used) {
      Pages[Entry].clear();
      Pages[Entry].IsListed = false;
    }
    for (uint32_t Entry : Used)
      keepBytesOf(Entry);
    Used.clear();
  }

private:
  /// A page that was cleared keeps its bytes, as most are touched again; but of all pages those
  /// that were the last to begin with it, or a thread would have some for every page that it ever
  /// had.
  void keepBytesOf(uint32_t Entry) {
    Page &P = Pages[Entry];
    if (!P.ownsBytes() || P.KeepsBytes)
      return;
    P.KeepsBytes = true;
    if (Keeping.size() < MaxKeeping) {
      Keeping.push(Entry);
      return;
    }
    uint32_t &Oldest = Keeping[NextOldest++ % MaxKeeping];
    Pages[Oldest].dropBytes();
    Oldest = Entry;
  }

  template <class NewFn, class EvictFn>
  auto adding(bool IsWrite, NewFn &OnNew, EvictFn &OnEvicted) {
    return [this, IsWrite, &OnNew, &OnEvicted](uint64_t Number, const Elements &E) {
      Page &P = pageFor(Number, OnEvicted);
      uint64_t Start = Number * PageBytes;
      using Set = typename Page::Set;
      // Most often all is new, and goes on as it came.
      bool IsNew = true;
      forEachGroup<Page::NumGranules>(
          E, [&](uint8_t Mask, const Set &Some) { IsNew &= P.isNew(Mask, Some, IsWrite); });
      forEachGroup<Page::NumGranules>(E, [&](uint8_t Mask, const Set &Some) {
        if (!IsNew && Mask == 0xff) {
          Set New = Some;
          New -= P.whole(IsWrite);
          if (!New.isEmpty())
            OnNew(P, New);
        } else if (!IsNew) {
          P.forEachNew(Mask, Some, IsWrite, [&](unsigned G, uint8_t New) {
            forEachRun(New, [&](unsigned First, unsigned Count) {
              OnNew(P, Elements::range(Start + G * GranuleBytes + First, Count));
            });
          });
        }
        P.addAll(Mask, Some, IsWrite);
      });
      if (IsNew)
        OnNew(P, Elements{Start + E.First, E.Size, E.Stride, E.Count});
    };
  }

  /// Calls Visit(page, offset, bytes) for the parts of a range whose page has been touched.
  /// Whichever is less is gone through: the range, or the table.
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
      if (P.IsTouched)
        Visit(P, unsigned(From), unsigned(To - From));
    };
    if (Last - First < Entries) {
      for (uint64_t Number = First; Number <= Last; ++Number)
        if (S.Pages[Number % Entries].Number == Number && Number != None)
          VisitPage(Number);
      return;
    }
    for (uint32_t Entry = 0; Entry < Entries; ++Entry)
      if (uint64_t Number = S.Pages[Entry].Number;
          Number != None && First <= Number && Number <= Last)
        VisitPage(Number);
  }

  template <class EvictFn> Page &pageFor(uint64_t Number, EvictFn &&OnEvicted) {
    if (Page *P = touch(Number))
      return *P;
    OnEvicted(Pages[Number % Entries]);
    Pages[Number % Entries].clear();
    return *touch(Number);
  }

  Page Pages[Entries]; // inlined checks look at them (abi.h)
  // Where a page has no bytes, inlined checks look for them within so many of its own, and a little
  // further; and ignore it.
  char Behind[sizeof(typename Page::Bytes) + sizeof(uint64_t)] = {};
  Array<uint32_t> Used; // entries that may have bits
  // Entries whose pages keep their bytes, from NextOldest on in the order in which they began to.
  Array<uint32_t> Keeping;
  uint32_t NextOldest = 0;
};

} // namespace photofinish

#endif // PHOTOFINISH_SHADOW_FOOTPRINT_H
