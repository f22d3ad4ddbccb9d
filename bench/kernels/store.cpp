//===- store.cpp - A small SQL store under a mixed load ------------------------===//
//
// Stands for h2 (Tables 1 of BigFoot and SlimState): a bank in an in-memory database.
//
//   update account_3 set balance = balance - 17 where id = 1203
//   select count(*), sum(balance) from account_3 where id >= 100 and id < 300
//   insert into journal_1 values (7000012, 1203, 1846, 17, 'rent')
//   delete from journal_1 where id = 7000012
//
// A table is a B+tree of rows; a row is an object with values that are integers or strings. Clients
// send transactions of several statements as text, which is parsed each time. A transaction takes
// the reader-writer locks of all tables that it names, in the order of the tables, and holds them
// to its end; a statement that fails (some insert a key that is already there) undoes the whole
// transaction. The threads take clients from a list under a lock and play all that a client does.
//
// To a race detector: many small objects (tree nodes, rows, strings, parse trees), most accesses to
// memory of the thread's own; rows that are read by several threads under shared locks and written
// under exclusive ones; long scans through small objects; very many lock operations.
//
// Result: what clients do is fixed and adds up the same in each order. Checked are the bank's total
// in the middle of the load, each client's own journal when it asks for it, and in the end every
// row against a sequential model of arrays without SQL, and the trees' order.
//
//===----------------------------------------------------------------------===//

#include "bench/kernels/kernel.h"

#include <array>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <utility>
#include <variant>

namespace {

using Value = std::variant<int64_t, std::string>;
using Row = std::vector<Value>; // the first one is the key, an integer

/// A statement that cannot be carried out.
struct StatementError : std::runtime_error {
  using runtime_error::runtime_error;
};

//===----------------------------------------------------------------------===//
// B+tree
//===----------------------------------------------------------------------===//

/// Rows by key. Leaves are chained for scans; a node is freed when it becomes empty and never
/// merged before that, as in most databases.
class Tree {
public:
  /// Null if there is none.
  Row *find(int64_t Key) {
    Node *Leaf = leafOf(Key);
    size_t I = Leaf->lowerBound(Key);
    return I < Leaf->Keys.size() && Leaf->Keys[I] == Key ? Leaf->Rows[I].get() : nullptr;
  }

  /// Returns whether there was no row with this key.
  bool insert(int64_t Key, std::unique_ptr<Row> New) {
    if (find(Key))
      return false;
    if (auto [Separator, Right] = insertInto(*Root, Key, std::move(New)); Right) {
      auto Top = std::make_unique<Node>();
      Top->Keys.push_back(Separator);
      Top->Children.push_back(std::move(Root));
      Top->Children.push_back(std::move(Right));
      Root = std::move(Top);
    }
    return true;
  }

  /// Null if there was none.
  std::unique_ptr<Row> erase(int64_t Key) {
    std::unique_ptr<Row> Old = eraseFrom(*Root, Key);
    while (Root->Children.size() == 1) {
      std::unique_ptr<Node> Only = std::move(Root->Children.front());
      Root = std::move(Only);
    }
    return Old;
  }

  /// Calls Use with each row from First to Last, in order. Use does not change the tree.
  template <class Fn> void scan(int64_t First, int64_t Last, Fn Use) {
    Node *Leaf = leafOf(First);
    for (size_t I = Leaf->lowerBound(First); Leaf; Leaf = Leaf->Next, I = 0)
      for (; I < Leaf->Keys.size(); ++I) {
        if (Leaf->Keys[I] > Last)
          return;
        Use(*Leaf->Rows[I]);
      }
  }

  /// Whether keys ascend, rows have theirs, and inner keys separate the children.
  bool isInOrder() const {
    return isInOrder(*Root, std::numeric_limits<int64_t>::min(),
                     std::numeric_limits<int64_t>::max());
  }

private:
  static constexpr size_t Order = 32;

  struct Node {
    std::vector<int64_t> Keys;
    std::vector<std::unique_ptr<Node>> Children; // empty in a leaf, else one more than keys
    std::vector<std::unique_ptr<Row>> Rows;      // of a leaf
    Node *Next = nullptr, *Previous = nullptr;   // of a leaf

