//===- checker.cpp - A rule checker over many source files ----------------===//
//
// The sources of some projects, in a language like a small Java, are lexed, parsed into syntax
// trees and searched for bad habits by a dozen rules, each a visitor. It stands for pmd
// (bigfoot.txt, Table 1; slimstate.txt, Table III). The sources are made up as they are needed:
//
//   class Widget12 { do3(a, b) { let v1 = a + 2; if (v1 < b) { Widget7.do1(v1, b); } return v1; } }
//
// Sharing: threads draw files by an atomic counter. In a project's first phase they parse and
// enter classes and methods into a symbol table (shared_mutex, exclusive); after a barrier, the
// rules look calls up there (shared) and count uses (atomic); findings are merged under a lock
// once per file, and sorted in the end. Each tree is made by one thread and checked by whichever
// draws it. A race detector sees pointer-linked objects with virtual calls, many small strings,
// a read-mostly table, and objects that change hands at a barrier.
//
// The generator counts what it plants: the number of findings is known for each rule.
//
//===----------------------------------------------------------------------===//

#include "bench/kernels/kernel.h"

#include <array>
#include <atomic>
#include <barrier>
#include <compare>
#include <iterator>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace {

enum RuleId {
  ClassNaming,
  MethodNaming,
  TooManyParameters,
  MethodTooLong,
  DeepNesting,
  EmptyBlock,
  ConstantCondition,
  SelfAssignment,
  UnusedLocal,
  MagicNumber,
  UnknownMethod,
  WrongArity,
  UncalledMethod,
  NumRules
};

constexpr std::array<const char *, NumRules> RuleNames = {
    "class-naming",   "method-naming", "too-many-parameters", "method-too-long",
    "deep-nesting",   "empty-block",   "constant-condition",  "self-assignment",
    "unused-local",   "magic-number",  "unknown-method",      "wrong-arity",
    "uncalled-method"};

/// Findings by rule.
using Counts = std::array<uint64_t, NumRules>;

//===-- Lexer ---------------------------------------------------------------===//

struct Token {
  enum Kind { Name, Number, Sign, End } Is;
  std::string_view Text;
  unsigned Line;
};

std::vector<Token> lex(std::string_view Source) {
  auto isDigit = [](char C) { return C >= '0' && C <= '9'; };
  auto isLetter = [](char C) { return (C >= 'a' && C <= 'z') || (C >= 'A' && C <= 'Z'); };
  std::vector<Token> Tokens;
  unsigned Line = 1;
  for (size_t At = 0; At < Source.size();) {
    size_t Begin = At;
    char C = Source[At++];
    Token::Kind Kind = Token::Sign;
    if (C == '\n')
      ++Line;
    if (C == '\n' || C == ' ')
      continue;
    if (C == '/' && Source[At] == '/') {
      At = std::min(Source.find('\n', At), Source.size());
      continue;
    }
    if (isLetter(C)) {
      Kind = Token::Name;
      while (At < Source.size() && (isLetter(Source[At]) || isDigit(Source[At])))
        ++At;
    } else if (isDigit(C)) {
      Kind = Token::Number;
      while (At < Source.size() && isDigit(Source[At]))
        ++At;
    }
    Tokens.push_back({Kind, Source.substr(Begin, At - Begin), Line});
  }
  Tokens.push_back({Token::End, "", Line});
  return Tokens;
}

//===-- Syntax tree ---------------------------------------------------------===//

struct Visitor;

struct Node {
  unsigned Line;
  explicit Node(unsigned Line) : Line(Line) {}
  virtual ~Node() = default;
  virtual void accept(Visitor &V) const = 0;
};
using NodePtr = std::unique_ptr<Node>;

struct Number;
struct Variable;
struct Binary;
struct Call;
struct Let;
struct Assign;
struct Block;
struct If;
struct While;
struct Return;
struct Method;
struct Class;

/// Visits nothing by itself, and everything below a node by default.
struct Visitor {
  virtual ~Visitor() = default;
  virtual void visit(const Number &) {}
  virtual void visit(const Variable &) {}
  virtual void visit(const Binary &);
  virtual void visit(const Call &);
  virtual void visit(const Let &);
  virtual void visit(const Assign &);
  virtual void visit(const Block &);
  virtual void visit(const If &);
  virtual void visit(const While &);
  virtual void visit(const Return &);
  virtual void visit(const Method &);
  virtual void visit(const Class &);
};

