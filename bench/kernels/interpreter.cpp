//===- interpreter.cpp - A bytecode interpreter, many scripts at once -----===//
//
// A small dynamic language is compiled to bytecode once; then the threads run its scripts on
// different arguments. It stands for jython (bigfoot.txt, Table 1; slimstate.txt, Table III).
//
//   fn sum(n) { let t = {}; t.of = 0; while n > 0 { t.of = t.of + n; n = n - 1; } return t.of; }
//
// Values are integers, strings, arrays ([..] or array(n, x)), dictionaries (dict()) and records
// ({}), whose fields are at the places that their shape says.
//
// Sharing: the bytecode is read by all. All strings are interned, in a table under a lock.
// Shapes, and how a field access goes from shape to place, are in a table under a lock too; each
// field instruction has an inline cache, an atomic pointer to the immutable entry it used last,
// stored with release and loaded with acquire. Arrays, dictionaries and records belong to the
// thread that runs the script and are counted without atomics. A race detector sees a hot
// read-shared code array, a value stack that never leaves its thread, small objects with counts
// in them, and a lock for every string that is made.
//
// Each script has a twin in C++, which says what its answer should be.
//
//===----------------------------------------------------------------------===//

#include "bench/kernels/kernel.h"

#include <array>
#include <atomic>
#include <cctype>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace {

const char *const Scripts = R"(
fn sieve(n) {
  let flags = array(n + 1, 1); let count = 0; let i = 2;
  while i < n + 1 {
    if flags[i] == 1 {
      count = count + 1;
      let j = i * i;
      while j < n + 1 { flags[j] = 0; j = j + i; }
    }
    i = i + 1;
  }
  return count;
}
fn sortRange(a, low, high) {
  if high - low < 2 { return 0; }
  let pivot = a[(low + high) / 2]; let i = low; let j = high - 1;
  while i < j + 1 {
    while a[i] < pivot { i = i + 1; }
    while pivot < a[j] { j = j - 1; }
    if i < j + 1 { let t = a[i]; a[i] = a[j]; a[j] = t; i = i + 1; j = j - 1; }
  }
  sortRange(a, low, j + 1);
  return sortRange(a, i, high);
}
fn sort(n) {
  let a = []; let x = n;
  while len(a) < n { x = (x * 1103515245 + 12345) % 2147483648; push(a, x); }
  sortRange(a, 0, n);
  let sum = 0; let i = 0;
  while i < n { sum = (sum * 31 + a[i]) % 1000003; i = i + 1; }
  return sum;
}
fn grow(depth, key) {
  let node = {};
  if key % 2 == 0 { node.key = key; node.weight = depth; }
  else { node.weight = depth; node.colour = "red"; node.key = key; }
  if depth > 0 { node.left = grow(depth - 1, key * 2); node.right = grow(depth - 1, key * 3); }
  return node;
}
fn weigh(node, depth) {
  let sum = node.key % 1000 + node.weight;
  if depth > 0 { sum = sum + weigh(node.left, depth - 1) + weigh(node.right, depth - 1); }
  return sum;
}
fn tree(n) { return weigh(grow(10, n), 10); }
fn words(n) {
  let counts = dict(); let x = n; let i = 0;
  while i < n {
    x = (x * 1103515245 + 12345) % 2147483648;
    let word = "word" + str(x / 65536 % 200);
    if has(counts, word) { counts[word] = counts[word] + 1; } else { counts[word] = 1; }
    i = i + 1;
  }
  let all = keys(counts); let sum = 0; i = 0;
  while i < len(all) { sum = (sum * 31 + counts[all[i]] * len(all[i])) % 1000003; i = i + 1; }
  return sum;
}
fn place(taken, rising, falling, n, row) {
  if row == n { return 1; }
  let count = 0; let column = 0;
  while column < n {
    if taken[column] + rising[row + column] + falling[row - column + n] == 0 {
      taken[column] = 1; rising[row + column] = 1; falling[row - column + n] = 1;
      count = count + place(taken, rising, falling, n, row + 1);
      taken[column] = 0; rising[row + column] = 0; falling[row - column + n] = 0;
    }
    column = column + 1;
  }
  return count;
}
fn queens(n) {
  let size = n % 3 + 5;
  return place(array(size, 0), array(size * 2, 0), array(size * 2, 0), size, 0);
}
)";

