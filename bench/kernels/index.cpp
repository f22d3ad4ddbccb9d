//===- index.cpp - An inverted index is built, then searched -------------------===//
//
// Stands for luindex and lusearch (Tables 1 of BigFoot and SlimState). Volumes of generated text
// are indexed one after the other, and each is then searched.
//
// Building: the threads fetch batches of document numbers under a lock, tokenize the text and count
// its terms in maps of their own, and add the counts to the shard of each term. A shard is a hash
// map of posting lists under a lock. Whoever makes it full takes the map away, sorts it into a
// segment outside of the lock and puts that back; whoever puts back the fourth segment merges them.
//
// Searching: the index is read-only now and shared by all threads. Answers to boolean and ranked
// queries go through one least-recently-used cache under a lock and are held by shared_ptr, so that
// an answer may be thrown out of the cache by one thread while another one still reads it.
//
// To a race detector: short strings and hash map nodes everywhere, most of them private to a thread
// and short-lived; objects that change hands through a lock; posting lists that are written by one
// thread after another and later streamed through by all; short critical sections.
//
// Result: the answers do not depend on who indexed what. Checked are the number of indexed tokens,
// the postings of a sample of documents, and a sample of answers against these documents' own text.
//
//===----------------------------------------------------------------------===//

#include "bench/kernels/kernel.h"

#include <array>
#include <cmath>
#include <compare>
#include <functional>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace {

constexpr size_t VocabularySize = 20000;
constexpr size_t VolumeSize = 3000; // documents
constexpr size_t BatchSize = 8;     // documents fetched at once
constexpr size_t ShardCount = 16;
constexpr size_t FlushAt = 4000;       // postings of a shard that become a segment
constexpr size_t MergeAt = 4;          // segments of a shard that become one
constexpr size_t CacheSize = 96;       // answers
constexpr size_t TopHits = 10;         // of a ranked query
constexpr size_t SampledDocument = 50; // every so many documents are checked
constexpr size_t SampledQuery = 16;    // and every so many answers

using TermCounts = std::map<std::string, uint32_t>;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// The words of the language and what is not worth indexing. Read-only once it is made.
class Language {
public:
  Language() {
    kernel::Random R(1);
    constexpr std::string_view Consonants = "bcdfghklmnprtvz", Vowels = "aeiou";
    for (size_t I = 0; I < VocabularySize; ++I) {
      std::string Word;
      // Frequent words are short.
      for (size_t Syllables = 1 + (I > 40) + R.below(I > 1000 ? 4 : 2); Syllables; --Syllables) {
        Word += Consonants[R.below(Consonants.size())];
        Word += Vowels[R.below(Vowels.size())];
      }
      if (I < 20)
        StopWords.insert(Word);
      Words.push_back(std::move(Word));
    }
  }

  /// A word, the first ones much more often than the last ones.
  const std::string &word(kernel::Random &R) const {
    double U = R.real();
    return Words[static_cast<size_t>(U * U * U * static_cast<double>(Words.size()))];
  }

  /// What a document says, the same at each call: sentences, with plurals and capitals.
  std::string text(uint64_t Document) const {
    kernel::Random R(Document * 0x10001 + 7);
    std::string Text;
    bool IsStart = true;
    for (size_t Left = 60 + R.below(160); Left; --Left) {
      size_t At = Text.size();
      Text += word(R);
      if (std::exchange(IsStart, false))
        Text[At] = static_cast<char>(Text[At] - 'a' + 'A');
      uint64_t Dice = R.below(64);
      if (Dice < 8)
        Text += 's';
      IsStart = Dice % 8 == 0;
      Text += IsStart ? ". " : Dice % 8 == 1 ? ", " : " ";
    }
    return Text;
  }

  /// Calls Use with each term of a text: lower case, without plurals and stop words.
  template <class Fn> void tokenize(std::string_view Text, Fn Use) const {
    std::string Term;
    auto End = [&] {
      if (Term.size() > 3 && Term.back() == 's')
        Term.pop_back();
      if (!Term.empty() && !StopWords.contains(Term))
        Use(Term);
      Term.clear();
    };
    for (char C : Text) {
      if (C >= 'a' && C <= 'z')
        Term += C;
      else if (C >= 'A' && C <= 'Z')
        Term += static_cast<char>(C - 'A' + 'a');
      else
        End();
    }
    End();
  }