/// Dispatches a node to the visitor's function for its class.
template <class Self> struct Visited : Node {
  using Node::Node;
  void accept(Visitor &V) const override { V.visit(static_cast<const Self &>(*this)); }
};

struct Number : Visited<Number> {
  using Visited::Visited;
  std::string Digits;
};
struct Variable : Visited<Variable> {
  using Visited::Visited;
  std::string Name;
};
struct Binary : Visited<Binary> {
  using Visited::Visited;
  char Operator = 0;
  NodePtr Left, Right;
};
struct Call : Visited<Call> {
  using Visited::Visited;
  std::string Class, Method;
  std::vector<NodePtr> Arguments;
};
struct Let : Visited<Let> {
  using Visited::Visited;
  std::string Name;
  NodePtr Value;
};
struct Assign : Visited<Assign> {
  using Visited::Visited;
  std::string Name;
  NodePtr Value;
};
struct Block : Visited<Block> {
  using Visited::Visited;
  std::vector<NodePtr> Statements;
};
struct If : Visited<If> {
  using Visited::Visited;
  NodePtr Condition;
  std::unique_ptr<Block> Then, Else;
};
struct While : Visited<While> {
  using Visited::Visited;
  NodePtr Condition;
  std::unique_ptr<Block> Body;
};
struct Return : Visited<Return> {
  using Visited::Visited;
  NodePtr Value;
};
struct Method : Visited<Method> {
  using Visited::Visited;
  std::string Name;
  std::vector<std::string> Parameters;
  std::unique_ptr<Block> Body;
};
struct Class : Visited<Class> {
  using Visited::Visited;
  std::string Name;
  std::vector<std::unique_ptr<Method>> Methods;
};

void Visitor::visit(const Binary &N) { N.Left->accept(*this), N.Right->accept(*this); }
void Visitor::visit(const Call &N) {
  for (const NodePtr &Argument : N.Arguments)
    Argument->accept(*this);
}
void Visitor::visit(const Let &N) { N.Value->accept(*this); }
void Visitor::visit(const Assign &N) { N.Value->accept(*this); }
void Visitor::visit(const Block &N) {
  for (const NodePtr &Statement : N.Statements)
    Statement->accept(*this);
}
void Visitor::visit(const If &N) {
  N.Condition->accept(*this), N.Then->accept(*this);
  if (N.Else)
    N.Else->accept(*this);
}
void Visitor::visit(const While &N) { N.Condition->accept(*this), N.Body->accept(*this); }
void Visitor::visit(const Return &N) { N.Value->accept(*this); }
void Visitor::visit(const Method &N) { N.Body->accept(*this); }
void Visitor::visit(const Class &N) {
  for (const std::unique_ptr<Method> &M : N.Methods)
    M->accept(*this);
}

//===-- Parser --------------------------------------------------------------===//

class Parser {
public:
  explicit Parser(std::string_view Source) : Tokens(lex(Source)) {}

  std::unique_ptr<Class> parse() {
    auto Result = make<Class>();
    expect("class");
    Result->Name = take();
    expect("{");
    while (!accept("}"))
      Result->Methods.push_back(method());
    return Result;
  }

private:
  std::vector<Token> Tokens;
  size_t At = 0;

  template <class T> std::unique_ptr<T> make() { return std::make_unique<T>(Tokens[At].Line); }
  std::string take() { return std::string(Tokens[At++].Text); }
  bool sees(std::string_view Text) const { return Tokens[At].Text == Text; }
  bool accept(std::string_view Text) { return sees(Text) && ++At; }
  void expect(std::string_view Text) {
    if (!accept(Text))
      throw std::runtime_error("expected " + std::string(Text));
  }

  std::unique_ptr<Method> method() {
    auto Result = make<Method>();
    Result->Name = take();
    expect("(");
    while (!accept(")")) {
      Result->Parameters.push_back(take());
      accept(",");
    }
    Result->Body = block();
    return Result;
  }

  std::unique_ptr<Block> block() {
    auto Result = make<Block>();
    expect("{");
    while (!accept("}"))
      Result->Statements.push_back(statement());
    return Result;
  }

  NodePtr condition() {
    expect("(");
    NodePtr Result = expression();
    expect(")");
    return Result;
  }

