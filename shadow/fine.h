//===- fine.h - A shadow location for every byte, at the grain of use -------===//
//
// The uncompressed shadow: what SlimState calls FINE. The unit of a race is the
// byte, but programs touch words, and eight shadow locations for one aligned word
// would be eight times the work for the same answer. So memory is cut into granules
// of eight bytes, and each granule has one location until an access touches a part
// of it; then it is refined to 4, 2 or 1 bytes, as that access needs, and every
// piece starts with a copy of what the whole had. Nothing is ever coarsened: that is
// what the compressed shadows are for.
//
// A Location needs copyFrom(const Location &) and reset(). Whoever calls must own
// the shadow; there is no locking here.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_SHADOW_FINE_H
#define PHOTOFINISH_SHADOW_FINE_H

#include "shadow/page_table.h"

#include <new>

namespace photofinish {

template <class Location> class FineShadow {
public:
  FineShadow() = default;
  FineShadow(const FineShadow &) = delete;
  FineShadow &operator=(const FineShadow &) = delete;
  ~FineShadow() {
    Pages.forEach([](uint64_t, Page &P) { destroy(&P); });
  }

  /// Calls Visit(Location &, address, bytes) for the locations of [Address, Address+Size),
  /// refined so that they cover exactly that.
  template <class Fn> void visit(uint64_t Address, uint64_t Size, Fn &&Visit) {
    while (Size) {
      uint64_t Offset = Address % PageBytes;
      uint64_t Here = Size < PageBytes - Offset ? Size : PageBytes - Offset;
      visitInPage(pageFor(Address / PageBytes), Address, Here, Visit);
      Address += Here;
      Size -= Here;
    }
  }

  /// The range is fresh memory; the shadow of whole pages is given back.
  void reset(uint64_t Address, uint64_t Size) {
    while (Size) {
      uint64_t Offset = Address % PageBytes;
      uint64_t Here = Size < PageBytes - Offset ? Size : PageBytes - Offset;
      if (Here == PageBytes) {
        if (Page *P = Pages.remove(Address / PageBytes))
          destroy(P);
      } else if (Page *P = Pages.find(Address / PageBytes)) {
        visitInPage(*P, Address, Here, [](Location &L, uint64_t, uint64_t) { L.reset(); });
      }
      Address += Here;
      Size -= Here;
    }
  }

  /// Calls Visit(const Location &, bytes) for every location there is.
  template <class Fn> void forEach(Fn &&Visit) const {
    Pages.forEach([&](uint64_t, const Page &P) {
      for (const Granule &G : P.Granules) {
        if (!G.Pieces)
          Visit(G.Whole, GranuleBytes);
        for (uint64_t I = 0; G.Pieces && I < GranuleBytes / G.Grain; ++I)
          Visit(G.Pieces[I], uint64_t(G.Grain));
      }
    });
  }

private:
  static constexpr uint64_t GranuleBytes = 8;
  static constexpr uint64_t PageBytes = 512;

  struct Granule {
    Location Whole;             ///< while Pieces is null
    Location *Pieces = nullptr; ///< GranuleBytes / Grain of them
    uint8_t Grain = GranuleBytes;
  };
  struct Page {
    Granule Granules[PageBytes / GranuleBytes];
  };

  static void destroy(Page *P) {
    for (Granule &G : P->Granules)
      dropPieces(G.Pieces, G.Grain);
    P->~Page();
    host::release(P, sizeof(Page));
  }

  static void dropPieces(Location *Pieces, uint64_t Grain) {
    if (!Pieces)
      return;
    for (uint64_t I = 0; I < GranuleBytes / Grain; ++I)
      Pieces[I].~Location();
    host::release(Pieces, GranuleBytes / Grain * sizeof(Location));
  }

  Page &pageFor(uint64_t Number) {
    if (Page *P = Pages.find(Number))
      return *P;
    Page *P = new (host::allocate(sizeof(Page))) Page();
    Pages.insert(Number, P);
    return *P;
  }

  /// The pieces become Grain bytes each.
  static void refine(Granule &G, uint64_t Grain) {
    uint64_t Pieces = GranuleBytes / Grain;
    auto *New = static_cast<Location *>(host::allocate(Pieces * sizeof(Location)));
    for (uint64_t I = 0; I < Pieces; ++I)
      (new (&New[I]) Location())->copyFrom(G.Pieces ? G.Pieces[I * Grain / G.Grain] : G.Whole);
    if (!G.Pieces)
      G.Whole.reset();
    dropPieces(G.Pieces, G.Grain);
    G.Pieces = New;
    G.Grain = uint8_t(Grain);
  }

  template <class Fn> void visitInPage(Page &P, uint64_t Address, uint64_t Size, Fn &&Visit) {
    while (Size) {
      uint64_t Offset = Address % GranuleBytes;
      uint64_t Here = Size < GranuleBytes - Offset ? Size : GranuleBytes - Offset;
      Granule &G = P.Granules[Address % PageBytes / GranuleBytes];
      // The largest power of two that divides both ends.
      uint64_t Ends = Offset | (Offset + Here);
      uint64_t Needed = Ends & -Ends;
      if (Needed < G.Grain)
        refine(G, Needed);
      if (!G.Pieces)
        Visit(G.Whole, Address, GranuleBytes);
      for (uint64_t At = Offset; G.Pieces && At < Offset + Here; At += G.Grain)
        Visit(G.Pieces[At / G.Grain], Address - Offset + At, uint64_t(G.Grain));
      Address += Here;
      Size -= Here;
    }
  }

  PageTable<Page> Pages;
};

} // namespace photofinish

#endif // PHOTOFINISH_SHADOW_FINE_H
