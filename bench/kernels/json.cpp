//===- json.cpp - Parsing and summing up JSON records in parallel ---------===//
//
// A shop's orders arrive as files of JSON, one record to a line. The team writes each file (so
// that there is something to read), cuts its text into chunks at arbitrary bytes, parses every
// record into a tree, and sums the items up by country and category:
//
//   {"id":7,"country":"NZ","user":"u12","items":[{"sku":"tools-3","price":9.90,"count":2}],...}
//      ->  "NZ/tools": items 1, units 2, cents 1980, largest 1980, buyers {u12}
//
// One record in a few hundred is broken off; the parser refuses it by an exception. No program
// of the papers does just this; xalan is nearest, which parses and transforms XML (bigfoot.txt,
// Table 1; slimstate.txt, Table III).
//
// Sharing: blocks and chunks are handed out by atomic counters; two barriers per file separate
// writing, reading and the next file; the text is written by all and then read-shared; groups
// live in 16 shards with a lock each. A race detector sees byte-wise scans, many small objects
// that never leave their thread, and short critical sections over hash maps and strings.
//
// The generator keeps its own tally in plain arrays, without JSON; the groups must equal it.
//
//===----------------------------------------------------------------------===//

#include "bench/kernels/kernel.h"

#include <array>
#include <atomic>
#include <barrier>
#include <bitset>
#include <cmath>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <unordered_map>
#include <utility>
#include <variant>

namespace {

//===-- The tree ------------------------------------------------------------===//

struct Value;
struct Member;
using Array = std::vector<Value>;
using Object = std::vector<Member>;

struct Value {
  std::variant<std::nullptr_t, bool, int64_t, double, std::string, Array, Object> Data;

  const Value *find(std::string_view Name) const;
  const Value &at(std::string_view Name) const;
  const std::string &text() const { return std::get<std::string>(Data); }
  int64_t integer() const { return std::get<int64_t>(Data); }
};

/// Objects have a dozen members at most: a search from the front beats a map, and keeps the order.
struct Member {
  std::string Name;
  Value Content;
};

const Value *Value::find(std::string_view Name) const {
  for (const Member &M : std::get<Object>(Data))
    if (M.Name == Name)
      return &M.Content;
  return nullptr;
}

const Value &Value::at(std::string_view Name) const {
  if (const Value *Found = find(Name))
    return *Found;
  throw std::runtime_error("member missing");
}

bool isEqual(const Value &A, const Value &B) {
  if (A.Data.index() != B.Data.index())
    return false;
  if (const auto *Elements = std::get_if<Array>(&A.Data))
    return std::ranges::equal(*Elements, std::get<Array>(B.Data), isEqual);
  if (const auto *Members = std::get_if<Object>(&A.Data))
    return std::ranges::equal(
        *Members, std::get<Object>(B.Data), [](const Member &Left, const Member &Right) {
          return Left.Name == Right.Name && isEqual(Left.Content, Right.Content);
        });
  return std::visit(
      [&B]<class T>(const T &Mine) {
        if constexpr (std::is_same_v<T, Array> || std::is_same_v<T, Object>)
          return false; // Handled above.
        else
          return Mine == std::get<T>(B.Data);
      },
      A.Data);
}

//===-- Text to tree --------------------------------------------------------===//

/// A recursive-descent parser of one record. Throws std::runtime_error where it is not JSON.
class Parser {
public:
  explicit Parser(std::string_view Text) : At(Text.data()), End(At + Text.size()) {}

  Value parse() {
    Value Result = value();
    skipBlanks();
    if (At != End)
      fail("something follows the value");
    return Result;
  }

private:
  const char *At, *End;

  [[noreturn]] static void fail(const char *Why) { throw std::runtime_error(Why); }

  void skipBlanks() {
    while (At != End && (*At == ' ' || *At == '\t' || *At == '\r' || *At == '\n'))
      ++At;
  }

  char peek() {
    skipBlanks();
    if (At == End)
      fail("the record breaks off");
    return *At;
  }