//===-- Strings and shapes, shared --------------------------------------------===//

/// A string, once in the process. Never changes, and stays to the end.
struct Text {
  std::string Characters;
  size_t Hash;
};

class TextTable {
public:
  const Text *intern(std::string Characters) {
    std::scoped_lock Guard(Lock);
    if (auto Found = Texts.find(Characters); Found != Texts.end())
      return Found->second;
    size_t Hash = std::hash<std::string>()(Characters);
    const Text &Added = All.emplace_back(Text{std::move(Characters), Hash});
    Texts.emplace(Added.Characters, &Added);
    return &Added;
  }

private:
  std::mutex Lock;
  std::deque<Text> All;                                     // Lock.
  std::unordered_map<std::string_view, const Text *> Texts; // Lock.
};

/// Which fields a record has, in the order in which it got them. Never changes.
struct Shape {
  const Shape *Shorter = nullptr;
  const Text *Last = nullptr;
  uint32_t Size = 0;
};

/// What an access to a field does with a record of some shape: an inline cache's content. Never
/// changes. A read leaves the shape as it is; a write may make it longer.
struct FieldAccess {
  const Shape *Before, *After;
  uint32_t Place;
};
using InlineCache = std::atomic<const FieldAccess *>;

class ShapeTable {
public:
  const Shape *empty() const { return &Empty; }

  const FieldAccess *find(const Shape *Before, const Text *Name, bool IsWrite) {
    std::scoped_lock Guard(Lock);
    auto [At, IsNew] = Accesses.try_emplace({Before, Name, IsWrite});
    if (IsNew)
      At->second = access(Before, Name, IsWrite);
    return &At->second;
  }

private:
  const Shape Empty;
  std::mutex Lock;
  std::deque<Shape> Shapes;                                                      // Lock.
  std::map<std::tuple<const Shape *, const Text *, bool>, FieldAccess> Accesses; // Lock.

  FieldAccess access(const Shape *Before, const Text *Name, bool IsWrite) {
    for (const Shape *S = Before; S->Last; S = S->Shorter)
      if (S->Last == Name)
        return {Before, Before, S->Size - 1};
    if (!IsWrite)
      throw std::runtime_error("no field " + Name->Characters);
    return {Before, &Shapes.emplace_back(Shape{Before, Name, Before->Size + 1}), Before->Size};
  }
};

//===-- Values --------------------------------------------------------------===//

/// What lives on the heap of one thread.
struct Object {
  uint32_t References = 0;
  virtual ~Object() = default;
};

class Value {
public:
  Value() = default;
  Value(int64_t Integer) : Is(Kind::Integer), Integer(Integer) {}
  Value(const Text *String) : Is(Kind::String), String(String) {}
  Value(Object *Reference) : Is(Kind::Reference), Reference(Reference) { ++Reference->References; }
  Value(const Value &V) : Is(V.Is), Integer(V.Integer) {
    if (Is == Kind::Reference)
      ++Reference->References;
  }
  Value(Value &&V) noexcept : Is(std::exchange(V.Is, Kind::Integer)), Integer(V.Integer) {}
  Value &operator=(Value V) noexcept {
    std::swap(Is, V.Is);
    std::swap(Integer, V.Integer);
    return *this;
  }
  ~Value() {
    if (Is == Kind::Reference && --Reference->References == 0)
      delete Reference;
  }

  bool isString() const { return Is == Kind::String; }
  int64_t integer() const {
    expect(Kind::Integer);
    return Integer;
  }
  const Text *string() const {
    expect(Kind::String);
    return String;
  }
  template <class T> T *tryAs() const {
    return Is == Kind::Reference ? dynamic_cast<T *>(Reference) : nullptr;
  }
  template <class T> T &as() const {
    if (T *Result = tryAs<T>())
      return *Result;
    throw std::runtime_error("wrong kind of object");
  }

