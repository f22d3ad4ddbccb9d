//===- records.h - What does not fit into a word, and never changes ------------===//
//
// A shadow's words refer to what is too large for them by number: sets of reads, the parts of a
// granule. A record is written once, before anybody has its number; what changes is the word, which
// gets the number of another. So whoever has read a word may read its record, without a lock.
//
// Memory comes in chunks of 4 KiB, each for one thread, which fills it from the beginning to the
// end. Nothing is given back one by one: now and then a collection (shadow/stamps.h) copies what is
// in use to other chunks, and all those before are free.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_SHADOW_RECORDS_H
#define PHOTOFINISH_SHADOW_RECORDS_H

#include "detector/array.h"

#include <cstdint>

namespace photofinish {

/// Which chunks of some reserved memory are in use, by number. All of it is under its owner's lock.
class Chunks {
public:
  static constexpr size_t Bytes = 4096;

  /// WhenFull is what to tell the user if there are not enough.
  constexpr Chunks(uint32_t Max, const char *WhenFull) : Max(Max), WhenFull(WhenFull) {}

  /// One that nobody has; never 0.
  uint32_t take() {
    uint32_t Chunk;
    if (!Free.empty()) {
      Chunk = Free.back();
      Free.pop();
    } else {
      if (Num == Max)
        host::giveUp(WhenFull);
      host::use(ptrdiff_t(Bytes));
      Chunk = Num++;
    }
    Used.push(Chunk);
    return Chunk;
  }
  /// Those that are taken from now on are kept,
  void beginCollection() { Old.swap(Used); }
  /// and all others are free.
  void endCollection() {
    for (uint32_t Chunk : Old)
      Free.push(Chunk);
    Old.clear();
  }
  /// As if none had been taken.
  void restart() {
    host::use(-ptrdiff_t(bytes()));
    Num = 1;
    Free.clear();
    Used.clear();
  }

  uint32_t numUsed() const { return Used.size(); }
  /// One more than the highest number that there ever was.
  uint32_t end() const { return Num; }
  uint64_t bytes() const { return uint64_t(Num - 1) * Bytes; }

private:
  const uint32_t Max;
  const char *const WhenFull;
  uint32_t Num = 1;
  Array<uint32_t> Free, Used, Old;
};

/// Records of one kind. A number counts words of eight bytes; 0 is none.
class Records {
public:
  using Number = uint32_t;
  static constexpr uint32_t ChunkWords = Chunks::Bytes / sizeof(uint64_t);

  constexpr Records(uint32_t MaxChunks, const char *WhenFull)
      : MaxChunks(MaxChunks), Pool(MaxChunks, WhenFull) {}

  size_t reservedBytes() const { return size_t(MaxChunks) * Chunks::Bytes; }
  /// Zeroed memory of so many bytes.
  void initialise(void *Reserved) { Memory = static_cast<char *>(Reserved); }

  template <class T> T &at(Number N) const {
    return *reinterpret_cast<T *>(Memory + size_t(N) * sizeof(uint64_t));
  }

  /// Where a thread, or a collection, writes its next one. Zeroed memory is one.
  struct Writer {
    Number Next = 0; // at a chunk's beginning: there is none
  };
  /// Is there no room for so many words?
  static bool isFull(const Writer &W, uint32_t Words) {
    return W.Next % ChunkWords == 0 || W.Next % ChunkWords + Words > ChunkWords;
  }
  /// The number of a record of so many words, for which there is room.
  static Number take(Writer &W, uint32_t Words) {
    Number N = W.Next;
    W.Next += Words;
    return N;
  }
  /// Makes room. A chunk's first word stays unused: there begins none.
  void refill(Writer &W) { W.Next = Pool.take() * ChunkWords + 1; }

private:
  const uint32_t MaxChunks;
  char *Memory = nullptr;

public:
  Chunks Pool;
};

} // namespace photofinish

#endif // PHOTOFINISH_SHADOW_RECORDS_H
