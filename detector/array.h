//===- array.h - A growable array on the host's memory --------------------===//
//
// The live runtime may not use the program's heap or the standard containers, and
// detector/ and shadow/ run there. Elements must be movable by memcpy and valid
// when zeroed; they are destroyed when removed.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_DETECTOR_ARRAY_H
#define PHOTOFINISH_DETECTOR_ARRAY_H

#include "detector/host.h"

#include <cassert>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

namespace photofinish {

template <class T> class Array {
public:
  Array() = default;
  Array(Array &&Other) noexcept { swap(Other); }
  Array &operator=(Array &&Other) noexcept {
    swap(Other);
    return *this;
  }
  Array(const Array &) = delete;
  Array &operator=(const Array &) = delete;
  ~Array() {
    if (!Items)
      return;
    clear();
    host::release(Items, Capacity * sizeof(T));
  }

  uint32_t size() const { return Count; }
  bool empty() const { return Count == 0; }
  T &operator[](uint32_t I) {
    assert(I < Count);
    return Items[I];
  }
  const T &operator[](uint32_t I) const {
    assert(I < Count);
    return Items[I];
  }
  T *begin() { return Items; }
  T *end() { return Items + Count; }
  const T *begin() const { return Items; }
  const T *end() const { return Items + Count; }
  T &back() { return Items[Count - 1]; }

  T &push(T Item) {
    reserve(Count + 1);
    return *new (&Items[Count++]) T(std::move(Item));
  }
  void pop() { Items[--Count].~T(); }
  /// Removes element I; the last one takes its place.
  void removeUnordered(uint32_t I) {
    Items[I].~T();
    if (I != --Count)
      std::memcpy(static_cast<void *>(&Items[I]), static_cast<void *>(&Items[Count]), sizeof(T));
  }
  void clear() {
    while (Count)
      pop();
  }
  /// Grows with zeroed elements until there are at least N.
  void growTo(uint32_t N) {
    reserve(N);
    while (Count < N)
      new (&Items[Count++]) T();
  }
  void swap(Array &Other) noexcept {
    std::swap(Items, Other.Items);
    std::swap(Count, Other.Count);
    std::swap(Capacity, Other.Capacity);
  }
  size_t bytes() const { return size_t(Capacity) * sizeof(T); }

private:
  void reserve(uint32_t N) {
    if (N <= Capacity)
      return;
    // Few of what is large. Twice as much each time; what is long, and may be one of thousands (the
    // clocks of as many threads), a quarter more.
    constexpr uint32_t AtFirst = sizeof(T) > 32 ? 1 : 4;
    constexpr size_t Long = 4096;
    uint32_t Grown = Capacity + (bytes() < Long ? Capacity : Capacity / 4);
    uint32_t NewCapacity = Grown > N ? Grown : (N < AtFirst ? AtFirst : N);
    T *NewItems = static_cast<T *>(host::allocate(size_t(NewCapacity) * sizeof(T)));
    if (Count)
      std::memcpy(static_cast<void *>(NewItems), static_cast<void *>(Items), Count * sizeof(T));
    host::release(Items, size_t(Capacity) * sizeof(T));
    Items = NewItems;
    Capacity = NewCapacity;
  }

  T *Items = nullptr;
  uint32_t Count = 0;
  uint32_t Capacity = 0;
};

} // namespace photofinish

#endif // PHOTOFINISH_DETECTOR_ARRAY_H
