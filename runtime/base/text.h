//===- text.h - Text that grows, and JSON in it -----------------------------------===//
//
// Records are one JSON object a line (docs/records.md); the runtime writes them without a
// library. A comma is put before every member or element that is not the first one.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_RUNTIME_BASE_TEXT_H
#define PHOTOFINISH_RUNTIME_BASE_TEXT_H

#include "detector/array.h"

#include <cstdint>

namespace photofinish::rt {

class Text {
public:
  const char *data() const { return Characters.begin(); }
  size_t size() const { return Characters.size(); }
  void clear() { Characters.clear(); }

  Text &add(char C) {
    Characters.push(C);
    return *this;
  }
  Text &add(const char *S) {
    while (*S)
      add(*S++);
    return *this;
  }
  Text &addNumber(uint64_t N, unsigned Base = 10) {
    char Digits[24];
    unsigned Count = 0;
    do
      Digits[Count++] = "0123456789abcdef"[N % Base];
    while (N /= Base);
    while (Count)
      add(Digits[--Count]);
    return *this;
  }

  // JSON.
  void open(char Bracket) {
    comma();
    add(Bracket);
    IsFirst = true;
  }
  void close(char Bracket) {
    add(Bracket);
    IsFirst = false;
  }
  /// The name of a member; its value comes next.
  void name(const char *Name) {
    comma();
    add('"').add(Name).add("\":");
    IsFirst = true; // no comma before the value
  }
  void string(const char *Value) {
    comma();
    add('"');
    for (; *Value; ++Value)
      addEscaped(*Value);
    add('"');
  }
  void number(uint64_t Value) {
    comma();
    addNumber(Value);
  }
  void address(uint64_t Value) {
    comma();
    add("\"0x").addNumber(Value, 16).add('"');
  }
  void member(const char *Name, const char *Value) { name(Name), string(Value); }
  void member(const char *Name, uint64_t Value) { name(Name), number(Value); }
  void addressMember(const char *Name, uint64_t Value) { name(Name), address(Value); }

private:
  void comma() {
    if (!IsFirst)
      add(',');
    IsFirst = false;
  }
  void addEscaped(char C) {
    if (C == '"' || C == '\\') {
      add('\\').add(C);
    } else if (uint8_t(C) < 0x20) {
      add("\\u00").add("0123456789abcdef"[uint8_t(C) >> 4]).add("0123456789abcdef"[C & 15]);
    } else {
      add(C);
    }
  }

  Array<char> Characters;
  bool IsFirst = true;
};

} // namespace photofinish::rt

#endif // PHOTOFINISH_RUNTIME_BASE_TEXT_H