  NodePtr statement() {
    NodePtr Result;
    if (auto N = make<If>(); accept("if")) {
      N->Condition = condition();
      N->Then = block();
      if (accept("else"))
        N->Else = block();
      return N;
    }
    if (auto N = make<While>(); accept("while")) {
      N->Condition = condition();
      N->Body = block();
      return N;
    }
    if (auto N = make<Let>(); accept("let")) {
      N->Name = take();
      expect("=");
      N->Value = expression();
      Result = std::move(N);
    } else if (auto R = make<Return>(); accept("return")) {
      R->Value = expression();
      Result = std::move(R);
    } else if (Tokens[At + 1].Text == "=") {
      auto A = make<Assign>();
      A->Name = take();
      expect("=");
      A->Value = expression();
      Result = std::move(A);
    } else {
      Result = expression();
    }
    expect(";");
    return Result;
  }

  NodePtr expression() {
    NodePtr Left = sum();
    while (sees("<"))
      Left = binary(std::move(Left), [&] { return sum(); });
    return Left;
  }

  NodePtr sum() {
    NodePtr Left = primary();
    while (sees("+") || sees("-") || sees("*"))
      Left = binary(std::move(Left), [&] { return primary(); });
    return Left;
  }

  template <std::invocable Fn> NodePtr binary(NodePtr Left, Fn parseRight) {
    auto N = make<Binary>();
    N->Operator = take()[0];
    N->Left = std::move(Left);
    N->Right = parseRight();
    return N;
  }

  NodePtr primary() {
    if (Tokens[At].Is == Token::Number) {
      auto N = make<Number>();
      N->Digits = take();
      return N;
    }
    if (Tokens[At].Is != Token::Name)
      throw std::runtime_error("expected an expression");
    if (Tokens[At + 1].Text != ".") {
      auto N = make<Variable>();
      N->Name = take();
      return N;
    }
    auto N = make<Call>();
    N->Class = take();
    expect(".");
    N->Method = take();
    expect("(");
    while (!accept(")")) {
      N->Arguments.push_back(expression());
      accept(",");
    }
    return N;
  }
};

//===-- Symbols -------------------------------------------------------------===//

/// The methods of a project, by "Class.method".
class SymbolTable {
public:
  struct Symbol {
    std::string File;
    unsigned Line;
    size_t NumParameters;
    std::atomic<uint64_t> Uses = 0;
    Symbol(std::string_view File, unsigned Line, size_t NumParameters)
        : File(File), Line(Line), NumParameters(NumParameters) {}
  };

  void declare(std::string_view File, const Class &C) {
    std::unique_lock Guard(Lock);
    for (const std::unique_ptr<Method> &M : C.Methods)
      Symbols.try_emplace(C.Name + "." + M->Name, File, M->Line, M->Parameters.size());
  }

  /// Nobody declares any more, so that the symbol stays where it is.
  Symbol *find(const std::string &Name) {
    std::shared_lock Guard(Lock);
    auto Found = Symbols.find(Name);
    return Found == Symbols.end() ? nullptr : &Found->second;
  }

  template <class Fn> void forEach(Fn Each) const {
    for (const auto &[Name, S] : Symbols)
      Each(Name, S);
  }
  void clear() { Symbols.clear(); }

private:
  std::shared_mutex Lock;
  std::unordered_map<std::string, Symbol> Symbols; // Lock.
};

//===-- Rules ---------------------------------------------------------------===//

struct Finding {
  std::string File;
  unsigned Line;
  RuleId Rule;
  std::string About;
  auto operator<=>(const Finding &) const = default;
};

/// Some habits that are bad. One object for each file: rules keep notes.
class Rule : public Visitor {
public:
  std::vector<Finding> *Findings = nullptr;

protected:
  void report(RuleId Id, unsigned Line, std::string_view About) {
    Findings->push_back({"", Line, Id, std::string(About)});
  }
  using Visitor::visit;
};

struct NamingRule final : Rule {
  using Rule::visit;
  void visit(const Class &N) override {
    if (N.Name[0] >= 'a')
      report(ClassNaming, N.Line, N.Name);
    Visitor::visit(N);
  }
  void visit(const Method &N) override {
    if (N.Name[0] < 'a')
      report(MethodNaming, N.Line, N.Name);
  }
};

struct ParametersRule final : Rule {
  using Rule::visit;
  void visit(const Method &N) override {
    if (N.Parameters.size() > 5)
      report(TooManyParameters, N.Line, N.Name);
  }
};