  size_t hash() const {
    return isString() ? string()->Hash : static_cast<size_t>(integer()) * 0x9e3779b97f4a7c15 >> 7;
  }
  /// Strings are interned: the same address is the same string.
  bool operator==(const Value &V) const { return Is == V.Is && Integer == V.Integer; }

private:
  enum class Kind : uint8_t { Integer, String, Reference };
  Kind Is = Kind::Integer;
  union {
    int64_t Integer = 0;
    const Text *String;
    Object *Reference;
  };

  void expect(Kind K) const {
    if (Is != K)
      throw std::runtime_error("wrong kind of value");
  }
};

struct ArrayObject final : Object {
  std::vector<Value> Elements;
  Value &at(int64_t Index) {
    if (static_cast<uint64_t>(Index) >= Elements.size())
      throw std::runtime_error("index out of range");
    return Elements[static_cast<size_t>(Index)];
  }
};

/// A hash table with open addressing, over entries in the order they were made.
struct DictionaryObject final : Object {
  std::vector<std::pair<Value, Value>> Entries;
  std::vector<uint32_t> Index = std::vector<uint32_t>(8); // Number of an entry + 1, or 0.

  Value *find(const Value &Key) {
    uint32_t Entry = slot(Key);
    return Entry ? &Entries[Entry - 1].second : nullptr;
  }
  Value &findOrAdd(const Value &Key) {
    if (Value *Found = find(Key))
      return *Found;
    if (Entries.size() * 2 >= Index.size()) {
      Index.assign(Index.size() * 2, 0);
      for (uint32_t I = 0; I < Entries.size(); ++I)
        slot(Entries[I].first) = I + 1;
    }
    Entries.emplace_back(Key, Value());
    slot(Key) = static_cast<uint32_t>(Entries.size());
    return Entries.back().second;
  }

private:
  uint32_t &slot(const Value &Key) {
    for (size_t I = Key.hash();; ++I)
      if (uint32_t &Entry = Index[I & (Index.size() - 1)];
          !Entry || Entries[Entry - 1].first == Key)
        return Entry;
  }
};

struct RecordObject final : Object {
  const Shape *Form;
  std::vector<Value> Fields;
  explicit RecordObject(const Shape *Form) : Form(Form) {}
};

//===-- Bytecode ------------------------------------------------------------===//

enum class Op : uint8_t {
  Constant,
  LoadLocal,
  StoreLocal,
  Drop,
  Add,
  Subtract,
  Multiply,
  Divide,
  Remainder,
  Less,
  Equal,
  Jump,
  JumpIfFalse,
  Call,
  CallBuiltin,
  Return,
  LoadElement,
  StoreElement,
  LoadField,
  StoreField,
  MakeArray,
  MakeRecord
};

enum class Builtin : uint32_t { Array, Dict, Len, Push, Str, Has, Keys };
constexpr std::array<std::string_view, 7> BuiltinNames = {"array", "dict", "len", "push",
                                                          "str",   "has",  "keys"};

struct Instruction {
  Op Code;
  uint8_t Count = 0;     // Of arguments or elements.
  uint32_t Argument = 0; // What it is depends on the operation.
};

/// Never changes once compiled, but for the caches.
struct Function {
  std::string Name;
  uint32_t NumParameters = 0, NumLocals = 0;
  std::vector<Instruction> Code;
  std::vector<Value> Constants;          // Integers and strings: copies touch no counts.
  std::vector<const Text *> Fields;      // By field instruction.
  std::unique_ptr<InlineCache[]> Caches; // The same; any thread, atomically.
};

class Module {
public:
  TextTable Texts;
  ShapeTable Shapes;
  std::deque<Function> Functions;

  uint32_t find(std::string_view Name) const {
    for (uint32_t I = 0; I < Functions.size(); ++I)
      if (Functions[I].Name == Name)
        return I;
    throw std::runtime_error("no function " + std::string(Name));
  }
};

/// Compiles as it parses, one function after the other.
class Compiler {
public:
  Compiler(Module &M, std::string_view Source) : M(M) {
    lex(Source);
    for (size_t I = 0; Tokens[I] != ""; ++I) // Calls may come before what they call.
      if (Tokens[I] == "fn")
        M.Functions.emplace_back().Name = Tokens[I + 1];
    for (Function &Each : M.Functions)
      function(Each);
  }

private:
  Module &M;
  std::vector<std::string_view> Tokens; // With an empty one in the end.
  size_t At = 0;
  Function *F = nullptr;
  std::vector<std::string_view> Locals;