  bool accept(char C) {
    if (peek() != C)
      return false;
    ++At;
    return true;
  }

  void expect(char C) {
    if (!accept(C))
      fail("unexpected character");
  }

  Value value() {
    switch (peek()) {
    case '{':
      return {object()};
    case '[':
      return {array()};
    case '"':
      return {string()};
    case 't':
      return word("true"), Value{true};
    case 'f':
      return word("false"), Value{false};
    case 'n':
      return word("null"), Value{nullptr};
    default:
      return number();
    }
  }

  void word(std::string_view Word) {
    if (!std::string_view(At, End).starts_with(Word))
      fail("unknown word");
    At += Word.size();
  }

  Object object() {
    Object Result;
    expect('{');
    if (accept('}'))
      return Result;
    do {
      peek();
      std::string Name = string();
      expect(':');
      Result.push_back({std::move(Name), value()});
    } while (accept(','));
    expect('}');
    return Result;
  }

  Array array() {
    Array Result;
    expect('[');
    if (accept(']'))
      return Result;
    do
      Result.push_back(value());
    while (accept(','));
    expect(']');
    return Result;
  }

  Value number() {
    const char *Begin = At;
    while (At != End && std::string_view("+-.eE0123456789").find(*At) != std::string_view::npos)
      ++At;
    std::string_view Digits(Begin, At);
    if (Digits.find_first_of(".eE") == Digits.npos)
      return {convert<int64_t>(Digits)};
    return {convert<double>(Digits)};
  }

  template <class T> static T convert(std::string_view Digits) {
    T Result{};
    auto [Last, Error] = std::from_chars(Digits.begin(), Digits.end(), Result);
    if (Error != std::errc() || Last != Digits.end())
      fail("bad number");
    return Result;
  }

  std::string string() {
    std::string Result;
    expect('"');
    for (;;) {
      const char *Begin = At;
      while (At != End && *At != '"' && *At != '\\')
        ++At;
      Result.append(Begin, At);
      if (At == End)
        fail("the string breaks off");
      if (*At++ == '"')
        return Result;
      escape(Result);
    }
  }

  void escape(std::string &Out) {
    static constexpr std::string_view Letters = "\"\\/bfnrt", Meanings = "\"\\/\b\f\n\r\t";
    if (At == End)
      fail("the escape breaks off");
    char Letter = *At++;
    if (size_t Place = Letters.find(Letter); Place != Letters.npos)
      Out += Meanings[Place];
    else if (Letter == 'u')
      appendUtf8(Out, codePoint());
    else
      fail("unknown escape");
  }

  uint32_t codePoint() {
    uint32_t High = fourDigits();
    if (High < 0xd800 || High > 0xdbff)
      return High;
    word("\\u");
    return 0x10000 + ((High - 0xd800) << 10) + (fourDigits() - 0xdc00);
  }

  uint32_t fourDigits() {
    uint32_t Result = 0;
    if (End - At < 4 || std::from_chars(At, At + 4, Result, 16).ptr != At + 4)
      fail("bad code point");
    At += 4;
    return Result;
  }