  TermCounts count(std::string_view Text) const {
    TermCounts Counts;
    tokenize(Text, [&](const std::string &Term) { ++Counts[Term]; });
    return Counts;
  }

private:
  std::vector<std::string> Words;
  std::unordered_set<std::string> StopWords;
};

//===----------------------------------------------------------------------===//
// The index
//===----------------------------------------------------------------------===//

struct Posting {
  uint32_t Document, Frequency;
  /// By document, for sorted lists.
  std::strong_ordering operator<=>(const Posting &Other) const {
    return Document <=> Other.Document;
  }
  bool operator==(const Posting &Other) const { return Document == Other.Document; }
};
using Postings = std::vector<Posting>; // sorted, except while a shard collects them

size_t shardOf(std::string_view Term) {
  kernel::Digest D;
  D.add(Term);
  return D.value() % ShardCount;
}

/// Part of a shard's terms, sorted. Written by one thread at a time, then read-only.
struct Segment {
  struct Entry {
    std::string Term;
    Postings List;
  };
  std::vector<Entry> Entries;

  const Postings *find(std::string_view Term) const {
    auto At = std::ranges::lower_bound(Entries, Term, {}, &Entry::Term);
    return At != Entries.end() && At->Term == Term ? &At->List : nullptr;
  }
};
using SegmentPtr = std::unique_ptr<Segment>;

SegmentPtr merge(SegmentPtr First, SegmentPtr Second) {
  auto Result = std::make_unique<Segment>();
  Result->Entries.reserve(std::max(First->Entries.size(), Second->Entries.size()));
  auto A = First->Entries.begin(), B = Second->Entries.begin();
  while (A != First->Entries.end() || B != Second->Entries.end()) {
    int Order = A == First->Entries.end()    ? 1
                : B == Second->Entries.end() ? -1
                                             : A->Term.compare(B->Term);
    if (Order < 0) {
      Result->Entries.push_back(std::move(*A++));
    } else if (Order > 0) {
      Result->Entries.push_back(std::move(*B++));
    } else {
      Postings Both;
      Both.reserve(A->List.size() + B->List.size());
      std::ranges::merge(A->List, B->List, std::back_inserter(Both));
      Result->Entries.push_back({std::move(A->Term), std::move(Both)});
      ++A, ++B;
    }
  }
  return Result;
}

/// The terms with one hash while the index is built. Everything is guarded by Lock.
class Shard {
public:
  using Count = std::pair<std::string, uint32_t>;

  /// Adds what one document says about this shard's terms.
  void add(uint32_t Document, const std::vector<Count> &Counts) {
    Map Full;
    {
      std::lock_guard Guard(Lock);
      for (const auto &[Term, Frequency] : Counts)
        Fresh[Term].push_back({Document, Frequency});
      FreshPostings += Counts.size();
      if (FreshPostings < FlushAt)
        return;
      std::swap(Full, Fresh);
      FreshPostings = 0;
    }
    install(sorted(std::move(Full)));
  }

  /// All of it as one segment, after the last add.
  SegmentPtr close() {
    Map Rest;
    std::vector<SegmentPtr> Parts;
    {
      std::lock_guard Guard(Lock);
      std::swap(Rest, Fresh);
      std::swap(Parts, Segments);
    }
    SegmentPtr Whole = sorted(std::move(Rest));
    for (SegmentPtr &Part : Parts)
      Whole = merge(std::move(Whole), std::move(Part));
    return Whole;
  }

private:
  using Map = std::unordered_map<std::string, Postings>;

  static SegmentPtr sorted(Map Terms) {
    auto Result = std::make_unique<Segment>();
    Result->Entries.reserve(Terms.size());
    while (!Terms.empty()) {
      auto Node = Terms.extract(Terms.begin());
      std::ranges::sort(Node.mapped());
      Result->Entries.push_back({std::move(Node.key()), std::move(Node.mapped())});
    }
    std::ranges::sort(Result->Entries, {}, &Segment::Entry::Term);
    return Result;
  }

  void install(SegmentPtr New) {
    for (;;) {
      std::vector<SegmentPtr> Parts;
      {
        std::lock_guard Guard(Lock);
        Segments.push_back(std::move(New));
        if (Segments.size() < MergeAt)
          return;
        std::swap(Parts, Segments);
      }
      New = std::move(Parts[0]);
      for (size_t I = 1; I < Parts.size(); ++I)
        New = merge(std::move(New), std::move(Parts[I]));
    }
  }