    bool isLeaf() const { return Children.empty(); }
    size_t lowerBound(int64_t Key) const {
      return static_cast<size_t>(std::ranges::lower_bound(Keys, Key) - Keys.begin());
    }
    size_t childOf(int64_t Key) const {
      return static_cast<size_t>(std::ranges::upper_bound(Keys, Key) - Keys.begin());
    }
  };

  /// The right half of a node that was split, and its smallest key; null if it was not.
  using Split = std::pair<int64_t, std::unique_ptr<Node>>;

  Node *leafOf(int64_t Key) {
    Node *At = Root.get();
    while (!At->isLeaf())
      At = At->Children[At->childOf(Key)].get();
    return At;
  }

  static Split insertInto(Node &At, int64_t Key, std::unique_ptr<Row> New) {
    if (At.isLeaf()) {
      auto I = static_cast<ptrdiff_t>(At.lowerBound(Key));
      At.Keys.insert(At.Keys.begin() + I, Key);
      At.Rows.insert(At.Rows.begin() + I, std::move(New));
    } else {
      size_t Child = At.childOf(Key);
      auto [Separator, Right] = insertInto(*At.Children[Child], Key, std::move(New));
      if (Right) {
        auto I = static_cast<ptrdiff_t>(Child);
        At.Keys.insert(At.Keys.begin() + I, Separator);
        At.Children.insert(At.Children.begin() + I + 1, std::move(Right));
      }
    }
    return At.Keys.size() > Order ? split(At) : Split(0, nullptr);
  }

  static Split split(Node &At) {
    constexpr ptrdiff_t Half = Order / 2;
    auto Right = std::make_unique<Node>();
    int64_t Separator = At.Keys[Half];
    if (At.isLeaf()) {
      Right->Keys.assign(At.Keys.begin() + Half, At.Keys.end());
      moveTail(At.Rows, Half, Right->Rows);
      Right->Next = At.Next;
      Right->Previous = &At;
      if (At.Next)
        At.Next->Previous = Right.get();
      At.Next = Right.get();
    } else {
      Right->Keys.assign(At.Keys.begin() + Half + 1, At.Keys.end());
      moveTail(At.Children, Half + 1, Right->Children);
    }
    At.Keys.resize(Half);
    return {Separator, std::move(Right)};
  }

  template <class T>
  static void moveTail(std::vector<T> &From, ptrdiff_t Begin, std::vector<T> &To) {
    To.assign(std::move_iterator(From.begin() + Begin), std::move_iterator(From.end()));
    From.resize(static_cast<size_t>(Begin));
  }

  static std::unique_ptr<Row> eraseFrom(Node &At, int64_t Key) {
    if (At.isLeaf()) {
      size_t I = At.lowerBound(Key);
      if (I == At.Keys.size() || At.Keys[I] != Key)
        return nullptr;
      std::unique_ptr<Row> Old = std::move(At.Rows[I]);
      At.Keys.erase(At.Keys.begin() + static_cast<ptrdiff_t>(I));
      At.Rows.erase(At.Rows.begin() + static_cast<ptrdiff_t>(I));
      return Old;
    }
    size_t I = At.childOf(Key);
    Node &Child = *At.Children[I];
    std::unique_ptr<Row> Old = eraseFrom(Child, Key);
    if (Child.isLeaf() && Child.Keys.empty() && At.Children.size() > 1) {
      if (Child.Previous)
        Child.Previous->Next = Child.Next;
      if (Child.Next)
        Child.Next->Previous = Child.Previous;
      At.Children.erase(At.Children.begin() + static_cast<ptrdiff_t>(I));
      At.Keys.erase(At.Keys.begin() + static_cast<ptrdiff_t>(I ? I - 1 : 0));
    }
    return Old;
  }

  static bool isInOrder(const Node &At, int64_t Least, int64_t Most) {
    for (size_t I = 0; I < At.Keys.size(); ++I) {
      if (At.Keys[I] < Least || At.Keys[I] > Most || (I && At.Keys[I] <= At.Keys[I - 1]))
        return false;
      if (At.isLeaf() && std::get<int64_t>(At.Rows[I]->front()) != At.Keys[I])
        return false;
    }
    for (size_t I = 0; I < At.Children.size(); ++I)
      if (!isInOrder(*At.Children[I], I ? At.Keys[I - 1] : Least,
                     I < At.Keys.size() ? At.Keys[I] - 1 : Most))
        return false;
    return At.isLeaf() || At.Children.size() == At.Keys.size() + 1;
  }

