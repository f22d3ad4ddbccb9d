//===- transform.cpp - XML documents become text by template rules -------------===//
//
// Stands for xalan, batik and fop (Table 1 of BigFoot, also in SlimState): a stylesheet is compiled
// once, and then a pool of threads transforms documents with it.
//
//   <template match="item[@kind='rare']">...<value select="@price"/>...<apply select="note"/>
//
// The main thread puts jobs into a bounded queue (a lock and two condition variables), the workers
// take them out. A job is to parse the text of a document into a tree, to walk the tree by the
// rules (patterns, conditions, sorting, sums, filled paragraphs) and to keep a digest of the
// output. The names of elements and attributes are pooled, so that they can be compared by address;
// the pool is shared by all under a reader-writer lock.
//
// To a race detector: document texts and compiled rules are read by all threads, the latter through
// virtual functions; trees, strings and output are objects of one thread, allocated and freed at a
// high rate, so that the same memory serves one thread after another; synchronization is rare.
//
// Result: each job's output depends on its document alone. Checked are the totals in the output,
// which the generator of the document knows, and a sample of outputs against the main thread's own.
//
//===----------------------------------------------------------------------===//

#include "bench/kernels/kernel.h"

#include <cctype>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace {

//===----------------------------------------------------------------------===//
// Trees
//===----------------------------------------------------------------------===//

using Name = const std::string *; // from a pool: equal names have equal addresses

/// All names, shared by all threads.
class NamePool {
public:
  Name operator[](std::string_view Text) {
    {
      std::shared_lock Guard(Lock);
      if (auto At = Names.find(Text); At != Names.end())
        return &*At;
    }
    std::lock_guard Guard(Lock);
    return &*Names.emplace(Text).first;
  }

private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view Text) const { return std::hash<std::string_view>()(Text); }
  };
  std::shared_mutex Lock;
  std::unordered_set<std::string, Hash, std::equal_to<>> Names; // guarded by Lock
};

/// An element, or text when it has no tag.
struct Node {
  Name Tag = nullptr;
  std::string Text;
  Node *Parent = nullptr;
  std::vector<std::pair<Name, std::string>> Attributes;
  std::vector<std::unique_ptr<Node>> Children;

  const std::string *attribute(Name Key) const {
    for (const auto &[Have, Value] : Attributes)
      if (Have == Key)
        return &Value;
    return nullptr;
  }

  /// All text below this node.
  void appendText(std::string &Out) const {
    Out += Text;
    for (const auto &Child : Children)
      Child->appendText(Out);
  }
};

/// Makes a tree from text: elements, attributes, text, entities and comments.
class XmlParser {
public:
  XmlParser(NamePool &Names, std::string_view Text) : Names(Names), Rest(Text) {}

  std::unique_ptr<Node> parse() {
    skipSpace();
    std::unique_ptr<Node> Root = element(nullptr);
    skipSpace();
    if (!Rest.empty())
      fail();
    return Root;
  }

private:
  [[noreturn]] static void fail() { throw std::runtime_error("not well-formed"); }

  static bool isSpace(char C) { return C == ' ' || C == '\n'; }

  void skipSpace() {
    while (!Rest.empty() && isSpace(Rest.front()))
      Rest.remove_prefix(1);
  }

  bool accept(std::string_view Mark) {
    if (!Rest.starts_with(Mark))
      return false;
    Rest.remove_prefix(Mark.size());
    return true;
  }

  void expect(std::string_view Mark) {
    if (!accept(Mark))
      fail();
  }

  std::string_view until(char Mark) {
    size_t Length = Rest.find(Mark);
    if (Length == std::string_view::npos)
      fail();
    std::string_view Result = Rest.substr(0, Length);
    Rest.remove_prefix(Length);
    return Result;
  }

  /// A document has few names and many elements: most are found without the pool's lock.
  Name name() {
    size_t Length = 0;
    while (Length < Rest.size() && (std::isalnum(Rest[Length]) || Rest[Length] == '-'))
      ++Length;
    std::string_view Text = Rest.substr(0, Length);
    Rest.remove_prefix(Length);
    auto [At, IsNew] = Known.try_emplace(Text, nullptr);
    if (IsNew)
      At->second = Names[Text];
    return At->second;
  }

