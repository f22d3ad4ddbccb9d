//===- format.cpp - Walking a format and its arguments -------------------------===//
//
// To find the arguments that are strings or places to store to, all those before them have to
// be taken from the list with the right type. What cannot be followed with certainty ends the
// walk: numbered arguments (%1$s), and conversions that somebody registered.
//
//===----------------------------------------------------------------------===//

#include "runtime/intercept/format.h"

namespace photofinish::rt {
namespace {

enum class Length : uint8_t {
  None,
  Char,
  Short,
  Long,
  LongLong,
  LongDouble,
  Max,
  Size,
  Difference
};

/// One conversion, from % to its letter.
struct Conversion {
  bool Suppressed = false; ///< * in scanf: nothing is stored
  bool Allocates = false;  ///< m in scanf: a block is made
  bool HasPrecision = false;
  int Width = 0; ///< of scanf, 0 if there is none
  int Precision = 0;
  Length Modifier = Length::None;
  char Letter = 0;
};

bool isOneOf(char C, const char *Set) {
  for (; *Set; ++Set)
    if (*Set == C)
      return true;
  return false;
}

int number(const char *&Format) {
  int Value = 0;
  for (; *Format >= '0' && *Format <= '9'; ++Format)
    Value = Value < 100000000 ? Value * 10 + (*Format - '0') : Value;
  return Value;
}

Length modifier(const char *&Format) {
  char C = *Format;
  if (!C || !isOneOf(C, "hlLqjzZt"))
    return Length::None;
  ++Format;
  switch (C) {
  case 'h':
    if (*Format != 'h')
      return Length::Short;
    ++Format;
    return Length::Char;
  case 'l':
    if (*Format != 'l')
      return Length::Long;
    ++Format;
    return Length::LongLong;
  case 'L':
    return Length::LongDouble;
  case 'q':
    return Length::LongLong;
  case 'j':
    return Length::Max;
  case 't':
    return Length::Difference;
  default:
    return Length::Size;
  }
}

size_t integerBytes(Length Modifier) {
  switch (Modifier) {
  case Length::Char:
    return 1;
  case Length::Short:
    return 2;
  case Length::None:
    return 4;
  default:
    return 8;
  }
}

/// The bytes of a string that is printed with a precision.
template <class C> size_t printedBytes(const C *S, const Conversion &Found) {
  size_t Most = Found.HasPrecision && Found.Precision >= 0 ? size_t(Found.Precision) : SIZE_MAX;
  size_t Count = 0;
  while (Count < Most && S[Count])
    ++Count;
  return (Count < Most ? Count + 1 : Count) * sizeof(C);
}

/// Stands at the conversion behind the next %; null at the end. Skips %%.
const char *nextConversion(const char *Format) {
  for (; *Format; ++Format)
    if (*Format == '%') {
      if (Format[1] != '%')
        return Format + 1;
      ++Format;
    }
  return nullptr;
}

/// Walks a printf format. OnString and OnStore are called with an argument and its conversion.
template <class String, class Store>
void walkPrint(const char *Format, va_list &Arguments, String OnString, Store OnStore) {
  while ((Format = nextConversion(Format))) {
    Conversion Found;
    while (*Format && isOneOf(*Format, "-+ #0'I"))
      ++Format;
    if (*Format == '*') {
      ++Format;
      va_arg(Arguments, int);
    }
    number(Format);
    if (*Format == '$')
      return;
    if (*Format == '.') {
      ++Format;
      Found.HasPrecision = true;
      if (*Format == '*') {
        ++Format;
        Found.Precision = va_arg(Arguments, int);
      } else {
        Found.Precision = number(Format);
      }
      if (*Format == '$')
        return;
    }
    Found.Modifier = modifier(Format);
    Found.Letter = *Format;
    switch (*Format++) {
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X':
      // NOLINTNEXTLINE(bugprone-branch-clone): the types differ
      if (integerBytes(Found.Modifier) == 8)
        va_arg(Arguments, long);
      else
        va_arg(Arguments, int);
      break;
    case 'c':
    case 'C':
      va_arg(Arguments, int);
      break;
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
      // NOLINTNEXTLINE(bugprone-branch-clone): the types differ
      if (Found.Modifier == Length::LongDouble)
        va_arg(Arguments, long double);
      else
        va_arg(Arguments, double);
      break;
    case 'p':
      va_arg(Arguments, void *);
      break;
    case 'm':
      break;
    case 's':
    case 'S':
      OnString(va_arg(Arguments, const void *), Found);
      break;
    case 'n':
      OnStore(va_arg(Arguments, const void *), Found);
      break;
    default:
      return;
    }
  }
}

/// Behind the set of a %[ conversion.
const char *behindSet(const char *Format) {
  if (*Format == '^')
    ++Format;
  if (*Format == ']')
    ++Format;
  while (*Format && *Format != ']')
    ++Format;
  return *Format ? Format + 1 : Format;
}

size_t stringBytes(const void *S, bool Wide) {
  Conversion Whole;
  return Wide ? printedBytes(static_cast<const wchar_t *>(S), Whole)
              : printedBytes(static_cast<const char *>(S), Whole);
}

/// What a conversion of scanf that succeeded has stored at Place.
size_t scannedBytes(const Conversion &Found, const void *Place) {
  bool Wide = Found.Modifier == Length::Long || Found.Letter == 'S' || Found.Letter == 'C';
  switch (Found.Letter) {
  case 'a':
  case 'A':
  case 'e':
  case 'E':
  case 'f':
  case 'F':
  case 'g':
  case 'G':
    return Found.Modifier == Length::LongDouble ? sizeof(long double)
           : Found.Modifier == Length::Long     ? sizeof(double)
                                                : sizeof(float);
  case 'c':
  case 'C':
    return size_t(Found.Width ? Found.Width : 1) * (Wide ? sizeof(wchar_t) : 1);
  case 's':
  case 'S':
  case '[':
    return stringBytes(Place, Wide);
  case 'p':
    return sizeof(void *);
  default:
    return integerBytes(Found.Modifier);
  }
}

} // namespace

void formatReads(Entered &E, const char *Format, va_list Arguments) {
  readRange(E, Format, strlen(Format) + 1);
  va_list Walked;
  va_copy(Walked, Arguments);
  walkPrint(
      Format, Walked,
      [&E](const void *S, const Conversion &Found) {
        if (!S)
          return;
        bool Wide = Found.Modifier == Length::Long || Found.Letter == 'S';
        readRange(E, S,
                  Wide ? printedBytes(static_cast<const wchar_t *>(S), Found)
                       : printedBytes(static_cast<const char *>(S), Found));
      },
      [](const void *, const Conversion &) {});
  va_end(Walked);
}

void formatWrites(Entered &E, const char *Format, va_list Arguments) {
  va_list Walked;
  va_copy(Walked, Arguments);
  walkPrint(
      Format, Walked, [](const void *, const Conversion &) {},
      [&E](const void *Place, const Conversion &Found) {
        writeRange(E, Place, integerBytes(Found.Modifier));
      });
  va_end(Walked);
}

void scanWrites(Entered &E, const char *Format, va_list Arguments, int Converted) {
  readRange(E, Format, strlen(Format) + 1);
  va_list Walked;
  va_copy(Walked, Arguments);
  const char *Next = Format;
  while ((Next = nextConversion(Next))) {
    Conversion Found;
    Found.Suppressed = *Next == '*';
    Next += Found.Suppressed;
    while (*Next == '\'' || *Next == 'I')
      ++Next;
    Found.Width = number(Next);
    if (*Next == '$')
      break;
    Found.Allocates = *Next == 'm';
    Next += Found.Allocates;
    Found.Modifier = modifier(Next);
    Found.Letter = *Next;
    if (!*Next || !isOneOf(*Next, "diouxXaAeEfFgGcCsS[pn"))
      break;
    ++Next;
    if (Found.Letter == '[')
      Next = behindSet(Next);
    if (Found.Suppressed)
      continue;
    // %n stores without being counted; it is reached once all before it have succeeded.
    if (Found.Letter != 'n' && Converted-- <= 0)
      break;
    const void *Place = va_arg(Walked, const void *);
    if (Found.Allocates) {
      const void *Block = *static_cast<void *const *>(Place);
      writeRange(E, Place, sizeof(void *));
      Place = Block;
    }
    writeRange(E, Place, scannedBytes(Found, Place));
  }
  va_end(Walked);
}

} // namespace photofinish::rt