  std::mutex Lock;
  Map Fresh;
  size_t FreshPostings = 0;
  std::vector<SegmentPtr> Segments;
};

/// A volume's index. Read-only once it is built.
struct Index {
  uint32_t First;                // number of the first document
  std::vector<uint32_t> Lengths; // terms of each document
  double AverageLength = 0;
  std::array<SegmentPtr, ShardCount> Shards;

  const Postings &find(std::string_view Term) const {
    static const Postings Nothing;
    const Postings *List = Shards[shardOf(Term)]->find(Term);
    return List ? *List : Nothing;
  }

  /// How much a term says about a document that has it (BM25).
  double weight(uint32_t Frequency, size_t DocumentsWithIt, uint32_t Document) const {
    double All = static_cast<double>(Lengths.size()), With = static_cast<double>(DocumentsWithIt);
    double Length = Lengths[Document - First] / AverageLength;
    return std::log(1 + (All - With + 0.5) / (With + 0.5)) * Frequency /
           (Frequency + 0.4 + 0.8 * Length);
  }
};

Index build(const kernel::Settings &S, const Language &Words, uint32_t First, size_t Documents) {
  Index Result{.First = First, .Lengths = std::vector<uint32_t>(Documents), .Shards = {}};
  std::array<Shard, ShardCount> Shards;
  std::mutex Lock;
  size_t Next = 0; // document to be fetched, guarded by Lock

  kernel::inParallel(S.Threads, [&](unsigned) {
    std::array<std::vector<Shard::Count>, ShardCount> Sorted;
    for (;;) {
      size_t Begin, End;
      {
        std::lock_guard Guard(Lock);
        Begin = Next;
        End = Next = std::min(Documents, Begin + BatchSize);
      }
      if (Begin == End)
        return;
      for (size_t I = Begin; I < End; ++I) {
        uint32_t Document = First + static_cast<uint32_t>(I);
        for (auto &[Term, Frequency] : Words.count(Words.text(Document))) {
          Result.Lengths[I] += Frequency;
          Sorted[shardOf(Term)].emplace_back(Term, Frequency);
        }
        for (size_t J = 0; J < ShardCount; ++J) {
          Shards[J].add(Document, Sorted[J]);
          Sorted[J].clear();
        }
      }
    }
  });

  kernel::inParallel(S.Threads, [&](unsigned Id) {
    kernel::Share Mine(ShardCount, Id, S.Threads);
    for (size_t I = Mine.Begin; I < Mine.End; ++I)
      Result.Shards[I] = Shards[I].close();
  });
  for (uint32_t Length : Result.Lengths)
    Result.AverageLength += Length / static_cast<double>(Documents);
  return Result;
}

//===----------------------------------------------------------------------===//
// Searching
//===----------------------------------------------------------------------===//

/// `a AND b NOT c OR d`, from left to right; words without any operator ask for a ranking.
struct Query {
  enum Operator { And, Or, Not };
  struct Clause {
    Operator Op;
    std::string Term;
  };
  std::vector<Clause> Clauses;
  bool IsRanked = true;

  Query(const Language &Words, std::string_view Text) {
    Operator Next = Or;
    for (size_t Begin = 0, End; Begin < Text.size(); Begin = End + 1) {
      End = std::min(Text.find(' ', Begin), Text.size());
      std::string_view Word = Text.substr(Begin, End - Begin);
      if (std::optional<Operator> Op = operatorOf(Word)) {
        Next = *Op;
        IsRanked = false;
      } else {
        Words.tokenize(Word, [&](const std::string &Term) { Clauses.push_back({Next, Term}); });
      }
    }
  }

  /// Whether one document is an answer, by its own terms.
  bool matches(const TermCounts &Counts) const {
    bool Matches = false;
    for (const Clause &C : Clauses) {
      bool Has = Counts.contains(C.Term);
      Matches = C.Op == And ? Matches && Has : C.Op == Or ? Matches || Has : Matches && !Has;
    }
    return Matches;
  }

private:
  static std::optional<Operator> operatorOf(std::string_view Word) {
    if (Word == "AND")
      return And;
    if (Word == "OR")
      return Or;
    if (Word == "NOT")
      return Not;
    return std::nullopt;
  }
};