  std::unique_ptr<Node> element(Node *Parent) {
    auto Result = std::make_unique<Node>();
    expect("<");
    Result->Tag = name();
    Result->Parent = Parent;
    for (skipSpace(); !accept(">"); skipSpace()) {
      if (accept("/>"))
        return Result;
      Name Key = name();
      expect("=\"");
      Result->Attributes.emplace_back(Key, decoded(until('"')));
      expect("\"");
    }
    while (!accept("</")) {
      if (accept("<!--")) {
        Rest.remove_prefix(std::min(Rest.find("-->"), Rest.size()));
        expect("-->");
      } else if (Rest.starts_with('<')) {
        Result->Children.push_back(element(Result.get()));
      } else {
        auto Text = std::make_unique<Node>();
        Text->Text = decoded(until('<'));
        Text->Parent = Result.get();
        Result->Children.push_back(std::move(Text));
      }
    }
    if (name() != Result->Tag)
      fail();
    expect(">");
    return Result;
  }

  static std::string decoded(std::string_view Text) {
    std::string Result;
    Result.reserve(Text.size());
    while (!Text.empty()) {
      size_t Plain = std::min(Text.find('&'), Text.size());
      Result += Text.substr(0, Plain);
      Text.remove_prefix(Plain);
      if (Text.empty())
        break;
      static constexpr std::pair<std::string_view, char> Entities[] = {
          {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}};
      auto At =
          std::ranges::find_if(Entities, [&](const auto &E) { return Text.starts_with(E.first); });
      if (At == std::end(Entities))
        fail();
      Result += At->second;
      Text.remove_prefix(At->first.size());
    }
    return Result;
  }

  NamePool &Names;
  std::string_view Rest;
  std::unordered_map<std::string_view, Name> Known;
};

//===----------------------------------------------------------------------===//
// Stylesheets, read-only once they are compiled
//===----------------------------------------------------------------------===//

/// `a/b/@c`, `.`, `*`: elements below a node, or an attribute of these.
class Path {
public:
  Path(NamePool &Names, std::string_view Text) {
    while (!Text.empty()) {
      size_t Length = std::min(Text.find('/'), Text.size());
      std::string_view Step = Text.substr(0, Length);
      Text.remove_prefix(std::min(Length + 1, Text.size()));
      if (Step.starts_with('@'))
        Attribute = Names[Step.substr(1)];
      else if (Step != ".")
        Steps.push_back(Step == "*" ? nullptr : Names[Step]);
    }
  }

  std::vector<const Node *> nodes(const Node &From) const {
    std::vector<const Node *> Result = {&From}, Next;
    for (Name Step : Steps) {
      Next.clear();
      for (const Node *At : Result)
        for (const auto &Child : At->Children)
          if (!Step || Child->Tag == Step)
            Next.push_back(Child.get());
      std::swap(Result, Next);
    }
    return Result;
  }

  std::string value(const Node &From) const {
    std::string Result;
    for (const Node *At : nodes(From))
      appendValue(*At, Result);
    return Result;
  }

  /// What the path means at its last step.
  void appendValue(const Node &Last, std::string &Out) const {
    if (!Attribute)
      Last.appendText(Out);
    else if (const std::string *Value = Last.attribute(Attribute))
      Out += *Value;
  }

private:
  std::vector<Name> Steps; // null: any element or text
  Name Attribute = nullptr;
};

/// `name`, `parent/name` or `name[@attribute='value']`.
struct Pattern {
  Name Tag = nullptr, Parent = nullptr, Attribute = nullptr;
  std::string Value;

  Pattern(NamePool &Names, std::string_view Text) {
    if (size_t Open = Text.find("[@"); Open != std::string_view::npos) {
      std::string_view Inner = Text.substr(Open + 2);
      size_t Equals = Inner.find("='");
      Attribute = Names[Inner.substr(0, Equals)];
      Value = Inner.substr(Equals + 2, Inner.rfind('\'') - Equals - 2);
      Text = Text.substr(0, Open);
    }
    if (size_t Slash = Text.find('/'); Slash != std::string_view::npos) {
      Parent = Names[Text.substr(0, Slash)];
      Text.remove_prefix(Slash + 1);
    }
    Tag = Names[Text];
  }

  /// The more a pattern asks for, the earlier its rule is tried.
  int priority() const { return (Parent != nullptr) + (Attribute != nullptr); }

  bool matches(const Node &At) const {
    if (At.Tag != Tag || (Parent && (!At.Parent || At.Parent->Tag != Parent)))
      return false;
    const std::string *Have = Attribute ? At.attribute(Attribute) : nullptr;
    return !Attribute || (Have && *Have == Value);
  }
};

class Stylesheet;

/// Something in the body of a rule: appends text to the output.
class Instruction {
public:
  virtual ~Instruction() = default;
  virtual void run(const Stylesheet &Rules, const Node &At, std::string &Out) const = 0;
};

using Body = std::vector<std::unique_ptr<Instruction>>;