  static bool isWordPart(char C) { return std::isalnum(static_cast<unsigned char>(C)); }

  void lex(std::string_view Source) {
    for (size_t I = 0; I < Source.size();) {
      size_t Begin = I++;
      if (Source[Begin] == ' ' || Source[Begin] == '\n')
        continue;
      if (isWordPart(Source[Begin]))
        while (isWordPart(Source[I]))
          ++I;
      else if (Source[Begin] == '"')
        I = Source.find('"', I) + 1;
      else if (Source.substr(Begin, 2) == "==")
        ++I;
      Tokens.push_back(Source.substr(Begin, I - Begin));
    }
    Tokens.push_back("");
  }

  std::string_view take() { return Tokens[At++]; }
  bool accept(std::string_view Text) { return Tokens[At] == Text && ++At; }
  void expect(std::string_view Text) {
    if (!accept(Text))
      throw std::runtime_error("expected " + std::string(Text));
  }

  uint32_t emit(Op Code, size_t Argument = 0, size_t Count = 0) {
    F->Code.push_back({Code, static_cast<uint8_t>(Count), static_cast<uint32_t>(Argument)});
    return static_cast<uint32_t>(F->Code.size() - 1);
  }
  void emitConstant(Value V) {
    F->Constants.push_back(std::move(V));
    emit(Op::Constant, F->Constants.size() - 1);
  }
  void emitField(Op Code, std::string_view Name) {
    F->Fields.push_back(M.Texts.intern(std::string(Name)));
    emit(Code, F->Fields.size() - 1);
  }
  void jumpHere(uint32_t From) { F->Code[From].Argument = static_cast<uint32_t>(F->Code.size()); }

  uint32_t local(std::string_view Name) const {
    auto Found = std::ranges::find(Locals, Name);
    if (Found == Locals.end())
      throw std::runtime_error("no variable " + std::string(Name));
    return static_cast<uint32_t>(Found - Locals.begin());
  }

  void function(Function &Into) {
    F = &Into;
    Locals.clear();
    At += 2; // fn and the name.
    expect("(");
    while (!accept(")")) {
      Locals.push_back(take());
      accept(",");
    }
    F->NumParameters = static_cast<uint32_t>(Locals.size());
    block();
    emitConstant(Value());
    emit(Op::Return);
    F->NumLocals = static_cast<uint32_t>(Locals.size());
    F->Caches = std::make_unique<InlineCache[]>(F->Fields.size());
  }

  void block() {
    expect("{");
    while (!accept("}"))
      statement();
  }

  void statement() {
    if (accept("if")) {
      expression();
      uint32_t Otherwise = emit(Op::JumpIfFalse);
      block();
      if (accept("else")) {
        uint32_t End = emit(Op::Jump);
        jumpHere(Otherwise);
        block();
        jumpHere(End);
      } else {
        jumpHere(Otherwise);
      }
      return;
    }
    if (accept("while")) {
      size_t Begin = F->Code.size();
      expression();
      uint32_t End = emit(Op::JumpIfFalse);
      block();
      emit(Op::Jump, Begin);
      jumpHere(End);
      return;
    }
    if (accept("return")) {
      expression();
      emit(Op::Return);
    } else if (accept("let")) {
      std::string_view Name = take();
      expect("=");
      expression();
      if (std::ranges::find(Locals, Name) == Locals.end())
        Locals.push_back(Name);
      emit(Op::StoreLocal, local(Name));
    } else {
      expression();
      assignment();
    }
    expect(";");
  }

  /// What the last expression loads is stored to instead if `=` follows.
  void assignment() {
    if (!accept("=")) {
      emit(Op::Drop);
      return;
    }
    Instruction Load = F->Code.back();
    F->Code.pop_back();
    expression();
    if (Load.Code == Op::LoadLocal)
      emit(Op::StoreLocal, Load.Argument);
    else if (Load.Code == Op::LoadElement)
      emit(Op::StoreElement);
    else if (Load.Code == Op::LoadField)
      emit(Op::StoreField, Load.Argument);
    else
      throw std::runtime_error("cannot assign to that");
  }

