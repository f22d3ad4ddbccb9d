//===- sites.h - The module's table of sites --------------------------------===//
//
// A site tells a report where an access is: file, line, column, function, size and kind,
// and through which inlined calls it got there. Sites are constants in a section of
// their own (abi.h describes the layout), one for each different description, found by
// the runtime between the linker's symbols for the section's ends.
//
// References inside the table are distances, resolved when the object is linked: the
// table is read-only memory, shared between processes, and costs nothing at start.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_PLACEMENT_SITES_H
#define PHOTOFINISH_PLACEMENT_SITES_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <map>
#include <tuple>

namespace photofinish {

/// Which bytes and which whole granules the accesses of a pf_group read [0] and write [1].
struct GroupBits {
  uint64_t Bytes[2] = {};
  uint64_t Whole[2] = {};

  /// How far from the group's address they reach.
  uint64_t extent() const;
};

class SiteTable {
public:
  explicit SiteTable(llvm::Module &M);

  /// Finds where these instructions of a function are, once and for all: of one without a line that
  /// depends on those around it, and there will be others.
  void locate(llvm::ArrayRef<const llvm::Instruction *> Instructions);

  /// The site of I as an access to Bytes bytes (0: known at run time only); pf_site_flags.
  llvm::Constant *site(const llvm::Instruction &I, uint64_t Bytes, unsigned Flags);

  /// A pf_group of these accesses, by the distance from its address.
  struct Member {
    unsigned Offset;
    unsigned Bytes;
    bool Write;
    llvm::Constant *Site;
  };
  static GroupBits bitsOf(llvm::ArrayRef<Member> Members);
  llvm::Constant *group(llvm::ArrayRef<Member> Members);

  /// A row of sites with PF_SITE_ROW; null where there is no access. The site that a check at
  /// Address has is one of them.
  llvm::Constant *row(llvm::ArrayRef<llvm::Constant *> OfBytes, unsigned Flags);
  llvm::Value *inRow(llvm::IRBuilderBase &B, llvm::Constant *Row, uint64_t Period,
                     llvm::Value *Address);

  size_t size() const { return Sites.size(); }

  /// The linker's symbols for the ends of the section, which all modules of an executable
  /// or library share.
  llvm::Constant *first();
  llvm::Constant *end();

private:
  // file, function, line, column, size, flags, inlined at
  using Description = std::tuple<llvm::GlobalVariable *, llvm::GlobalVariable *, uint32_t, uint16_t,
                                 uint8_t, uint8_t, llvm::GlobalVariable *>;

  llvm::GlobalVariable *describe(const llvm::DILocation &Location, const llvm::Function &F,
                                 uint8_t Size, uint8_t Flags);
  llvm::GlobalVariable *intern(const Description &D);
  llvm::GlobalVariable *string(llvm::StringRef Text);
  llvm::Constant *boundary(llvm::StringRef Name);
  /// How far To is from a part of From, an object of type T, as the table refers to things.
  llvm::Constant *distance(llvm::Constant *To, llvm::GlobalVariable *From, llvm::Type *T,
                           llvm::ArrayRef<unsigned> Part);

  llvm::Module &M;
  llvm::StructType *SiteType;
  std::map<Description, llvm::GlobalVariable *> Sites;
  std::map<std::pair<std::vector<llvm::Constant *>, unsigned>, llvm::GlobalVariable *> Rows;
  llvm::StringMap<llvm::GlobalVariable *> Strings;
  llvm::DenseMap<const llvm::Instruction *, const llvm::DILocation *> Located;
};

} // namespace photofinish

#endif // PHOTOFINISH_PLACEMENT_SITES_H