  std::unique_ptr<Node> Root = std::make_unique<Node>();
};

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

struct Condition {
  enum Relation { Equal, Unequal, Less, LessEqual, Greater, GreaterEqual };
  std::string Column;
  Relation Is;
  Value With;

  bool holds(const Value &Of) const {
    switch (Is) {
    case Equal:
      return Of == With;
    case Unequal:
      return Of != With;
    case Less:
      return Of < With;
    case LessEqual:
      return Of <= With;
    case Greater:
      return Of > With;
    case GreaterEqual:
      return Of >= With;
    }
    return false;
  }
};

struct Statement {
  enum Kind { Insert, Select, Update, Delete } What;
  struct Column {
    enum Form { Plain, Sum, Count } As;
    std::string Name;
  };
  std::string Table;
  std::vector<Column> Columns; // of a select
  Row Values;                  // of an insert
  std::string Target;          // of an update: Target = Target + Change
  int64_t Change = 0;
  std::vector<Condition> Where = {}; // all of them hold
};

/// Recursive descent through a statement's text.
class Parser {
public:
  explicit Parser(std::string_view Text) : Rest(Text) { advance(); }

  Statement parse() {
    Statement Result{.What = verb(), .Table = {}, .Columns = {}, .Values = {}, .Target = {}};
    switch (Result.What) {
    case Statement::Insert:
      expect("into");
      Result.Table = take();
      expect("values");
      expect("(");
      do
        Result.Values.push_back(literal());
      while (accept(","));
      expect(")");
      break;
    case Statement::Select:
      do
        Result.Columns.push_back(column());
      while (accept(","));
      expect("from");
      Result.Table = take();
      break;
    case Statement::Update: {
      Result.Table = take();
      expect("set");
      Result.Target = take();
      expect("=");
      expect(Result.Target);
      bool IsMinus = accept("-");
      if (!IsMinus)
        expect("+");
      Result.Change = std::get<int64_t>(literal()) * (IsMinus ? -1 : 1);
      break;
    }
    case Statement::Delete:
      expect("from");
      Result.Table = take();
      break;
    }
    if (accept("where"))
      do
        Result.Where.push_back(condition());
      while (accept("and"));
    expect("");
    return Result;
  }

private:
  static constexpr std::string_view Letters = "abcdefghijklmnopqrstuvwxyz_0123456789";

  void advance() {
    Rest.remove_prefix(std::min(Rest.find_first_not_of(' '), Rest.size()));
    size_t Length = Rest.find_first_not_of(Letters);
    if (Rest.starts_with('\''))
      Length = Rest.find('\'', 1) + 1;
    else if (Length == 0)
      Length = Rest.starts_with("<=") || Rest.starts_with(">=") || Rest.starts_with("<>") ? 2 : 1;
    Token = Rest.substr(0, Length);
    Rest.remove_prefix(Token.size());
  }

  bool accept(std::string_view Word) {
    if (Token != Word)
      return false;
    advance();
    return true;
  }

  void expect(std::string_view Word) {
    if (!accept(Word))
      throw StatementError("expected '" + std::string(Word) + "'");
  }

  std::string take() {
    std::string Result(Token);
    advance();
    return Result;
  }

  Statement::Kind verb() {
    std::string Word = take();
    if (Word == "insert")
      return Statement::Insert;
    if (Word == "select")
      return Statement::Select;
    if (Word == "update")
      return Statement::Update;
    if (Word == "delete")
      return Statement::Delete;
    throw StatementError("unknown verb " + Word);
  }

  Value literal() {
    if (Token.starts_with('\'')) {
      std::string Text(Token.substr(1, Token.size() - 2));
      advance();
      return Text;
    }
    bool IsMinus = accept("-");
    int64_t Number = 0;
    if (std::from_chars(Token.data(), Token.data() + Token.size(), Number).ec != std::errc())
      throw StatementError("expected a number");
    advance();
    return IsMinus ? -Number : Number;
  }

  Statement::Column column() {
    std::string Name = take();
    if (!accept("("))
      return {Statement::Column::Plain, std::move(Name)};
    Statement::Column Result{Name == "sum" ? Statement::Column::Sum : Statement::Column::Count,
                             take()};
    expect(")");
    return Result;
  }

