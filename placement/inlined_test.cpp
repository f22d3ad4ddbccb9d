//===- inlined_test.cpp - Has the thread noted an access? ----------------------===//

#include "placement/inlined_test.h"

#include "llvm/ADT/bit.h"

using namespace llvm;

namespace photofinish {

namespace {

Value *field(IRBuilderBase &B, Value *Base, size_t Offset) {
  return B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Base, Offset);
}

/// The entry where the notes of an address are, if they are anywhere.
class NotedPage {
public:
  NotedPage(IRBuilderBase &B, Contract &C, Value *Address) {
    Value *Noted = B.CreateAlignedLoad(
        B.getPtrTy(), field(B, C.thread(B), offsetof(pf_thread_head, noted)), Align(8));
    Page = B.CreateLShr(Address, PF_PAGE_SHIFT);
    Value *Entry = B.CreateAnd(Page, PF_NOTED_ENTRIES - 1);
    Its = B.CreateInBoundsGEP(B.getInt8Ty(), Noted,
                              B.CreateMul(Entry, B.getInt64(sizeof(pf_noted_page))));
    Tag = B.CreateAlignedLoad(B.getInt64Ty(), field(B, Its, offsetof(pf_noted_page, number)),
                              Align(8));
  }

  /// The set of whole granules.
  Value *whole(IRBuilderBase &B, bool Write) const {
    return field(B, Its,
                 Write ? offsetof(pf_noted_page, written_whole)
                       : offsetof(pf_noted_page, read_whole));
  }
  /// The bits of bytes.
  Value *bytes(IRBuilderBase &B, bool Write) {
    Value *First =
        field(B, Its, Write ? offsetof(pf_noted_bytes, written) : offsetof(pf_noted_bytes, read));
    if (!ToBytes)
      ToBytes = B.CreateAlignedLoad(B.getInt64Ty(),
                                    field(B, Its, offsetof(pf_noted_page, to_bytes)), Align(8));
    return B.CreateGEP(B.getInt8Ty(), First, ToBytes);
  }

  Value *Page; ///< of the address, its number
  Value *Its;  ///< -> pf_noted_page
  Value *Tag;  ///< the number of the page that has the entry

private:
  Value *ToBytes = nullptr;
};

/// Are the bits set, Shift bits on (null: none), in a word of so many?
Value *testBits(IRBuilderBase &B, Value *From, uint64_t Wanted, Value *Shift, unsigned WordBits) {
  Value *Word = B.CreateAlignedLoad(B.getIntNTy(WordBits), From, Align(1));
  // Of less than 32 bits, shifts and masks are longer instructions.
  Type *T = B.getIntNTy(std::max(WordBits, 32u));
  Value *Bits = B.CreateZExt(Word, T);
  if (Shift)
    Bits = B.CreateLShr(Bits, B.CreateZExtOrTrunc(Shift, T));
  Constant *All = ConstantInt::get(T, Wanted);
  return B.CreateICmpEQ(B.CreateAnd(Bits, All), All);
}

} // namespace

Value *testAccess(IRBuilderBase &B, Contract &C, Value *Pointer, uint64_t Bytes, bool Write) {
  Type *I8 = B.getInt8Ty();
  Value *Address = B.CreatePtrToInt(Pointer, B.getInt64Ty());
  NotedPage Noted(B, C, Address);
  // A bit for each granule, or for each byte; the first of the access's.
  bool Whole = Bytes == PF_GRANULE_BYTES;
  unsigned PerBit = Whole ? PF_GRANULE_BYTES : 1;
  Value *Bit = B.CreateAnd(B.CreateLShr(Address, Log2_64(PerBit)), PF_PAGE_BYTES / PerBit - 1);
  Value *First = Whole ? Noted.whole(B, Write) : Noted.bytes(B, Write);
  Value *Bits = B.CreateAlignedLoad(I8, B.CreateGEP(I8, First, B.CreateLShr(Bit, 3)), Align(1));
  Value *Wanted = B.CreateShl(B.getInt8(Whole ? 1 : uint8_t((1u << Bytes) - 1)),
                              B.CreateTrunc(B.CreateAnd(Bit, 7), I8));
  Value *AllThere = B.CreateICmpEQ(B.CreateAnd(Bits, Wanted), Wanted);
  return B.CreateAnd(B.CreateICmpEQ(Noted.Tag, Noted.Page), AllThere);
}

Value *testGroup(IRBuilderBase &B, Contract &C, Value *Pointer, const GroupBits &Wanted,
                 Align Alignment) {
  Type *I8 = B.getInt8Ty();
  Value *Address = B.CreatePtrToInt(Pointer, B.getInt64Ty());
  NotedPage Noted(B, C, Address);
  // The entry is that of the page of the first byte: if the last is in the next one, no number that
  // can be here is that page's.
  Value *Last = B.CreateAdd(Address, B.getInt64(Wanted.extent() - 1));
  Value *Again = B.CreateICmpEQ(Noted.Tag, B.CreateLShr(Last, PF_PAGE_SHIFT));
  Value *Granule = B.CreateAnd(B.CreateLShr(Address, Log2_64(PF_GRANULE_BYTES)),
                               PF_PAGE_BYTES / PF_GRANULE_BYTES - 1);
  for (bool Write : {false, true})
    if (uint64_t Bits = Wanted.Whole[Write]) {
      assert(Alignment >= PF_GRANULE_BYTES && "whole granules begin where granules do");
      Value *From = B.CreateGEP(I8, Noted.whole(B, Write), B.CreateLShr(Granule, 3));
      Again = B.CreateAnd(Again, testBits(B, From, Bits, B.CreateAnd(Granule, 7), 16));
    }
  uint64_t MostShift = Alignment < PF_GRANULE_BYTES ? PF_GRANULE_BYTES - Alignment.value() : 0;
  Value *Shift = MostShift ? B.CreateAnd(Address, PF_GRANULE_BYTES - 1) : nullptr;
  for (bool Write : {false, true})
    if (uint64_t Bits = Wanted.Bytes[Write]) {
      // The shortest word that has them all, wherever they begin in their granule, and that ends
      // no further behind than there is memory.
      unsigned Skipped = countr_zero(Bits) / 8;
      auto WordBytes =
          unsigned(PowerOf2Ceil(divideCeil(bit_width(Bits >> 8 * Skipped) + MostShift, 8)));
      Skipped = std::min<unsigned>(Skipped, PF_NOTED_BEHIND - WordBytes);
      Value *From = B.CreateGEP(I8, Noted.bytes(B, Write), Granule);
      if (Skipped)
        From = B.CreateConstGEP1_64(I8, From, Skipped);
      Again = B.CreateAnd(Again, testBits(B, From, Bits >> 8 * Skipped, Shift, 8 * WordBytes));
    }
  return Again;
}

} // namespace photofinish