class Stylesheet {
public:
  Stylesheet(NamePool &Names, std::string_view Text);

  /// Applies the first rule that matches. Without any, text is copied and elements are entered.
  void apply(const Node &At, std::string &Out) const {
    if (auto Same = Rules.find(At.Tag); Same != Rules.end())
      for (const auto &[Match, Do] : Same->second)
        if (Match.matches(At))
          return run(Do, At, Out);
    Out += At.Text;
    for (const auto &Child : At.Children)
      apply(*Child, Out);
  }

  void run(const Body &Do, const Node &At, std::string &Out) const {
    for (const auto &I : Do)
      I->run(*this, At, Out);
  }

private:
  Body compile(NamePool &Names, const Node &From) const;

  struct Rule {
    Pattern Match;
    Body Do;
  };
  std::unordered_map<Name, std::vector<Rule>> Rules; // by tag, high priority first
};

struct Literal : Instruction {
  std::string Text;
  explicit Literal(std::string Text) : Text(std::move(Text)) {}
  void run(const Stylesheet &, const Node &, std::string &Out) const override { Out += Text; }
};

struct ValueOf : Instruction {
  Path Select;
  explicit ValueOf(Path Select) : Select(std::move(Select)) {}
  void run(const Stylesheet &, const Node &At, std::string &Out) const override {
    Out += Select.value(At);
  }
};

struct Apply : Instruction {
  Path Select;
  explicit Apply(Path Select) : Select(std::move(Select)) {}
  void run(const Stylesheet &Rules, const Node &At, std::string &Out) const override {
    for (const Node *Next : Select.nodes(At))
      Rules.apply(*Next, Out);
  }
};

/// Sorted by a key, and in document order where keys are equal.
struct ForEach : Instruction {
  Path Select;
  std::optional<Path> Sort;
  Body Do;
  ForEach(Path Select, std::optional<Path> Sort, Body Do)
      : Select(std::move(Select)), Sort(std::move(Sort)), Do(std::move(Do)) {}
  void run(const Stylesheet &Rules, const Node &At, std::string &Out) const override {
    std::vector<const Node *> Nodes = Select.nodes(At);
    std::vector<std::pair<std::string, size_t>> Keys;
    for (size_t I = 0; I < Nodes.size(); ++I)
      Keys.emplace_back(Sort ? Sort->value(*Nodes[I]) : std::string(), I);
    std::ranges::sort(Keys);
    for (const auto &[Key, I] : Keys)
      Rules.run(Do, *Nodes[I], Out);
  }
};

struct If : Instruction {
  Pattern Test;
  Body Do;
  If(Pattern Test, Body Do) : Test(std::move(Test)), Do(std::move(Do)) {}
  void run(const Stylesheet &Rules, const Node &At, std::string &Out) const override {
    if (Test.matches(At))
      Rules.run(Do, At, Out);
  }
};

struct Sum : Instruction {
  Path Select;
  explicit Sum(Path Select) : Select(std::move(Select)) {}
  void run(const Stylesheet &, const Node &At, std::string &Out) const override {
    int64_t Total = 0;
    std::string Text;
    for (const Node *Next : Select.nodes(At)) {
      Text.clear();
      Select.appendValue(*Next, Text);
      int64_t Number = 0;
      std::from_chars(Text.data(), Text.data() + Text.size(), Number);
      Total += Number;
    }
    Out += std::to_string(Total);
  }
};

/// Puts what its body writes into lines of a width, indented.
struct Fill : Instruction {
  size_t Width, Indent;
  Body Do;
  Fill(size_t Width, size_t Indent, Body Do) : Width(Width), Indent(Indent), Do(std::move(Do)) {}
  void run(const Stylesheet &Rules, const Node &At, std::string &Out) const override {
    std::string Text;
    Rules.run(Do, At, Text);
    size_t Column = 0;
    for (size_t Begin = 0, End; Begin < Text.size(); Begin = End + 1) {
      End = std::min(Text.find(' ', Begin), Text.size());
      if (Begin == End)
        continue;
      if (Column != 0 && Column + 1 + End - Begin > Width) {
        Out += '\n';
        Column = 0;
      }
      Out.append(Column == 0 ? Indent : 1, ' ');
      Out.append(Text, Begin, End - Begin);
      Column += (Column == 0 ? Indent : 1) + End - Begin;
    }
    Out += '\n';
  }
};

