//===- runtime_options.cpp - PHOTOFINISH_OPTIONS --------------------------===//

#include "driver/runtime_options.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace photofinish {

using llvm::StringRef;

static bool isBetween(char C) { return C == ':' || llvm::isSpace(C); }

/// Takes the first key=value off Rest, quotes and all, and what separates it from the next.
static StringRef takeOption(StringRef &Rest) {
  size_t End = 0;
  for (bool Quoted = false; End < Rest.size() && (Quoted || !isBetween(Rest[End])); ++End)
    if (Rest[End] == '\'' && (Quoted || (End && Rest[End - 1] == '=')))
      Quoted = !Quoted;
  StringRef Option = Rest.take_front(End);
  Rest = Rest.drop_front(End).drop_while(isBetween);
  return Option;
}

std::string mergeRuntimeOptions(StringRef Existing, const std::vector<RuntimeOption> &Ours) {
  std::string Merged;
  auto Append = [&](const std::string &Option) { Merged += (Merged.empty() ? "" : ":") + Option; };
  while (!Existing.empty()) {
    StringRef Option = takeOption(Existing);
    StringRef Key = Option.split('=').first;
    if (!Option.empty() && llvm::none_of(Ours, [&](const auto &O) { return O.first == Key; }))
      Append(Option.str());
  }
  for (const auto &[Key, Value] : Ours)
    Append(Key + "=" + (llvm::any_of(Value, isBetween) ? "'" + Value + "'" : Value));
  return Merged;
}

} // namespace photofinish