  Condition condition() {
    std::string Column = take(), Relation = take();
    constexpr std::array<std::string_view, 6> Relations = {"=", "<>", "<", "<=", ">", ">="};
    auto At = std::ranges::find(Relations, Relation);
    if (At == Relations.end())
      throw StatementError("unknown relation " + Relation);
    return {std::move(Column), static_cast<Condition::Relation>(At - Relations.begin()), literal()};
  }

  std::string_view Rest, Token; // what follows the token; empty at the end
};

//===----------------------------------------------------------------------===//
// The database
//===----------------------------------------------------------------------===//

struct Table {
  const std::vector<std::string> Columns;
  std::shared_mutex Lock;
  Tree Rows; // guarded by Lock, with the rows themselves

  size_t column(std::string_view Name) const {
    auto At = std::ranges::find(Columns, Name);
    if (At == Columns.end())
      throw StatementError("no column " + std::string(Name));
    return static_cast<size_t>(At - Columns.begin());
  }
};

struct Database {
  std::map<std::string, Table, std::less<>> Tables; // the map itself does not change under load
  size_t RowEstimate = 8; ///< of an answer; the race of --race is that nothing guards it

  Table &table(std::string_view Name) {
    auto At = Tables.find(Name);
    if (At == Tables.end())
      throw StatementError("no table " + std::string(Name));
    return At->second;
  }
};

/// Holds the locks of some statements' tables and can undo what they did.
class Transaction {
public:
  Transaction(Database &In, const std::vector<Statement> &Statements) : In(In) {
    std::map<std::string_view, bool> IsWritten; // sorted by name: the lock order
    for (const Statement &S : Statements)
      IsWritten[S.Table] |= S.What != Statement::Select;
    for (auto [Name, IsWrite] : IsWritten)
      if (IsWrite)
        Writing.emplace_back(In.table(Name).Lock);
      else
        Reading.emplace_back(In.table(Name).Lock);
  }

  /// Rows of a select, into Answer.
  void execute(Statement &S, std::vector<Row> &Answer) {
    Table &Of = In.table(S.Table);
    switch (S.What) {
    case Statement::Insert: {
      int64_t Key = std::get<int64_t>(S.Values.at(0));
      if (!Of.Rows.insert(Key, std::make_unique<Row>(std::move(S.Values))))
        throw StatementError("duplicate key");
      Log.push_back([&Of, Key] { Of.Rows.erase(Key); });
      break;
    }
    case Statement::Select:
      select(S, Of, Answer);
      break;
    case Statement::Update: {
      size_t Target = Of.column(S.Target);
      forRows(S, Of, [&](Row &R) {
        std::get<int64_t>(R[Target]) += S.Change;
        Log.push_back([&R, Target, Change = S.Change] { std::get<int64_t>(R[Target]) -= Change; });
      });
      break;
    }
    case Statement::Delete: {
      std::vector<int64_t> Keys;
      forRows(S, Of, [&](Row &R) { Keys.push_back(std::get<int64_t>(R[0])); });
      for (int64_t Key : Keys) {
        std::shared_ptr<Row> Old = Of.Rows.erase(Key);
        Log.push_back([&Of, Key, Old] { Of.Rows.insert(Key, std::make_unique<Row>(*Old)); });
      }
      break;
    }
    }
  }

  void undo() {
    for (; !Log.empty(); Log.pop_back())
      Log.back()();
  }

private:
  /// Calls Use with each row for which the conditions hold.
  template <class Fn> void forRows(const Statement &S, Table &Of, Fn Use) {
    int64_t First = std::numeric_limits<int64_t>::min(), Last = std::numeric_limits<int64_t>::max();
    std::vector<std::pair<size_t, const Condition *>> Filters;
    for (const Condition &C : S.Where) {
      size_t Column = Of.column(C.Column);
      const int64_t *Bound = std::get_if<int64_t>(&C.With);
      if (Column != 0 || !Bound || C.Is == Condition::Unequal) {
        Filters.emplace_back(Column, &C);
        continue;
      }
      if (C.Is == Condition::Equal || C.Is == Condition::Greater || C.Is == Condition::GreaterEqual)
        First = std::max(First, *Bound + (C.Is == Condition::Greater));
      if (C.Is == Condition::Equal || C.Is == Condition::Less || C.Is == Condition::LessEqual)
        Last = std::min(Last, *Bound - (C.Is == Condition::Less));
    }
    Of.Rows.scan(First, Last, [&](Row &R) {
      for (auto [Column, C] : Filters)
        if (!C->holds(R[Column]))
          return;
      Use(R);
    });
  }

