//===- process.cpp - Becoming another program -----------------------------===//

#include "driver/process.h"

#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <system_error>
#include <unistd.h>

namespace photofinish {

ExitCode becomeProgram(llvm::StringRef Command, const std::string &Path,
                       const std::vector<std::string> &Whole) {
  std::vector<char *> Argv;
  for (const std::string &Word : Whole)
    Argv.push_back(const_cast<char *>(Word.c_str()));
  Argv.push_back(nullptr);
  llvm::outs().flush();
  execv(Path.c_str(), Argv.data());
  std::error_code Error(errno, std::generic_category());
  return fail(Command, "cannot run '" + Path + "': " + Error.message());
}

} // namespace photofinish
