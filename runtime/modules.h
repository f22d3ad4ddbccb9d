//===- modules.h - The program and its libraries -------------------------===//
//
// Reports turn addresses into names with the files they came from: this says which file is
// where. It also knows which tables of sites have gone with a library that was unloaded.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_RUNTIME_MODULES_H
#define PHOTOFINISH_RUNTIME_MODULES_H

#include "abi/abi.h"
#include "detector/array.h"
#include "detector/spin_lock.h"
#include "runtime/base/text.h"

namespace photofinish::rt {

class Modules {
public:
  enum Reader { ForReports, ForRecorder };

  /// Looks again what is mapped where.
  void refresh();
  /// Adds the record `modules` to R, unless this reader has had the same one. Refreshes.
  bool describe(Text &R, Reader Who);
  /// Adds the members `program` and `arguments`.
  void describeProgram(Text &R);
  /// Is the address in the memory of a module: code, data, or zeros behind the data?
  bool contains(uintptr_t Address);

  /// A library has come with its sites.
  void addSites(const pf_site *Begin, const pf_site *End);
  /// It is about to go: its sites are kept, because races may still refer to them.
  void keepSites(const pf_site *Begin, const pf_site *End);
  /// The site itself, or what was kept of it.
  const pf_site *readable(const pf_site *Site);
  /// The site of the access to one byte, which Site may stand for (abi.h: PF_SITE_ROW).
  const pf_site *siteAt(const pf_site *Site, uintptr_t Address);
  /// The memory of the library that Address lies in; nothing for the program itself.
  bool findLibrary(uintptr_t Address, uintptr_t &Start, size_t &Bytes);

private:
  struct Module {
    uintptr_t Base, Start, End;
    uint32_t Path; ///< where it starts in Paths
  };
  struct Kept {
    const pf_site *Begin, *End; ///< where they were
    pf_site *Copy;
  };
  void read(const char *Maps, size_t Bytes);

  SpinLock Lock;
  Array<Module> Mapped;
  Array<char> Paths;
  Array<Kept> Gone;
  uint64_t Fingerprint = 0;
  uint64_t Described[2] = {};
};

extern Modules TheModules;

} // namespace photofinish::rt

#endif // PHOTOFINISH_RUNTIME_MODULES_H