  void select(const Statement &S, Table &Of, std::vector<Row> &Answer) {
    using Column = Statement::Column;
    std::vector<size_t> Places;
    for (const Column &C : S.Columns)
      Places.push_back(C.As == Column::Count ? 0 : Of.column(C.Name));
    bool IsTotal = S.Columns[0].As != Column::Plain;
    Row Total(IsTotal ? S.Columns.size() : 0, int64_t{0});
    forRows(S, Of, [&](const Row &R) {
      if (!IsTotal) {
        Row &Out = Answer.emplace_back();
        for (size_t Place : Places)
          Out.push_back(R[Place]);
        return;
      }
      for (size_t I = 0; I < Places.size(); ++I)
        std::get<int64_t>(Total[I]) +=
            S.Columns[I].As == Column::Count ? 1 : std::get<int64_t>(R[Places[I]]);
    });
    if (IsTotal)
      Answer.push_back(std::move(Total));
  }

  Database &In;
  std::vector<std::function<void()>> Log; // how to undo what was done, last one first
  std::vector<std::unique_lock<std::shared_mutex>> Writing;
  std::vector<std::shared_lock<std::shared_mutex>> Reading;
};

/// A thread's way to the database.
class Connection {
public:
  Connection(Database &To, size_t RowEstimate) : To(To) { Answer.reserve(RowEstimate); }

  /// Carries out all of the statements or none. Nothing if one of them failed, otherwise the rows
  /// of all selects, which are valid until the next call.
  const std::vector<Row> *run(const std::vector<std::string> &Texts) {
    Answer.clear();
    std::vector<Statement> Statements;
    for (const std::string &Text : Texts)
      Statements.push_back(Parser(Text).parse());
    Transaction T(To, Statements);
    try {
      for (Statement &S : Statements)
        T.execute(S, Answer);
    } catch (const StatementError &) {
      T.undo();
      return nullptr;
    }
    return &Answer;
  }

private:
  Database &To;
  std::vector<Row> Answer;
};

//===----------------------------------------------------------------------===//
// The load
//===----------------------------------------------------------------------===//

constexpr size_t Accounts = 8192, AccountTables = 8, JournalTables = 4, Clients = 64;
constexpr int64_t StartBalance = 1000, JournalIds = 1000000; // of one client
constexpr std::array<const char *, 4> Regions = {"north", "east", "south", "west"};

std::string accounts(uint64_t Table) { return "account_" + std::to_string(Table); }
std::string accountsOf(uint64_t Id) { return accounts(Id % AccountTables); }
std::string journalOf(size_t Client) { return "journal_" + std::to_string(Client % JournalTables); }
const char *regionOf(uint64_t Id) { return Regions[Id / AccountTables % Regions.size()]; }

/// What a client does next. Made from the client's number alone, for the bank and for its model.
struct Action {
  enum Kind { Transfer, Repeat, Cancel, LookUp, Range, Journal, Visit, Audit } What;
  uint64_t From, To; // accounts
  int64_t Amount;
  int64_t Entry; // of the journal

  static std::vector<Action> all(size_t Client, size_t Number) {
    kernel::Random R(Client + 99);
    std::vector<Action> Result;
    int64_t Next = static_cast<int64_t>(Client) * JournalIds;
    std::vector<int64_t> Entries; // that are in the journal
    while (Result.size() < Number) {
      uint64_t Dice = R.below(200);
      Action A{Audit, R.below(Accounts), R.below(Accounts), 1 + static_cast<int64_t>(R.below(90)),
               Next};
      A.What = Dice < 60    ? Transfer
               : Dice < 66  ? Repeat
               : Dice < 90  ? Cancel
               : Dice < 140 ? LookUp
               : Dice < 164 ? Range
               : Dice < 176 ? Journal
               : Dice < 199 ? Visit
                            : Audit;
      if (A.What == Transfer) {
        Entries.push_back(Next++);
      } else if (A.What == Repeat || A.What == Cancel) {
        if (Entries.empty())
          continue;
        size_t I = R.below(Entries.size());
        A.Entry = Entries[I];
        if (A.What == Cancel) {
          std::swap(Entries[I], Entries.back());
          Entries.pop_back();
        }
      }
      Result.push_back(A);
    }
    return Result;
  }
};

/// The bank as it should be, without tables.
struct Model {
  std::vector<int64_t> Balance = std::vector<int64_t>(Accounts, StartBalance);
  std::vector<int64_t> Visits = std::vector<int64_t>(Accounts);
  std::map<int64_t, int64_t> Journal; // amounts