struct Hit {
  uint32_t Document;
  double Score;
};
using Answer = std::vector<Hit>;
using AnswerPtr = std::shared_ptr<const Answer>;

/// One thread's way into the index.
class Searcher {
public:
  explicit Searcher(const Index &From) : From(From), Scores(From.Lengths.size()) {}

  Answer search(const Query &Q) { return Q.IsRanked ? rank(Q) : select(Q); }

private:
  Answer select(const Query &Q) {
    Postings Matches, Next;
    for (const Query::Clause &C : Q.Clauses) {
      const Postings &List = From.find(C.Term);
      Next.clear();
      auto Out = std::back_inserter(Next);
      if (C.Op == Query::And)
        std::ranges::set_intersection(Matches, List, Out);
      else if (C.Op == Query::Or)
        std::ranges::set_union(Matches, List, Out);
      else
        std::ranges::set_difference(Matches, List, Out);
      std::swap(Matches, Next);
    }
    Answer Result;
    for (const Posting &P : Matches)
      Result.push_back({P.Document, 0});
    return Result;
  }

  Answer rank(const Query &Q) {
    Answer Result;
    for (const Query::Clause &C : Q.Clauses) {
      const Postings &List = From.find(C.Term);
      for (const Posting &P : List) {
        double &Score = Scores[P.Document - From.First];
        if (Score == 0)
          Result.push_back({P.Document, 0});
        Score += From.weight(P.Frequency, List.size(), P.Document);
      }
    }
    for (Hit &H : Result)
      H.Score = std::exchange(Scores[H.Document - From.First], 0);
    auto IsBetter = [](const Hit &A, const Hit &B) {
      return A.Score != B.Score ? A.Score > B.Score : A.Document < B.Document;
    };
    size_t Shown = std::min(TopHits, Result.size());
    std::partial_sort(Result.begin(), Result.begin() + static_cast<ptrdiff_t>(Shown), Result.end(),
                      IsBetter);
    Result.resize(Shown);
    return Result;
  }

  const Index &From;
  std::vector<double> Scores; // all zero between two queries
};

/// The answers that were used last.
class Cache {
public:
  size_t Readers = 0; ///< for statistics; the race of --race is that nothing guards it

  AnswerPtr find(const std::string &Text) {
    std::lock_guard Guard(Lock);
    auto At = Map.find(Text);
    if (At == Map.end())
      return nullptr;
    Newest.splice(Newest.begin(), Newest, At->second);
    return At->second->Value;
  }

  void insert(const std::string &Text, AnswerPtr Value) {
    std::lock_guard Guard(Lock);
    if (Map.contains(Text))
      return; // another thread had the same question
    Newest.push_front({Text, std::move(Value)});
    Map.emplace(Text, Newest.begin());
    if (Newest.size() > CacheSize) {
      Map.erase(Newest.back().Text);
      Newest.pop_back();
    }
  }

private:
  struct Entry {
    std::string Text;
    AnswerPtr Value;
  };
  std::mutex Lock; // guards what follows
  std::list<Entry> Newest;
  std::unordered_map<std::string, std::list<Entry>::iterator> Map;
};

std::vector<std::string> makeQueries(const Language &Words, size_t Number, uint64_t Seed) {
  kernel::Random R(Seed);
  std::vector<std::string> Distinct(Number / 3 + 1);
  for (std::string &Text : Distinct) {
    bool IsRanked = R.below(2);
    Text = Words.word(R);
    for (size_t Left = 1 + R.below(3); Left; --Left) {
      constexpr const char *Operators[] = {" AND ", " OR ", " NOT ", " OR "};
      Text += IsRanked ? " " : Operators[R.below(4)];
      Text += Words.word(R);
    }
  }
  std::vector<std::string> Queries(Number);
  for (std::string &Text : Queries) {
    double U = R.real();
    Text = Distinct[static_cast<size_t>(U * U * static_cast<double>(Distinct.size()))];
  }
  return Queries;
}

/// The answers to all queries: of each its digest, and of every SampledQuery-th all of it.
struct Answers {
  std::vector<uint64_t> Digests;
  std::vector<AnswerPtr> Samples;
};