  void expression() {
    static const std::map<std::string_view, std::pair<int, Op>> Operators = {
        {"==", {0, Op::Equal}}, {"<", {0, Op::Less}},     {">", {0, Op::Less}},
        {"+", {1, Op::Add}},    {"-", {1, Op::Subtract}}, {"*", {2, Op::Multiply}},
        {"/", {2, Op::Divide}}, {"%", {2, Op::Remainder}}};
    std::function<void(int)> Level = [&](int Least) {
      operand();
      for (auto Found = Operators.find(Tokens[At]);
           Found != Operators.end() && Found->second.first >= Least;
           Found = Operators.find(Tokens[At])) {
        ++At;
        Level(Found->second.first + 1);
        emit(Found->second.second, 0, Found->first == ">"); // a > b is b < a.
      }
    };
    Level(0);
  }

  void operand() {
    std::string_view Token = take();
    if (Token == "(") {
      expression();
      expect(")");
    } else if (Token == "[") {
      emit(Op::MakeArray, 0, list("]"));
    } else if (Token == "{") {
      expect("}");
      emit(Op::MakeRecord);
    } else if (Token[0] == '"') {
      emitConstant(M.Texts.intern(std::string(Token.substr(1, Token.size() - 2))));
    } else if (Token[0] >= '0' && Token[0] <= '9') {
      emitConstant(int64_t(std::stoll(std::string(Token))));
    } else if (accept("(")) {
      call(Token);
    } else {
      emit(Op::LoadLocal, local(Token));
    }
    for (;;) {
      if (accept("[")) {
        expression();
        expect("]");
        emit(Op::LoadElement);
      } else if (accept(".")) {
        emitField(Op::LoadField, take());
      } else {
        return;
      }
    }
  }

  void call(std::string_view Name) {
    size_t Count = list(")");
    auto Found = std::ranges::find(BuiltinNames, Name);
    if (Found != BuiltinNames.end())
      emit(Op::CallBuiltin, static_cast<size_t>(Found - BuiltinNames.begin()), Count);
    else
      emit(Op::Call, M.find(Name), Count);
  }

  size_t list(std::string_view End) {
    size_t Count = 0;
    for (; !accept(End); ++Count, accept(","))
      expression();
    return Count;
  }
};

//===-- The machine ---------------------------------------------------------===//

/// Runs functions for one thread.
class Machine {
public:
  explicit Machine(Module &M) : M(M), Stack(1 << 12), Top(Stack.data()) {}

  Value run(uint32_t Function, Value Argument) {
    *Top++ = std::move(Argument);
    execute(M.Functions[Function]);
    return pop();
  }
  uint64_t numInstructions() const { return NumInstructions; }

private:
  Module &M;
  std::vector<Value> Stack;
  Value *Top; // The first free one.
  uint64_t NumInstructions = 0;

  Value pop() { return std::move(*--Top); }
  void push(Value V) { *Top++ = std::move(V); }