  static void appendUtf8(std::string &Out, uint32_t Point) {
    auto Tail = [&](int Shift) { Out += static_cast<char>(0x80 | (Point >> Shift & 0x3f)); };
    if (Point < 0x80) {
      Out += static_cast<char>(Point);
    } else if (Point < 0x800) {
      Out += static_cast<char>(0xc0 | Point >> 6);
      Tail(0);
    } else if (Point < 0x10000) {
      Out += static_cast<char>(0xe0 | Point >> 12);
      Tail(6), Tail(0);
    } else {
      Out += static_cast<char>(0xf0 | Point >> 18);
      Tail(12), Tail(6), Tail(0);
    }
  }
};

//===-- Tree to text --------------------------------------------------------===//

void print(std::string &Out, std::string_view Text) {
  Out += '"';
  for (char C : Text) {
    if (C == '"' || C == '\\')
      (Out += '\\') += C;
    else if (static_cast<unsigned char>(C) < 0x20)
      Out += {'\\', 'u', '0', '0', "01"[C >> 4], "0123456789abcdef"[C & 15]};
    else
      Out += C;
  }
  Out += '"';
}

template <class Number> void printNumber(std::string &Out, Number N) {
  char Digits[40];
  Out.append(Digits, std::to_chars(Digits, std::end(Digits), N).ptr);
}

void print(std::string &Out, const Value &V) {
  const char *Separator = "";
  if (const auto *Elements = std::get_if<Array>(&V.Data)) {
    Out += '[';
    for (const Value &Element : *Elements) {
      Out += std::exchange(Separator, ",");
      print(Out, Element);
    }
    Out += ']';
  } else if (const auto *Members = std::get_if<Object>(&V.Data)) {
    Out += '{';
    for (const Member &M : *Members) {
      Out += std::exchange(Separator, ",");
      print(Out, M.Name);
      Out += ':';
      print(Out, M.Content);
    }
    Out += '}';
  } else if (const auto *Text = std::get_if<std::string>(&V.Data)) {
    print(Out, *Text);
  } else if (const auto *Integer = std::get_if<int64_t>(&V.Data)) {
    printNumber(Out, *Integer);
  } else if (const auto *Real = std::get_if<double>(&V.Data)) {
    printNumber(Out, *Real);
    if (Out.find_first_of(".e", Out.find_last_of(",:[")) == Out.npos)
      Out += ".0"; // Stays a double when it is read again.
  } else if (const auto *Truth = std::get_if<bool>(&V.Data)) {
    Out += *Truth ? "true" : "false";
  } else {
    Out += "null";
  }
}

//===-- The orders ----------------------------------------------------------===//

constexpr std::array Countries = {"AR", "AU", "BR", "CA", "CL", "DE", "ES", "FR",
                                  "GB", "IN", "IT", "JP", "KE", "NZ", "US", "ZA"};
constexpr std::array Categories = {"books", "garden", "music", "tools", "toys", "wine"};
constexpr std::array Notes = {R"(leave at the \"back\" door)", R"(ring twice\nthen wait)",
                              R"(caf\u00e9 on the corner)",    R"(smile \ud83d\ude00)",
                              R"(path C:\\temp\/x\t)",         "nothing special"};
constexpr size_t NumUsers = 400;
constexpr size_t NumGroups = Countries.size() * Categories.size();

/// What the generator put into a group, counted without JSON.
struct Tally {
  uint64_t Items = 0, Units = 0, Cents = 0, Largest = 0;
  std::bitset<NumUsers> Buyers;

  void add(const Tally &T) {
    Items += T.Items;
    Units += T.Units;
    Cents += T.Cents;
    Largest = std::max(Largest, T.Largest);
    Buyers |= T.Buyers;
  }
};

/// A part of a file and what is in it. One thread at a time: whoever drew its number.
struct Block {
  std::string Text;
  std::array<Tally, NumGroups> Groups;
  uint64_t Broken = 0;

  void write(uint64_t Number, size_t Records);

private:
  void writeItems(kernel::Random &R, size_t Country, size_t User, bool IsBroken);
};

void Block::write(uint64_t Number, size_t Records) {
  kernel::Random R(Number);
  Text.clear();
  for (size_t I = 0; I < Records; ++I) {
    size_t Country = R.below(Countries.size()), User = R.below(NumUsers), Begin = Text.size();
    bool IsBroken = R.below(300) == 0;
    Text += R"({"id": )" + std::to_string(Number * Records + I) + R"(, "country":")" +
            Countries[Country] + R"(","user":"u)" + std::to_string(User) + R"(","items":[)";
    writeItems(R, Country, User, IsBroken);
    Text += R"(], "note":")" + std::string(Notes[R.below(Notes.size())]) + R"(","tags":[")" +
            Categories[R.below(Categories.size())] + R"(",")" + Countries[R.below(4)] +
            R"("],"gift":)" + (R.below(2) ? "true" : "false") + R"(,"coupon":)" +
            (R.below(3) ? "null" : "0.15") + R"(,"weight":1.25e)" + std::to_string(R.below(3)) +
            "}";
    if (IsBroken) {
      Text.resize(Begin + (Text.size() - Begin) * (1 + R.below(8)) / 9);
      ++Broken;
    }
    Text += '\n';
  }
}