struct LengthRule final : Rule {
  using Rule::visit;
  size_t Length = 0;
  void visit(const Block &N) override {
    Length += N.Statements.size();
    Visitor::visit(N);
  }
  void visit(const Method &N) override {
    Length = 0;
    Visitor::visit(N);
    if (Length > 40)
      report(MethodTooLong, N.Line, N.Name);
  }
};

struct NestingRule final : Rule {
  using Rule::visit;
  size_t Depth = 0;
  void visit(const Block &N) override {
    if (++Depth == 6)
      report(DeepNesting, N.Line, "block");
    Visitor::visit(N);
    --Depth;
  }
};

struct EmptyBlockRule final : Rule {
  using Rule::visit;
  void visit(const Block &N) override {
    if (N.Statements.empty())
      report(EmptyBlock, N.Line, "block");
    Visitor::visit(N);
  }
};

struct ConditionRule final : Rule {
  using Rule::visit;
  void visit(const If &N) override {
    if (dynamic_cast<const Number *>(N.Condition.get()))
      report(ConstantCondition, N.Line, "if");
    Visitor::visit(N);
  }
};

struct AssignmentRule final : Rule {
  using Rule::visit;
  void visit(const Assign &N) override {
    if (const auto *V = dynamic_cast<const Variable *>(N.Value.get()); V && V->Name == N.Name)
      report(SelfAssignment, N.Line, N.Name);
    Visitor::visit(N);
  }
};

struct UnusedLocalRule final : Rule {
  using Rule::visit;
  std::unordered_map<std::string, unsigned> Unused; // And the line where it is declared.
  void visit(const Let &N) override {
    Visitor::visit(N);
    Unused[N.Name] = N.Line;
  }
  void visit(const Variable &N) override { Unused.erase(N.Name); }
  void visit(const Method &N) override {
    Unused.clear();
    Visitor::visit(N);
    for (const auto &[Name, Line] : Unused)
      report(UnusedLocal, Line, Name);
  }
};

struct NumberRule final : Rule {
  using Rule::visit;
  void visit(const Number &N) override {
    if (N.Digits.size() > 2)
      report(MagicNumber, N.Line, N.Digits);
  }
};

struct CallRule final : Rule {
  using Rule::visit;
  SymbolTable &Symbols;
  explicit CallRule(SymbolTable &Symbols) : Symbols(Symbols) {}
  void visit(const Call &N) override {
    std::string Name = N.Class + "." + N.Method;
    if (SymbolTable::Symbol *Found = Symbols.find(Name)) {
      Found->Uses.fetch_add(1, std::memory_order_relaxed); // Read after the barrier.
      if (Found->NumParameters != N.Arguments.size())
        report(WrongArity, N.Line, Name);
    } else {
      report(UnknownMethod, N.Line, Name);
    }
    Visitor::visit(N);
  }
};

std::vector<Finding> applyRules(const std::string &File, const Class &Tree, SymbolTable &Symbols) {
  std::vector<std::unique_ptr<Rule>> Rules;
  Rules.push_back(std::make_unique<NamingRule>());
  Rules.push_back(std::make_unique<ParametersRule>());
  Rules.push_back(std::make_unique<LengthRule>());
  Rules.push_back(std::make_unique<NestingRule>());
  Rules.push_back(std::make_unique<EmptyBlockRule>());
  Rules.push_back(std::make_unique<ConditionRule>());
  Rules.push_back(std::make_unique<AssignmentRule>());
  Rules.push_back(std::make_unique<UnusedLocalRule>());
  Rules.push_back(std::make_unique<NumberRule>());
  Rules.push_back(std::make_unique<CallRule>(Symbols));
  std::vector<Finding> Findings;
  for (const std::unique_ptr<Rule> &R : Rules) {
    R->Findings = &Findings;
    Tree.accept(*R);
  }
  for (Finding &F : Findings)
    F.File = File;
  return Findings;
}

//===-- Sources -------------------------------------------------------------===//

/// Makes up the sources of a project. What other files call is a pure function of its place, so
/// that each file can be written by itself.
class Project {
public:
  static constexpr size_t NumFiles = 64, NumMethods = 8;

  explicit Project(uint64_t Seed) : Seed(Seed) {}