Stylesheet::Stylesheet(NamePool &Names, std::string_view Text) {
  std::unique_ptr<Node> Root = XmlParser(Names, Text).parse();
  for (const auto &Child : Root->Children) {
    if (Child->Tag != Names["template"])
      continue;
    Rule New{Pattern(Names, *Child->attribute(Names["match"])), compile(Names, *Child)};
    std::vector<Rule> &Same = Rules[New.Match.Tag];
    auto Place = std::ranges::upper_bound(Same, New.Match.priority(), std::greater(),
                                          [](const Rule &R) { return R.Match.priority(); });
    Same.insert(Place, std::move(New));
  }
}

Body Stylesheet::compile(NamePool &Names, const Node &From) const {
  Body Result;
  for (const auto &Child : From.Children) {
    auto Attribute = [&](std::string_view Key) -> std::string_view {
      const std::string *Value = Child->attribute(Names[Key]);
      return Value ? std::string_view(*Value) : std::string_view();
    };
    auto Number = [&](std::string_view Key) {
      size_t Value = 0;
      std::string_view Digits = Attribute(Key);
      std::from_chars(Digits.data(), Digits.data() + Digits.size(), Value);
      return Value;
    };
    auto Select = [&] { return Path(Names, Attribute("select")); };
    auto Inner = [&] { return compile(Names, *Child); };
    if (!Child->Tag) // white space for the reader of the stylesheet
      continue;
    if (*Child->Tag == "text") {
      std::string Text;
      Child->appendText(Text);
      Result.push_back(std::make_unique<Literal>(std::move(Text)));
    } else if (*Child->Tag == "value") {
      Result.push_back(std::make_unique<ValueOf>(Select()));
    } else if (*Child->Tag == "apply") {
      Result.push_back(std::make_unique<Apply>(Select()));
    } else if (*Child->Tag == "each") {
      std::string_view Sort = Attribute("sort");
      Result.push_back(std::make_unique<ForEach>(
          Select(), Sort.empty() ? std::nullopt : std::optional(Path(Names, Sort)), Inner()));
    } else if (*Child->Tag == "if") {
      Result.push_back(std::make_unique<If>(Pattern(Names, Attribute("test")), Inner()));
    } else if (*Child->Tag == "sum") {
      Result.push_back(std::make_unique<Sum>(Select()));
    } else if (*Child->Tag == "fill") {
      Result.push_back(std::make_unique<Fill>(Number("width"), Number("indent"), Inner()));
    } else {
      throw std::runtime_error("unknown instruction " + *Child->Tag);
    }
  }
  return Result;
}

//===----------------------------------------------------------------------===//
// What is transformed
//===----------------------------------------------------------------------===//

constexpr std::string_view Style = R"(
<stylesheet>
  <template match="catalog">
    <text>CATALOG </text><value select="@name"/><text>

</text>
    <each select="section" sort="@title"><apply select="."/></each>
    <text>TOTAL </text><sum select="section/item/@price"/>
  </template>
  <template match="section">
    <text>== </text><value select="@title"/><text> ==
</text>
    <each select="item" sort="title">
      <text>   - </text><value select="title"/><text>
</text>
    </each>
    <apply select="item"/>
    <text>   sum </text><sum select="item/@price"/><text>

</text>
  </template>
  <template match="item">
    <text>  * </text><apply select="title"/><text> at </text><value select="@price"/>
    <if test="item[@kind='used']"><text> (second hand)</text></if>
    <text>
</text>
    <apply select="note"/>
  </template>
  <template match="item[@kind='rare']">
    <text>  RARE </text><value select="title"/><text> &lt;</text><value select="@price"/>
    <text>&gt;
</text>
    <fill width="40" indent="10"><apply select="note/text"/></fill>
  </template>
  <template match="note"><fill width="64" indent="6"><apply select="*"/></fill></template>
  <template match="text/em"><text>*</text><value select="."/><text>*</text></template>
  <template match="title/em"><text>_</text><value select="."/><text>_</text></template>
</stylesheet>
)";

/// A document's text and the sum of its prices.
struct Document {
  std::string Text;
  int64_t Total = 0;

