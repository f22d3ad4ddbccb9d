//===- installation.h - Where the parts of Photofinish are ----------------===//
//
// The command finds everything from where it is itself, so that a build tree, an installed
// tree and a copied one work alike:
//
//   bin/photofinish
//   lib/photofinish/libphotofinish-placement.so   the pass, loaded by clang
//                   libphotofinish-rt.a           the runtime
//                   photofinish.syms              what programs export of it
//                   libphotofinish-rt-static.a    the runtime for -static, and
//                   static-wraps.rsp              the functions that it stands in for
//                   *-static-cxx.a, *-cxx.rsp     the same for C++
//                   libc-begin.o, libc-end.o      what libc is put between in static programs
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_DRIVER_INSTALLATION_H
#define PHOTOFINISH_DRIVER_INSTALLATION_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace photofinish {

/// The command's own path, with no link in it; empty if the system does not tell.
std::string toolPath();

/// A file of lib/photofinish/, whether it is there or not.
std::string libraryFile(llvm::StringRef Name);

/// clang or clang++: the one that Photofinish was built with, or what PHOTOFINISH_CLANG or
/// PHOTOFINISH_CLANGXX says.
std::string clangPath(bool ForCxx);

} // namespace photofinish

#endif // PHOTOFINISH_DRIVER_INSTALLATION_H
