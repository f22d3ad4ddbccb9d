//===- page_table.h - From page number to page ------------------------------===//
//
// An open-addressing hash table with linear probing, at most half full. Accesses
// cluster, so the page found last is tried first. Removal moves the entries behind
// the gap forward, so that no tombstones pile up in a program that maps and unmaps
// for hours.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_SHADOW_PAGE_TABLE_H
#define PHOTOFINISH_SHADOW_PAGE_TABLE_H

#include "detector/host.h"

#include <cstdint>

namespace photofinish {

/// Owns nothing: whoever inserts a page also deletes it.
template <class Page> class PageTable {
public:
  PageTable() = default;
  PageTable(const PageTable &) = delete;
  PageTable &operator=(const PageTable &) = delete;
  ~PageTable() { host::release(Slots, Capacity * sizeof(Slot)); }

  uint64_t size() const { return Count; }

  Page *find(uint64_t Number) {
    if (LastPage && LastNumber == Number)
      return LastPage;
    if (!Count)
      return nullptr;
    for (uint64_t I = home(Number);; I = (I + 1) & (Capacity - 1)) {
      if (!Slots[I].Value)
        return nullptr;
      if (Slots[I].Number == Number) {
        LastNumber = Number;
        return LastPage = Slots[I].Value;
      }
    }
  }

  /// Number must not be in the table.
  void insert(uint64_t Number, Page *Value) {
    if ((Count + 1) * 2 > Capacity)
      grow();
    place(Number, Value);
    ++Count;
    LastNumber = Number;
    LastPage = Value;
  }

  /// Returns the page that was there, or null.
  Page *remove(uint64_t Number) {
    Page *Found = find(Number);
    if (!Found)
      return nullptr;
    LastPage = nullptr;
    uint64_t Gap = home(Number);
    while (Slots[Gap].Number != Number)
      Gap = next(Gap);
    for (uint64_t I = next(Gap); Slots[I].Value; I = next(I)) {
      // The entry at I may fill the gap if its home is not behind the gap.
      if (((I - home(Slots[I].Number)) & (Capacity - 1)) < ((I - Gap) & (Capacity - 1)))
        continue;
      Slots[Gap] = Slots[I];
      Gap = I;
    }
    Slots[Gap] = {};
    --Count;
    return Found;
  }

  template <class Fn> void forEach(Fn &&Visit) const {
    for (uint64_t I = 0; I < Capacity; ++I)
      if (Slots[I].Value)
        Visit(Slots[I].Number, *Slots[I].Value);
  }

private:
  struct Slot {
    uint64_t Number;
    Page *Value;
  };

  uint64_t next(uint64_t I) const { return (I + 1) & (Capacity - 1); }
  uint64_t home(uint64_t Number) const {
    return (Number * 0x9E3779B97F4A7C15u >> 20) & (Capacity - 1);
  }
  void place(uint64_t Number, Page *Value) {
    uint64_t I = home(Number);
    while (Slots[I].Value)
      I = next(I);
    Slots[I] = {Number, Value};
  }
  void grow() {
    Slot *Old = Slots;
    uint64_t OldCapacity = Capacity;
    Capacity = Capacity ? Capacity * 2 : 16;
    Slots = static_cast<Slot *>(host::allocate(Capacity * sizeof(Slot)));
    for (uint64_t I = 0; I < OldCapacity; ++I)
      if (Old[I].Value)
        place(Old[I].Number, Old[I].Value);
    host::release(Old, OldCapacity * sizeof(Slot));
  }

  Slot *Slots = nullptr;
  uint64_t Capacity = 0; // a power of two
  uint64_t Count = 0;
  uint64_t LastNumber = 0;
  Page *LastPage = nullptr;
};

} // namespace photofinish

#endif // PHOTOFINISH_SHADOW_PAGE_TABLE_H