  explicit Document(uint64_t Seed) {
    kernel::Random R(Seed + 500);
    Text = "<catalog name=\"" + word(R) + " &amp; " + word(R) + "\">\n";
    for (size_t Sections = 12; Sections; --Sections) {
      Text += " <section title=\"" + word(R) + "\"><!-- " + word(R) + " -->\n";
      for (size_t Items = 10 + R.below(10); Items; --Items) {
        static constexpr const char *Kinds[] = {"new", "used", "rare", "new"};
        uint64_t Price = 1 + R.below(5000);
        Total += static_cast<int64_t>(Price);
        Text += "  <item kind=\"" + std::string(Kinds[R.below(4)]) + "\" price=\"" +
                std::to_string(Price) + "\">\n   <title>";
        words(R, 3);
        Text += "</title>\n   <note><text>";
        words(R, 10 + R.below(30));
        Text += "</text><signed by=\"" + word(R) + "\"/></note>\n  </item>\n";
      }
      Text += " </section>\n";
    }
    Text += "</catalog>\n";
  }

private:
  static std::string word(kernel::Random &R) {
    std::string Result;
    for (size_t Left = 1 + R.below(4); Left; --Left) {
      Result += "bdfgklmnprstvz"[R.below(14)];
      Result += "aeiou"[R.below(5)];
    }
    return Result;
  }

  void words(kernel::Random &R, size_t Number) {
    for (; Number; --Number) {
      uint64_t Dice = R.below(16);
      Text += Dice == 0   ? "<em>" + word(R) + "</em>"
              : Dice == 1 ? word(R) + " &lt; " + word(R)
                          : word(R);
      Text += ' ';
    }
  }
};

/// The output for a document.
std::string transform(NamePool &Names, const Stylesheet &Rules, const Document &From) {
  std::unique_ptr<Node> Root = XmlParser(Names, From.Text).parse();
  std::string Out;
  Rules.apply(*Root, Out);
  return Out;
}

//===----------------------------------------------------------------------===//
// The pool
//===----------------------------------------------------------------------===//

/// Jobs on their way from the main thread to the workers.
class JobQueue {
public:
  struct Job {
    const Document *From;
    uint64_t *Digest; // written by who takes the job
  };

  void put(Job New) {
    std::unique_lock Guard(Lock);
    HasRoom.wait(Guard, [&] { return Jobs.size() < Capacity; });
    Jobs.push_back(New);
    HasJobs.notify_one();
  }

  /// No more jobs follow.
  void close() {
    std::lock_guard Guard(Lock);
    IsClosed = true;
    HasJobs.notify_all();
  }

  /// Nothing when all jobs are taken.
  std::optional<Job> take() {
    std::unique_lock Guard(Lock);
    HasJobs.wait(Guard, [&] { return !Jobs.empty() || IsClosed; });
    if (Jobs.empty())
      return std::nullopt;
    Job Next = Jobs.front();
    Jobs.pop_front();
    HasRoom.notify_one();
    return Next;
  }

private:
  static constexpr size_t Capacity = 16;
  std::mutex Lock;
  std::condition_variable HasRoom, HasJobs;
  std::deque<Job> Jobs;  // guarded by Lock
  bool IsClosed = false; // guarded by Lock
};

uint64_t digestOf(std::string_view Text) {
  kernel::Digest D;
  D.add(Text);
  return D.value();
}

} // namespace

int main(int Argc, char **Argv) {
  kernel::Settings S(Argc, Argv);
  NamePool Names;
  const Stylesheet Rules(Names, Style);
  std::vector<Document> Documents;
  for (uint64_t Seed = 0; Seed < 48; ++Seed)
    Documents.emplace_back(Seed);

  std::vector<uint64_t> Digests(S.scaled(3000, Documents.size()));
  const Document *Broken = nullptr; // one that could not be transformed; guarded by Lock
  std::mutex Lock;
  const Stylesheet *Current = nullptr; // loaded last; the race of --race is that nothing guards it
  JobQueue Queue;
  auto Work = [&] {
    if (S.Race)
      Current = &Rules; // RACE 1
    while (std::optional<JobQueue::Job> Next = Queue.take()) {
      std::string Out = transform(Names, Rules, *Next->From);
      *Next->Digest = digestOf(Out);
      if (!Out.ends_with("TOTAL " + std::to_string(Next->From->Total))) {
        std::lock_guard Guard(Lock);
        Broken = Next->From;
      }
    }
  };
  {
    std::vector<std::jthread> Pool;
    for (unsigned Id = 0; Id < S.Threads; ++Id)
      Pool.emplace_back(Work);
    for (size_t I = 0; I < Digests.size(); ++I)
      Queue.put({&Documents[I % Documents.size()], &Digests[I]});
    Queue.close();
  }

  bool IsRight = !Broken;
  for (size_t I = 0; I < Documents.size(); I += 9)
    IsRight = IsRight && Digests[I] == digestOf(transform(Names, Rules, Documents[I]));
  kernel::Digest Result;
  for (size_t I = 0; I < Digests.size(); ++I) {
    IsRight = IsRight && Digests[I] == Digests[I % Documents.size()];
    Result.add(Digests[I]);
  }
  return kernel::finish(S, IsRight, Result.value());
}