Answers searchAll(const kernel::Settings &S, const Language &Words, const Index &From,
                  const std::vector<std::string> &Queries) {
  Answers Result{std::vector<uint64_t>(Queries.size()),
                 std::vector<AnswerPtr>(Queries.size() / SampledQuery + 1)};
  Cache Shared;
  std::mutex Lock;
  size_t Next = 0; // query to be answered, guarded by Lock
  kernel::inParallel(S.Threads, [&](unsigned) {
    if (S.Race)
      ++Shared.Readers; // RACE 1
    Searcher Mine(From);
    for (;;) {
      size_t I;
      {
        std::lock_guard Guard(Lock);
        if (Next == Queries.size())
          return;
        I = Next++;
      }
      AnswerPtr Found = Shared.find(Queries[I]);
      if (!Found) {
        Found = std::make_shared<const Answer>(Mine.search(Query(Words, Queries[I])));
        Shared.insert(Queries[I], Found);
      }
      kernel::Digest D;
      D.add(uint64_t{Found->size()});
      for (size_t J = 0; J < std::min(TopHits, Found->size()); ++J) {
        D.add(uint64_t{(*Found)[J].Document});
        D.add((*Found)[J].Score);
      }
      Result.Digests[I] = D.value();
      if (I % SampledQuery == 0)
        Result.Samples[I / SampledQuery] = Found;
    }
  });
  return Result;
}

//===----------------------------------------------------------------------===//
// Checking
//===----------------------------------------------------------------------===//

/// Whether the answer says of this document what its own text says.
bool isRight(const Index &From, const Query &Q, const Answer &Result, uint32_t Document,
             const TermCounts &Counts) {
  auto Found = std::ranges::find(Result, Document, &Hit::Document);
  if (!Q.IsRanked)
    return Q.matches(Counts) == (Found != Result.end());
  double Score = 0;
  for (const Query::Clause &C : Q.Clauses)
    if (auto At = Counts.find(C.Term); At != Counts.end())
      Score += From.weight(At->second, From.find(C.Term).size(), Document);
  if (Found != Result.end())
    return std::abs(Found->Score - Score) < 1e-9;
  return Score == 0 || (Result.size() == TopHits && Score <= Result.back().Score + 1e-9);
}

bool isRight(const Language &Words, const Index &From, const std::vector<std::string> &Queries,
             const Answers &Found) {
  uint64_t Indexed = 0, Read = 0;
  for (const SegmentPtr &Shard : From.Shards)
    for (const Segment::Entry &Entry : Shard->Entries) {
      if (std::ranges::adjacent_find(Entry.List, std::greater_equal()) != Entry.List.end())
        return false; // a document that was indexed twice
      for (const Posting &P : Entry.List)
        Indexed += P.Frequency;
    }
  for (uint32_t Length : From.Lengths)
    Read += Length;
  if (Indexed != Read || std::ranges::count(From.Lengths, 0U))
    return false;

  for (uint32_t I = 0; I < From.Lengths.size(); I += SampledDocument) {
    uint32_t Document = From.First + I;
    TermCounts Counts = Words.count(Words.text(Document));
    for (const auto &[Term, Frequency] : Counts) {
      const Postings &List = From.find(Term);
      auto At = std::ranges::lower_bound(List, Document, {}, &Posting::Document);
      if (At == List.end() || At->Document != Document || At->Frequency != Frequency)
        return false;
    }
    for (size_t Q = 0; Q < Queries.size(); Q += SampledQuery)
      if (!isRight(From, Query(Words, Queries[Q]), *Found.Samples[Q / SampledQuery], Document,
                   Counts))
        return false;
  }
  return true;
}

} // namespace

int main(int Argc, char **Argv) {
  kernel::Settings S(Argc, Argv);
  const Language Words;
  const size_t Documents = S.scaled(18000, 100);
  kernel::Digest Result;
  bool IsRight = true;
  for (size_t First = 0; First < Documents; First += VolumeSize) {
    size_t Number = std::min(VolumeSize, Documents - First);
    Index Volume = build(S, Words, static_cast<uint32_t>(First), Number);
    std::vector<std::string> Queries = makeQueries(Words, Number, First);
    Answers Found = searchAll(S, Words, Volume, Queries);
    IsRight = IsRight && isRight(Words, Volume, Queries, Found);
    for (uint64_t Sum : Found.Digests)
      Result.add(Sum);
  }
  return kernel::finish(S, IsRight, Result.value());
}
