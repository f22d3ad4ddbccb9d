//===- options.cpp - What the user has asked for -------------------------------------===//

#include "runtime/base/options.h"

#include "runtime/base/message.h"
#include "runtime/base/text.h"
#include "runtime/platform/os.h"

#include <cstring>

using namespace photofinish;
using namespace photofinish::rt;

constinit Options rt::TheOptions;

namespace {

bool areEqual(const char *A, const char *B) {
  while (*A && *A == *B)
    ++A, ++B;
  return *A == *B;
}

[[noreturn]] void refuse(const char *What, const char *Why) {
  complain("PHOTOFINISH_OPTIONS: ", What, Why);
  os::exitProcess(2);
}

void setNumber(uint64_t &Option, uint64_t Most, const char *Key, const char *Value) {
  uint64_t Number = 0;
  const char *At = Value;
  for (; *At >= '0' && *At <= '9' && Number <= Most; ++At)
    Number = Number * 10 + uint64_t(*At - '0');
  if (*At || At == Value || Number > Most) {
    Text Why;
    Why.add(" is not a number from 0 to ").addNumber(Most).add('\0');
    refuse(Key, Why.data());
  }
  Option = Number;
}

void setText(char (&Option)[Options::TextBytes], const char *Value) {
  std::memcpy(Option, Value, std::strlen(Value) + 1);
}

template <size_t N> void addChoices(Text &To, const char *const (&Choices)[N]) {
  for (size_t I = 0; I < N; ++I)
    To.add(I ? ", " : "").add(Choices[I]);
}

template <size_t N>
void setChoice(uint64_t &Option, const char *const (&Choices)[N], const char *Key,
               const char *Value) {
  for (Option = 0; Option < N; ++Option)
    if (areEqual(Choices[Option], Value))
      return;
  Text Why;
  Why.add(" is none of ");
  addChoices(Why, Choices);
  Why.add('\0');
  refuse(Key, Why.data());
}

void set(Options &O, const char *Key, const char *Value) {
#define NUMBER(name, standard, most, help)                                                         \
  if (areEqual(Key, #name))                                                                        \
    return setNumber(O.name, most, Key, Value);
#define TEXT(name, standard, help)                                                                 \
  if (areEqual(Key, #name))                                                                        \
    return setText(O.name, Value);
#define CHOICE(name, help, ...)                                                                    \
  if (areEqual(Key, #name))                                                                        \
    return setChoice(O.name, O.name##_choices, Key, Value);
#include "runtime/base/options.def"
  refuse(Key, " is no option; help=1 lists them all");
}

void printHelp() {
  Text Help;
  Help.add(
      "PHOTOFINISH_OPTIONS is key=value pairs with colons between them; a value with a colon or\n"
      "a blank in it stands in single quotes.\n\n");
  auto Line = [&](const char *Name, const char *Explanation) {
    Help.add("  ").add(Name);
    for (size_t I = std::strlen(Name); I < 17; ++I)
      Help.add(' ');
    Help.add(Explanation);
  };
#define NUMBER(name, standard, most, help)                                                         \
  Line(#name, help);                                                                               \
  Help.add(" (").addNumber(standard).add(")\n");
#define TEXT(name, standard, help)                                                                 \
  Line(#name, help);                                                                               \
  Help.add(standard[0] ? " (" standard ")\n" : "\n");
#define CHOICE(name, help, ...)                                                                    \
  Line(#name, help ": ");                                                                          \
  addChoices(Help, Options::name##_choices);                                                       \
  Help.add(" (").add(Options::name##_choices[0]).add(")\n");
#include "runtime/base/options.def"
  os::write(1, Help.data(), Help.size());
}

} // namespace

void Options::parse(const char *Given) {
  auto IsBetween = [](char C) { return C == ':' || C == ' ' || C == '\t' || C == '\n'; };
  while (*Given) {
    if (IsBetween(*Given)) {
      ++Given;
      continue;
    }
    char Key[64], Value[TextBytes];
    size_t Length = 0;
    for (; *Given && *Given != '=' && !IsBetween(*Given) && Length + 1 < sizeof(Key); ++Given)
      Key[Length++] = *Given;
    Key[Length] = 0;
    if (*Given != '=')
      refuse(Key, " has no value; write key=value");
    ++Given;
    bool IsQuoted = *Given == '\'';
    Given += IsQuoted;
    for (Length = 0; *Given && (IsQuoted ? *Given != '\'' : !IsBetween(*Given)); ++Given) {
      if (Length + 1 == sizeof(Value))
        refuse(Key, " is too long");
      Value[Length++] = *Given;
    }
    Value[Length] = 0;
    if (IsQuoted && *Given != '\'')
      refuse(Key, " has a quote that does not end");
    Given += IsQuoted;
    set(*this, Key, Value);
  }
  if (help) {
    printHelp();
    os::exitProcess(0);
  }
}