  void apply(const Action &A) {
    if (A.What == Action::Transfer) {
      Balance[A.From] -= A.Amount;
      Balance[A.To] += A.Amount;
      Journal[A.Entry] = A.Amount;
    } else if (A.What == Action::Cancel) {
      Journal.erase(A.Entry);
    } else if (A.What == Action::Visit) {
      // Accounts of one table are AccountTables apart.
      for (uint64_t Id = A.From; Id < std::min(Accounts, A.From + 16 * AccountTables);
           Id += AccountTables)
        if (regionOf(Id) == Regions[1])
          ++Visits[Id];
    }
  }
};

void fill(Database &Bank) {
  for (size_t I = 0; I < AccountTables; ++I)
    Bank.Tables.try_emplace(accounts(I),
                            std::vector<std::string>{"id", "balance", "region", "visits"});
  for (size_t I = 0; I < JournalTables; ++I)
    Bank.Tables.try_emplace(journalOf(I),
                            std::vector<std::string>{"id", "payer", "payee", "amount", "memo"});
  Connection C(Bank, 0);
  for (size_t Id = 0; Id < Accounts; ++Id)
    C.run({"insert into " + accountsOf(Id) + " values (" + std::to_string(Id) + ", " +
           std::to_string(StartBalance) + ", '" + regionOf(Id) + "', 0)"});
}

/// All that one client does. What it reads that does not depend on other clients goes into Seen.
class Client {
public:
  Client(Connection &Bank, size_t Number, kernel::Digest &Seen)
      : Bank(Bank), Number(Number), Seen(Seen) {}