  /// The arguments are on the stack; the result takes their place.
  void execute(const Function &F) {
    Value *Locals = Top - F.NumParameters;
    Top = Locals + F.NumLocals;
    if (Stack.data() + Stack.size() - Top < 64)
      throw std::runtime_error("stack overflow");
    for (const Instruction *At = F.Code.data();;) {
      ++NumInstructions;
      const Instruction I = *At++;
      switch (I.Code) {
      case Op::Constant:
        push(F.Constants[I.Argument]);
        break;
      case Op::LoadLocal:
        push(Locals[I.Argument]);
        break;
      case Op::StoreLocal:
        Locals[I.Argument] = pop();
        break;
      case Op::Drop:
        pop();
        break;
      case Op::Jump:
        At = &F.Code[I.Argument];
        break;
      case Op::JumpIfFalse:
        if (pop().integer() == 0)
          At = &F.Code[I.Argument];
        break;
      case Op::Call:
        if (I.Count != M.Functions[I.Argument].NumParameters)
          throw std::runtime_error("wrong number of arguments");
        execute(M.Functions[I.Argument]);
        break;
      case Op::CallBuiltin:
        builtin(static_cast<Builtin>(I.Argument), Top - I.Count);
        break;
      case Op::Return: {
        Value Result = pop();
        while (Top != Locals)
          pop();
        push(std::move(Result));
        return;
      }
      case Op::LoadElement: {
        Value Index = pop();
        Value Container = pop();
        push(element(Container, Index));
        break;
      }
      case Op::StoreElement: {
        Value Content = pop();
        Value Index = pop();
        Value Container = pop();
        element(Container, Index) = std::move(Content);
        break;
      }
      case Op::LoadField: {
        Value Record = pop();
        auto &R = Record.as<RecordObject>();
        push(R.Fields[access(F, I.Argument, R.Form, false).Place]);
        break;
      }
      case Op::StoreField: {
        Value Content = pop();
        Value Record = pop();
        auto &R = Record.as<RecordObject>();
        const FieldAccess &A = access(F, I.Argument, R.Form, true);
        R.Fields.resize(A.After->Size);
        R.Form = A.After;
        R.Fields[A.Place] = std::move(Content);
        break;
      }
      case Op::MakeArray: {
        auto *Made = new ArrayObject;
        Made->Elements.assign(std::make_move_iterator(Top - I.Count), std::make_move_iterator(Top));
        Top -= I.Count;
        push(Made);
        break;
      }
      case Op::MakeRecord:
        push(new RecordObject(M.Shapes.empty()));
        break;
      default: {
        Value Right = pop();
        Value Left = pop();
        if (I.Count)
          std::swap(Left, Right);
        push(arithmetic(I.Code, Left, Right));
      }
      }
    }
  }

  Value arithmetic(Op Code, const Value &Left, const Value &Right) {
    if (Code == Op::Equal)
      return int64_t(Left == Right);
    if (Code == Op::Add && Left.isString())
      return M.Texts.intern(Left.string()->Characters + Right.string()->Characters);
    int64_t A = Left.integer(), B = Right.integer();
    switch (Code) {
    case Op::Add:
      return A + B;
    case Op::Subtract:
      return A - B;
    case Op::Multiply:
      return A * B;
    case Op::Less:
      return int64_t(A < B);
    default:
      if (B == 0)
        throw std::runtime_error("division by zero");
      return Code == Op::Divide ? A / B : A % B;
    }
  }

  static Value &element(const Value &Container, const Value &Index) {
    if (auto *Array = Container.tryAs<ArrayObject>())
      return Array->at(Index.integer());
    return Container.as<DictionaryObject>().findOrAdd(Index);
  }

  /// From the instruction's cache if it was used on the same shape before.
  const FieldAccess &access(const Function &F, uint32_t Site, const Shape *Form, bool IsWrite) {
    // Acquire: the entry's content comes with its address.
    const FieldAccess *Cached = F.Caches[Site].load(std::memory_order_acquire);
    if (!Cached || Cached->Before != Form) {
      Cached = M.Shapes.find(Form, F.Fields[Site], IsWrite);
      F.Caches[Site].store(Cached, std::memory_order_release);
    }
    return *Cached;
  }

  void builtin(Builtin Which, Value *Arguments) {
    Value Result;
    switch (Which) {
    case Builtin::Array: {
      auto *Made = new ArrayObject;
      Result = Made;
      Made->Elements.assign(static_cast<size_t>(Arguments[0].integer()), Arguments[1]);
      break;
    }
    case Builtin::Dict:
      Result = new DictionaryObject;
      break;
    case Builtin::Len:
      if (Arguments[0].isString())
        Result = static_cast<int64_t>(Arguments[0].string()->Characters.size());
      else
        Result = static_cast<int64_t>(Arguments[0].as<ArrayObject>().Elements.size());
      break;
    case Builtin::Push:
      Arguments[0].as<ArrayObject>().Elements.push_back(Arguments[1]);
      break;
    case Builtin::Str:
      Result = M.Texts.intern(std::to_string(Arguments[0].integer()));
      break;
    case Builtin::Has:
      Result = int64_t(Arguments[0].as<DictionaryObject>().find(Arguments[1]) != nullptr);
      break;
    case Builtin::Keys: {
      auto *Made = new ArrayObject;
      Result = Made;
      for (const auto &[Key, Content] : Arguments[0].as<DictionaryObject>().Entries)
        Made->Elements.push_back(Key);
    }
    }
    while (Top != Arguments)
      pop();
    push(std::move(Result));
  }
};

