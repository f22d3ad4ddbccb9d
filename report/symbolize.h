//===- symbolize.h - Addresses to names -----------------------------------===//
//
// Records name code and data by address; the files that the program was loaded from turn them
// into functions, lines and variables. LLVM's symbolizer does the reading; only what a race
// mentions is ever looked up.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_REPORT_SYMBOLIZE_H
#define PHOTOFINISH_REPORT_SYMBOLIZE_H

#include "report/record.h"

#include <memory>

namespace photofinish {

class Symbolizer {
public:
  Symbolizer();
  ~Symbolizer();

  /// A library may be unloaded, and another one take its place: the latest module wins.
  void addModules(const std::vector<Module> &Loaded);

  /// Replaces return addresses by frames, and adds the names of locks and of a global variable.
  /// What cannot be resolved stays as it is.
  void resolve(Race &R);

private:
  class Impl;
  std::unique_ptr<Impl> I;
};

} // namespace photofinish

#endif // PHOTOFINISH_REPORT_SYMBOLIZE_H