  bool isServed(const Action &A) {
    using std::to_string;
    const std::string Journal = journalOf(Number), Entry = to_string(A.Entry);
    const std::string From = to_string(A.From), To = to_string(A.To), Amount = to_string(A.Amount);
    switch (A.What) {
    case Action::Transfer:
    case Action::Repeat: {
      // An entry that is already there must undo the updates.
      bool IsDone =
          Bank.run({"update " + accountsOf(A.From) + " set balance = balance - " + Amount +
                        " where id = " + From,
                    "update " + accountsOf(A.To) + " set balance = balance + " + Amount +
                        " where id = " + To,
                    "insert into " + Journal + " values (" + Entry + ", " + From + ", " + To +
                        ", " + Amount + ", 'transfer by client " + to_string(Number) + "')"});
      if (IsDone) {
        Mine += A.Amount;
        ++MineCount;
      }
      return IsDone == (A.What == Action::Transfer);
    }
    case Action::Cancel: {
      auto *Rows = Bank.run({"select amount from " + Journal + " where id = " + Entry,
                             "delete from " + Journal + " where id = " + Entry});
      if (!Rows || Rows->size() != 1)
        return false;
      Mine -= std::get<int64_t>((*Rows)[0][0]);
      --MineCount;
      return true;
    }
    case Action::LookUp: {
      auto *Rows =
          Bank.run({"select region, balance from " + accountsOf(A.From) + " where id = " + From,
                    "select region, balance from " + accountsOf(A.To) + " where id = " + To});
      if (!Rows || Rows->size() != 2)
        return false;
      for (const Row &R : *Rows)
        Seen.add(std::get<std::string>(R[0]));
      return true;
    }
    case Action::Range: {
      auto *Rows = Bank.run({"select id, region, balance from " + accountsOf(A.From) +
                             " where id >= " + From + " and id < " + to_string(A.From + 300) +
                             " and region <> 'west'"});
      if (!Rows)
        return false;
      for (const Row &R : *Rows)
        Seen.add(static_cast<uint64_t>(std::get<int64_t>(R[0])));
      return true;
    }
    case Action::Journal: {
      int64_t First = static_cast<int64_t>(Number) * JournalIds;
      auto *Rows = Bank.run({"select count(*), sum(amount) from " + Journal + " where id >= " +
                             to_string(First) + " and id < " + to_string(First + JournalIds)});
      return Rows && (*Rows)[0] == Row{MineCount, Mine};
    }
    case Action::Visit:
      return Bank.run({"update " + accountsOf(A.From) +
                       " set visits = visits + 1 where id >= " + From + " and id < " +
                       to_string(A.From + 16 * AccountTables) + " and region = 'east'"});
    case Action::Audit: {
      std::vector<std::string> Texts;
      for (size_t I = 0; I < AccountTables; ++I)
        Texts.push_back("select sum(balance) from " + accounts(I));
      auto *Rows = Bank.run(Texts);
      int64_t Total = 0;
      for (size_t I = 0; Rows && I < Rows->size(); ++I)
        Total += std::get<int64_t>((*Rows)[I][0]);
      return Total == StartBalance * static_cast<int64_t>(Accounts);
    }
    }
    return false;
  }

private:
  Connection &Bank;
  size_t Number;
  kernel::Digest &Seen;
  int64_t Mine = 0, MineCount = 0; // amounts and entries of this client in the journal
};

/// Whether the bank is what the model says.
bool isRight(Database &Bank, const Model &Should, kernel::Digest &Result) {
  size_t AccountRows = 0, JournalRows = 0;
  bool IsRight = true;
  auto All = [&](Table &Of, auto Use) {
    IsRight = IsRight && Of.Rows.isInOrder();
    Of.Rows.scan(std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max(), Use);
  };
  for (size_t I = 0; I < AccountTables; ++I)
    All(Bank.table(accounts(I)), [&](const Row &R) {
      auto Id = static_cast<size_t>(std::get<int64_t>(R[0]));
      IsRight = IsRight && R == Row{R[0], Should.Balance[Id], regionOf(Id), Should.Visits[Id]};
      Result.add(static_cast<uint64_t>(std::get<int64_t>(R[1])));
      ++AccountRows;
    });
  for (size_t I = 0; I < JournalTables; ++I)
    All(Bank.table(journalOf(I)), [&](const Row &R) {
      auto At = Should.Journal.find(std::get<int64_t>(R[0]));
      IsRight = IsRight && At != Should.Journal.end() && R[3] == Value(At->second);
      Result.add(static_cast<uint64_t>(std::get<int64_t>(R[3])));
      ++JournalRows;
    });
  return IsRight && AccountRows == Accounts && JournalRows == Should.Journal.size();
}

} // namespace

int main(int Argc, char **Argv) {
  kernel::Settings S(Argc, Argv);
  const size_t ActionsEach = S.scaled(6000, 8);
  Database Bank;
  fill(Bank);

  std::vector<kernel::Digest> Seen(Clients); // each by the thread that has the client
  std::mutex Lock;
  size_t NextClient = 0; // guarded by Lock
  bool IsRight = true;   // guarded by Lock while threads run
  kernel::inParallel(S.Threads, [&](unsigned Id) {
    size_t RowEstimate = 8;
    if (S.Race && Id == 0)
      Bank.RowEstimate = Accounts / AccountTables; // RACE 1
    else if (S.Race)
      RowEstimate = Bank.RowEstimate; // RACE 1
    Connection Mine(Bank, RowEstimate);
    for (;;) {
      size_t Number;
      {
        std::lock_guard Guard(Lock);
        if (NextClient == Clients)
          return;
        Number = NextClient++;
      }
      Client Next(Mine, Number, Seen[Number]);
      bool IsServed = true;
      for (const Action &A : Action::all(Number, ActionsEach))
        IsServed = Next.isServed(A) && IsServed;
      std::lock_guard Guard(Lock);
      IsRight = IsRight && IsServed;
    }
  });

  Model Should;
  kernel::Digest Result;
  for (size_t I = 0; I < Clients; ++I) {
    for (const Action &A : Action::all(I, ActionsEach))
      Should.apply(A);
    Result.add(Seen[I].value());
  }
  IsRight = isRight(Bank, Should, Result) && IsRight;
  return kernel::finish(S, IsRight, Result.value());
}