  std::string fileName(size_t File) const {
    return "project" + std::to_string(Seed) + "/file" + std::to_string(File);
  }

  /// The text of a file. Adds to Planted what the rules have to find there.
  std::string write(size_t File, Counts &Planted) const {
    return Writer(*this, File, Planted).write();
  }

private:
  uint64_t Seed;

  uint64_t pick(size_t File, size_t Method, uint64_t Salt, uint64_t Bound) const {
    return kernel::Random(((Seed * NumFiles + File) * NumMethods + Method) * 16 + Salt)
        .below(Bound);
  }
  std::string className(size_t File) const {
    return (pick(File, 0, 0, 20) ? "Widget" : "widget") + std::to_string(File);
  }
  std::string methodName(size_t File, size_t Method) const {
    return (pick(File, Method, 1, 40) ? "do" : "Do") + std::to_string(Method);
  }
  size_t numParameters(size_t File, size_t Method) const {
    return pick(File, Method, 2, 40) ? 1 + pick(File, Method, 3, 4) : 6;
  }

  class Writer {
  public:
    Writer(const Project &P, size_t File, Counts &Planted)
        : P(P), File(File), Planted(Planted), R(P.Seed * NumFiles + File) {}

    std::string write() {
      std::string Name = P.className(File);
      Planted[ClassNaming] += Name[0] == 'w';
      Out = "// Made up.\nclass " + Name + " {\n";
      for (size_t M = 0; M < NumMethods; ++M)
        method(M);
      if (R.below(4) == 0) {
        ++Planted[UncalledMethod];
        Out += "idle(a) {\nreturn a;\n}\n";
      }
      return std::move(Out) + "}\n";
    }

  private:
    const Project &P;
    size_t File;
    Counts &Planted;
    kernel::Random R;
    std::string Out;
    std::vector<std::string> Names; // Of the method's parameters and locals.
    size_t Length = 0;              // Of the method, in statements.

    const std::string &name() { return Names[R.below(Names.size())]; }
    std::string operand() { return R.below(3) ? name() : std::to_string(R.below(100)); }
    std::string expression() {
      std::string Result = operand();
      for (size_t Left = 1 + R.below(3); Left; --Left)
        Result += std::string(1, "+-*"[R.below(3)]) + operand();
      return Result;
    }
    std::string condition() { return name() + " < " + expression(); }
    void line(const std::string &Text) {
      ++Length;
      Out += Text + "\n";
    }

    void method(size_t M) {
      size_t Parameters = P.numParameters(File, M);
      std::string Name = P.methodName(File, M);
      Planted[MethodNaming] += Name[0] == 'D';
      Planted[TooManyParameters] += Parameters > 5;
      Names.clear();
      for (size_t I = 0; I < Parameters; ++I)
        Names.push_back("p" + std::to_string(I));
      Out += Name + "(";
      for (const std::string &Parameter : Names)
        Out += (&Parameter == Names.data() ? "" : ", ") + Parameter;
      Out += ") {\n";
      Length = 0;
      while (Length < 18)
        if (Names.size() < Parameters + 4 && R.below(3) == 0)
          local("v" + std::to_string(Length));
        else
          statement(1);
      call((File + 1) % NumFiles, M, 0); // So that each is called.
      if (R.below(2))
        plant();
      std::string Sum = "0";
      for (const std::string &Each : Names)
        Sum += " + " + Each;
      line("return " + Sum + ";");
      Out += "}\n";
    }

    void local(const std::string &Name) {
      line("let " + Name + " = " + expression() + ";");
      Names.push_back(Name);
    }

    void statement(size_t Depth) {
      if (Depth < 3 && R.below(3) == 0) {
        bool IsIf = R.below(2);
        line((IsIf ? "if (" : "while (") + condition() + ") {");
        statement(Depth + 1);
        Out += IsIf ? "} else {\n" : "";
        statement(Depth + 1);
        Out += "}\n";
      } else if (R.below(3) == 0) {
        call(R.below(NumFiles), R.below(NumMethods), 0);
      } else {
        line(name() + " = " + expression() + ";");
      }
    }

    void call(size_t Callee, size_t Method, size_t MoreArguments) {
      std::string Arguments;
      for (size_t I = 0; I < P.numParameters(Callee, Method) + MoreArguments; ++I)
        Arguments += (I ? ", " : "") + operand();
      line(P.className(Callee) + "." + P.methodName(Callee, Method) + "(" + Arguments + ");");
    }

