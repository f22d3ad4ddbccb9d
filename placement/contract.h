//===- contract.h - abi/ as LLVM declarations -------------------------------===//
//
// What the pass may call and touch, declared in a module from the same table that the
// runtime takes its definitions from (abi/entry_points.def), when it is first used.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_PLACEMENT_CONTRACT_H
#define PHOTOFINISH_PLACEMENT_CONTRACT_H

#include "abi/abi.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace photofinish {

// The names are the contract's:
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
enum class Entry : uint8_t {
#define PF_ENTRY(Name, ...) Name,
#include "abi/entry_points.def"
};

enum class Object : uint8_t {
#define PF_GLOBAL(Name) Name,
#include "abi/entry_points.def"
};
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

/// The entry point that checks Bytes bytes, if there is one for just that many; IsFirst: that the
/// thread has not noted.
std::optional<Entry> entryForSize(uint64_t Bytes, bool Write, bool IsFirst = false);

/// Is it an entry point, and one that is called where an inlined test has failed?
bool isEntry(const llvm::Function &F);
bool isRareEntry(const llvm::Function &F);

class Contract {
public:
  explicit Contract(llvm::Module &M);

  /// Integers are extended (as unsigned) to what the entry point takes.
  llvm::CallInst *call(llvm::IRBuilderBase &B, Entry E, llvm::ArrayRef<llvm::Value *> Args);

  llvm::GlobalVariable *object(Object O);

  /// The address of the running thread's pf_thread_head.
  llvm::Value *thread(llvm::IRBuilderBase &B);

  /// Makes the module refer to PF_VERSION_SYMBOL, so that it links with no other runtime.
  void demandVersion();

private:
  llvm::FunctionCallee declare(Entry E);

  llvm::Module &M;
};

} // namespace photofinish

#endif // PHOTOFINISH_PLACEMENT_CONTRACT_H