//===-- The scripts' twins ----------------------------------------------------===//

constexpr int64_t next(int64_t X) { return (X * 1103515245 + 12345) % 2147483648; }

int64_t sieve(int64_t N) {
  int64_t Count = 0;
  for (int64_t I = 2; I <= N; ++I) {
    bool IsPrime = true;
    for (int64_t J = 2; J * J <= I && IsPrime; ++J)
      IsPrime = I % J != 0;
    Count += IsPrime;
  }
  return Count;
}

int64_t sort(int64_t N) {
  std::vector<int64_t> A;
  for (int64_t X = next(N); static_cast<int64_t>(A.size()) < N; X = next(X))
    A.push_back(X);
  std::ranges::sort(A);
  return std::accumulate(A.begin(), A.end(), int64_t(0),
                         [](int64_t Sum, int64_t X) { return (Sum * 31 + X) % 1000003; });
}

int64_t weigh(int64_t Depth, int64_t Key) {
  int64_t Own = Key % 1000 + Depth;
  return Depth ? Own + weigh(Depth - 1, Key * 2) + weigh(Depth - 1, Key * 3) : Own;
}

int64_t tree(int64_t N) { return weigh(10, N); }

int64_t words(int64_t N) {
  std::map<int64_t, int64_t> Counts;
  std::vector<int64_t> Order;
  for (int64_t I = 0, X = next(N); I < N; ++I, X = next(X))
    if (++Counts[X / 65536 % 200] == 1)
      Order.push_back(X / 65536 % 200);
  int64_t Sum = 0;
  for (int64_t Word : Order)
    Sum = (Sum * 31 + Counts[Word] * (Word < 10 ? 5 : Word < 100 ? 6 : 7)) % 1000003;
  return Sum;
}

int64_t queens(int64_t N) {
  constexpr std::array<int64_t, 3> Known = {10, 4, 40}; // On boards of 5, 6 and 7.
  return Known[static_cast<size_t>(N % 3)];
}

struct Script {
  const char *Name;
  int64_t (*Twin)(int64_t);
  int64_t Least, Range; // Of the argument.
};
constexpr std::array<Script, 5> AllScripts = {{{"sieve", sieve, 4000, 4000},
                                               {"sort", sort, 1000, 1000},
                                               {"tree", tree, 1, 100},
                                               {"words", words, 1500, 1500},
                                               {"queens", queens, 0, 3}}};

} // namespace

int main(int Argc, char **Argv) {
  kernel::Settings S(Argc, Argv);

  Module M;
  Compiler(M, Scripts);

  // Jobs are handed out by a counter; each has an answer of its own.
  std::vector<int64_t> Answers(S.scaled(1900, 10));
  std::atomic<size_t> Next = 0;
  uint64_t NumInstructions = 0;
  auto argument = [](size_t Job, const Script &Of) {
    return Of.Least + static_cast<int64_t>(kernel::Random(Job).below(uint64_t(Of.Range)));
  };
  kernel::inParallel(S.Threads, [&](unsigned) {
    Machine Mine(M);
    for (size_t Job; (Job = Next.fetch_add(1, std::memory_order_relaxed)) < Answers.size();) {
      const Script &Of = AllScripts[Job % AllScripts.size()];
      Answers[Job] = Mine.run(M.find(Of.Name), argument(Job, Of)).integer();
    }
    if (S.Race)
      NumInstructions += Mine.numInstructions(); // RACE 1
  });

  bool IsRight = true;
  kernel::Digest Result;
  for (size_t Job = 0; Job < Answers.size(); ++Job) {
    const Script &Of = AllScripts[Job % AllScripts.size()];
    IsRight &= Answers[Job] == Of.Twin(argument(Job, Of));
    Result.add(static_cast<uint64_t>(Answers[Job]));
  }
  return kernel::finish(S, IsRight, Result.value());
}