    /// One of the bad habits that can be anywhere.
    void plant() {
      auto Rule = static_cast<RuleId>(MethodTooLong + R.below(WrongArity - MethodTooLong + 1));
      ++Planted[Rule];
      switch (Rule) {
      case MethodTooLong:
        while (Length < 45)
          line(name() + " = " + expression() + ";");
        break;
      case DeepNesting:
        for (size_t I = 0; I < 5; ++I)
          line("if (" + condition() + ") {");
        line(name() + " = " + expression() + ";");
        Out += "} } } } }\n";
        break;
      case EmptyBlock:
        line("while (" + condition() + ") { }");
        break;
      case ConstantCondition:
        line("if (1) { p0 = " + expression() + "; }");
        break;
      case SelfAssignment:
        line("p0 = p0;");
        break;
      case UnusedLocal:
        line("let spare = " + expression() + ";");
        break;
      case MagicNumber:
        line("p0 = p0 + " + std::to_string(100 + R.below(9000)) + ";");
        break;
      case UnknownMethod:
        line("Ghost" + std::to_string(R.below(100)) + ".run(p0);");
        break;
      default:
        call(R.below(NumFiles), R.below(NumMethods), 1);
      }
    }
  };
};

/// Where the threads meet.
struct Desk {
  SymbolTable Symbols;
  std::array<std::unique_ptr<Class>, Project::NumFiles> Trees; // Whoever drew the file's number.
  std::atomic<size_t> NextToParse = 0, NextToCheck = 0;        // Hand out numbers, order nothing.
  std::mutex Lock;
  std::vector<Finding> Findings; // Lock.
  Counts Planted{};              // Lock.
  unsigned NumStarted = 0;

  /// The first phase: a project's sources become trees and symbols.
  void parse(const Project &P, Counts &Planted) {
    for (size_t F; (F = NextToParse.fetch_add(1, std::memory_order_relaxed)) < Trees.size();) {
      std::string Source = P.write(F, Planted);
      Trees[F] = Parser(Source).parse();
      Symbols.declare(P.fileName(F), *Trees[F]);
    }
  }

  /// The second phase: the rules.
  void check(const Project &P) {
    for (size_t F; (F = NextToCheck.fetch_add(1, std::memory_order_relaxed)) < Trees.size();) {
      std::vector<Finding> Found = applyRules(P.fileName(F), *Trees[F], Symbols);
      Trees[F].reset();
      std::scoped_lock Guard(Lock);
      std::ranges::move(Found, std::back_inserter(Findings));
    }
  }

  /// The end of a project, while all threads wait: what only the whole shows.
  void conclude() {
    Symbols.forEach([this](const std::string &Name, const SymbolTable::Symbol &S) {
      if (S.Uses.load(std::memory_order_relaxed) == 0)
        Findings.push_back({S.File, S.Line, UncalledMethod, Name});
    });
    Symbols.clear();
    NextToParse.store(0, std::memory_order_relaxed);
    NextToCheck.store(0, std::memory_order_relaxed);
  }
};

} // namespace

int main(int Argc, char **Argv) {
  kernel::Settings S(Argc, Argv);
  const size_t NumProjects = S.scaled(85);

  Desk D;
  std::barrier IsParsed(S.Threads);
  std::barrier IsChecked(S.Threads, [&D]() noexcept { D.conclude(); });
  kernel::inParallel(S.Threads, [&](unsigned) {
    if (S.Race)
      ++D.NumStarted; // RACE 1
    Counts Planted{};
    for (size_t I = 0; I < NumProjects; ++I) {
      Project P(I);
      D.parse(P, Planted);
      IsParsed.arrive_and_wait();
      D.check(P);
      IsChecked.arrive_and_wait();
    }
    std::scoped_lock Guard(D.Lock);
    for (size_t Rule = 0; Rule < NumRules; ++Rule)
      D.Planted[Rule] += Planted[Rule];
  });

  std::ranges::sort(D.Findings);
  Counts Found{};
  kernel::Digest Result;
  for (const Finding &F : D.Findings) {
    ++Found[F.Rule];
    Result.add(F.File + ":" + std::to_string(F.Line) + ": " + F.About + " [" + RuleNames[F.Rule] +
               "]\n");
  }
  return kernel::finish(S, Found == D.Planted, Result.value());
}