void Block::writeItems(kernel::Random &R, size_t Country, size_t User, bool IsBroken) {
  for (size_t Left = 1 + R.below(5); Left; --Left) {
    size_t Category = R.below(Categories.size());
    uint64_t Price = 50 + R.below(99950), Count = 1 + R.below(9);
    char Money[24];
    std::snprintf(Money, sizeof(Money), "%u.%02u", static_cast<unsigned>(Price / 100),
                  static_cast<unsigned>(Price % 100));
    Text += R"({"sku":")" + std::string(Categories[Category]) + "-" + std::to_string(R.below(90)) +
            R"(","price":)" + Money + R"(,"count":)" + std::to_string(Count) + "}";
    if (Left > 1)
      Text += ',';
    if (IsBroken)
      continue;
    Tally One{1, Count, Price * Count, Price * Count, {}};
    One.Buyers.set(User);
    Groups[Country * Categories.size() + Category].add(One);
  }
}

//===-- Summing up ----------------------------------------------------------===//

struct Group {
  uint64_t Items = 0, Units = 0, Cents = 0, Largest = 0;
  std::unordered_map<std::string, uint32_t> Buyers; // And how many items each bought.
};

/// The groups, spread over shards by the hash of their name.
class Groups {
public:
  void add(const std::string &Name, uint64_t Units, uint64_t Cents, const std::string &Buyer) {
    Shard &Mine = Shards[std::hash<std::string>()(Name) % Shards.size()];
    std::scoped_lock Guard(Mine.Lock);
    Group &G = Mine.Groups[Name];
    ++G.Items;
    G.Units += Units;
    G.Cents += Cents;
    G.Largest = std::max(G.Largest, Cents);
    ++G.Buyers[Buyer];
  }

  /// All shards as one, sorted.
  std::map<std::string, Group> merge() {
    std::map<std::string, Group> Result;
    for (Shard &Each : Shards) {
      std::scoped_lock Guard(Each.Lock);
      for (auto &[Name, G] : Each.Groups)
        Result.emplace(Name, std::move(G));
      Each.Groups.clear();
    }
    return Result;
  }

private:
  struct Shard {
    std::mutex Lock;
    std::unordered_map<std::string, Group> Groups; // Lock.
  };
  std::array<Shard, 16> Shards;
};

void addOrder(Groups &Sums, const Value &Order) {
  const std::string &Country = Order.at("country").text(), &User = Order.at("user").text();
  for (const Value &Item : std::get<Array>(Order.at("items").Data)) {
    const std::string &Sku = Item.at("sku").text();
    auto Units = static_cast<uint64_t>(Item.at("count").integer());
    double Price = std::get<double>(Item.at("price").Data);
    Sums.add(Country + "/" + Sku.substr(0, Sku.find('-')), Units,
             static_cast<uint64_t>(std::llround(Price * 100)) * Units, User);
  }
}

/// The records that begin in [Begin, End) of the text; the last may reach beyond.
class Chunk {
public:
  Chunk(std::string_view Text, size_t Begin, size_t End)
      : Text(Text), At(Begin == 0 ? 0 : after(Begin - 1)), End(std::min(End, Text.size())) {}

  std::optional<std::string_view> next() {
    if (At >= End)
      return std::nullopt;
    size_t Begin = At;
    At = after(At);
    return Text.substr(Begin, At - Begin - 1);
  }

private:
  std::string_view Text;
  size_t At, End;

  size_t after(size_t Place) const { return std::min(Text.find('\n', Place), Text.size() - 1) + 1; }
};

/// What one thread counts, and all of them in the end.
struct Counts {
  uint64_t Records = 0, Broken = 0, WrongPrints = 0, Bytes = 0;
};

