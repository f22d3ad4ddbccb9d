//===- record.h - What the runtime found, as it came ----------------------===//
//
// Race records are lines of JSON (docs/records.md). Here each line becomes a Record: strict
// about what is there (a member of the wrong type is named), lenient about
// what is not, because a race with half of its stacks missing is still a race.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_REPORT_RECORD_H
#define PHOTOFINISH_REPORT_RECORD_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace photofinish {

struct Frame {
  std::optional<uint64_t> Pc; ///< a return address; gone once it has been resolved
  std::string Function;
  std::string File; ///< empty if unknown
  uint64_t Line = 0, Column = 0;
  std::string Module; ///< the file that an unresolved Pc lies in
};
using Stack = std::vector<Frame>; ///< innermost first

struct HeldLock {
  uint64_t Address = 0;
  std::string Kind; ///< mutex, rwlock, rwlock (shared), spinlock
  std::string Name; ///< empty until resolved, or if there is none
};

struct Access {
  std::string Type; ///< read, write, atomic read, atomic write, free, unmap
  uint64_t Address = 0;
  uint64_t Size = 0;              ///< 0 if unknown
  std::optional<uint64_t> Thread; ///< a ThreadInfo::Id
  photofinish::Stack Stack;
  std::vector<HeldLock> Locks;
  std::string Lost; ///< what of the stack could not be kept
};

struct ThreadInfo {
  uint64_t Id = 0;
  std::string Name;
  std::optional<uint64_t> Tid, Creator;
  photofinish::Stack Stack; ///< where it was created
  std::string State;
};

struct FreedBy {
  std::optional<uint64_t> Thread;
  photofinish::Stack Stack;
};

struct ObjectInfo {
  std::string Type = "unknown"; ///< heap, global, stack, tls, mapping, unknown
  std::optional<uint64_t> Start, Size, Thread;
  photofinish::Stack Stack; ///< where it was allocated
  std::optional<FreedBy> Freed;
  std::string Name;   ///< of a global variable
  std::string Member; ///< of it: "[1].balance"
  std::string File;   ///< where it is declared
  uint64_t Line = 0;
};

struct Race {
  std::string Kind;
  uint64_t Address = 0, Size = 0;
  std::vector<Access> Accesses; ///< the later one first
  ObjectInfo Object;
  std::vector<ThreadInfo> Threads;

  const ThreadInfo *thread(uint64_t Id) const;
};

struct Module {
  std::string Path;
  uint64_t Base = 0, Start = 0, End = 0;
};

/// Statistics in the order in which they came.
struct Stats {
  std::vector<std::pair<std::string, uint64_t>> Counts, Rules;
};

enum class Event { Start, Modules, Race, Repeat, Stats, Message, End, Unknown };

struct Record {
  photofinish::Event Event = Event::Unknown;
  std::string Wrong;      ///< the first member that is of the wrong type, and was left out
  photofinish::Race Race; ///< of Race
  std::vector<photofinish::Module> Modules; ///< of Modules
  std::string Program;                      ///< of Start
  std::vector<std::string> Arguments;       ///< of Start
  std::optional<uint64_t> Pid;              ///< of Start
  std::string Kind;                         ///< of Repeat
  uint64_t Count = 0;                       ///< of Repeat; of End: the races
  std::string Text;                         ///< of Message
  photofinish::Stats Stats;                 ///< of Stats
};

/// One line, with or without its line break. An error if nothing can be made of it.
llvm::Expected<Record> parseRecord(llvm::StringRef Line);

} // namespace photofinish

#endif // PHOTOFINISH_REPORT_RECORD_H