void readChunk(Groups &Sums, Counts &Mine, Chunk Records) {
  while (std::optional<std::string_view> Record = Records.next()) {
    Mine.Bytes += Record->size();
    try {
      Value Order = Parser(*Record).parse();
      addOrder(Sums, Order);
      // Now and then, what is printed and parsed again must be the same.
      if (++Mine.Records % 16 == 0) {
        std::string Printed;
        print(Printed, Order);
        Mine.WrongPrints += !isEqual(Order, Parser(Printed).parse());
      }
    } catch (const std::runtime_error &) {
      ++Mine.Broken;
    }
  }
}

constexpr size_t BlocksPerFile = 32, RecordsPerBlock = 128, ChunkBytes = 32 << 10;

} // namespace

int main(int Argc, char **Argv) {
  kernel::Settings S(Argc, Argv);
  const size_t Files = S.scaled(115);

  std::vector<Block> Blocks(BlocksPerFile);
  std::string Text; // Written when all are at the first barrier, read by all until the second.
  std::atomic<size_t> NextBlock = 0, NextChunk = 0;
  std::barrier IsWritten(S.Threads, [&]() noexcept {
    Text.clear();
    for (const Block &B : Blocks)
      Text += B.Text;
    NextBlock.store(0, std::memory_order_relaxed); // The barrier orders it.
  });
  std::barrier IsRead(S.Threads, [&]() noexcept { NextChunk.store(0, std::memory_order_relaxed); });

  Groups Sums;
  std::mutex Lock;
  Counts Total; // Lock.
  uint64_t BytesRead = 0;
  kernel::inParallel(S.Threads, [&](unsigned) {
    Counts Mine;
    for (size_t File = 0; File < Files; ++File) {
      // The counters only hand out numbers; the barriers order the data.
      for (size_t I; (I = NextBlock.fetch_add(1, std::memory_order_relaxed)) < Blocks.size();)
        Blocks[I].write(File * Blocks.size() + I, RecordsPerBlock);
      IsWritten.arrive_and_wait();
      for (size_t Begin;
           (Begin = ChunkBytes * NextChunk.fetch_add(1, std::memory_order_relaxed)) < Text.size();)
        readChunk(Sums, Mine, Chunk(Text, Begin, Begin + ChunkBytes));
      IsRead.arrive_and_wait();
    }
    {
      std::scoped_lock Guard(Lock);
      Total.Records += Mine.Records;
      Total.Broken += Mine.Broken;
      Total.WrongPrints += Mine.WrongPrints;
    }
    if (S.Race)
      BytesRead += Mine.Bytes; // RACE 1
  });

  // The groups against the generator's tallies.
  std::array<Tally, NumGroups> Expected;
  uint64_t Broken = 0;
  for (const Block &B : Blocks) {
    Broken += B.Broken;
    for (size_t I = 0; I < NumGroups; ++I)
      Expected[I].add(B.Groups[I]);
  }
  bool IsRight = Total.Broken == Broken && Total.WrongPrints == 0 &&
                 Total.Records + Broken == Files * BlocksPerFile * RecordsPerBlock;
  std::map<std::string, Group> Merged = Sums.merge();
  kernel::Digest D;
  for (size_t I = 0; I < NumGroups; ++I) {
    const Tally &T = Expected[I];
    const Group &G = Merged[std::string(Countries[I / Categories.size()]) + "/" +
                            Categories[I % Categories.size()]];
    IsRight &= G.Items == T.Items && G.Units == T.Units && G.Cents == T.Cents &&
               G.Largest == T.Largest && G.Buyers.size() == T.Buyers.count();
  }
  IsRight &= Merged.size() == NumGroups;
  for (const auto &[Name, G] : Merged) {
    D.add(Name);
    for (uint64_t Number : {G.Items, G.Units, G.Cents, G.Largest, uint64_t(G.Buyers.size())})
      D.add(Number);
  }
  return kernel::finish(S, IsRight, D.value());
}
