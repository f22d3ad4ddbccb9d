//===- explain.cpp - Why nothing orders the two ---------------------------===//

#include "report/explain.h"

#include "report/text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace photofinish {

using llvm::StringRef;

std::string threadPhrase(const Race &R, std::optional<uint64_t> Id) {
  if (!Id)
    return "an unknown thread";
  if (*Id == 0)
    return "the main thread";
  std::string Phrase = "thread T" + std::to_string(*Id);
  if (const ThreadInfo *T = R.thread(*Id); T && !T->Name.empty())
    Phrase += " '" + printable(T->Name) + "'";
  return Phrase;
}

std::string lockPhrase(const HeldLock &L) {
  bool Shared = StringRef(L.Kind).ends_with("(shared)");
  std::string Kind = StringRef(L.Kind).split(' ').first.str();
  if (Kind.empty())
    Kind = "lock";
  std::string Phrase = L.Name.empty() ? "the " + Kind + " at 0x" + llvm::utohexstr(L.Address, true)
                       : StringRef(L.Name).starts_with("byte ") ? "the " + Kind + " at " + L.Name
                                                                : "'" + printable(L.Name) + "'";
  return Phrase + (Shared ? " (shared)" : "");
}

namespace {

/// A thread where it is mentioned again and again: "T3".
std::string shortName(const Access &A) {
  if (!A.Thread)
    return "the other thread";
  return *A.Thread == 0 ? "the main thread" : "T" + std::to_string(*A.Thread);
}

bool isAtomic(const Access &A) { return StringRef(A.Type).starts_with("atomic "); }
bool isRelease(const Access &A) { return A.Type == "free" || A.Type == "unmap"; }

/// "T3's write", whether atomic or not.
std::string deed(const Access &A) {
  StringRef Noun = A.Type;
  Noun.consume_front("atomic ");
  return shortName(A) + "'s " + (Noun.empty() ? "access" : printable(Noun));
}

/// "'a' and 'b'"; of many locks, how many.
std::string lockList(const Access &A) {
  if (A.Locks.size() > 3)
    return std::to_string(A.Locks.size()) + " locks";
  std::string List;
  for (size_t I = 0; I < A.Locks.size(); ++I) {
    if (I)
      List += I + 1 == A.Locks.size() ? " and " : ", ";
    List += lockPhrase(A.Locks[I]);
  }
  return List;
}

const HeldLock *commonLock(const Access &A, const Access &B) {
  for (const HeldLock &L : A.Locks)
    for (const HeldLock &Other : B.Locks)
      if (L.Address == Other.Address)
        return &L;
  return nullptr;
}

std::string aboutLocks(const Access &Later, const Access &Earlier) {
  if (Later.Locks.empty() && Earlier.Locks.empty())
    return "neither thread held a lock";
  if (Later.Locks.empty())
    return shortName(Earlier) + " held " + lockList(Earlier) + ", but " + shortName(Later) +
           " held no lock";
  if (Earlier.Locks.empty())
    return shortName(Later) + " held " + lockList(Later) + ", but " + shortName(Earlier) +
           " held no lock";
  if (const HeldLock *Common = commonLock(Later, Earlier)) {
    if (StringRef(Common->Kind).ends_with("(shared)"))
      return "both held " + lockPhrase(*Common) + ", which lets several threads in at once";
    return "both held " + lockPhrase(*Common) + ", which did not order them";
  }
  return shortName(Earlier) + " held " + lockList(Earlier) + " and " + shortName(Later) + " held " +
         lockList(Later) + ": no lock in common";
}

/// The creator's access is unordered with the new thread's, so it came after the creation;
/// and if it came last, without a join before it.
std::string aboutCreation(const Race &R, const Access &Later, const Access &Earlier) {
  if (!Later.Thread || !Earlier.Thread)
    return "";
  const ThreadInfo *LaterThread = R.thread(*Later.Thread);
  const ThreadInfo *EarlierThread = R.thread(*Earlier.Thread);
  if (EarlierThread && EarlierThread->Creator == Later.Thread)
    return shortName(Later) + " had created " + shortName(Earlier) + " and not yet joined it";
  if (LaterThread && LaterThread->Creator == Earlier.Thread)
    return shortName(Earlier) + " had already created " + shortName(Later);
  return "";
}

std::string aboutAtomics(const Access &Later, const Access &Earlier) {
  if (isAtomic(Later) == isAtomic(Earlier) || isRelease(Later) || isRelease(Earlier))
    return "";
  const Access &Atomic = isAtomic(Later) ? Later : Earlier;
  const Access &Plain = isAtomic(Later) ? Earlier : Later;
  return deed(Atomic) + " is atomic, but " + deed(Plain) + " is not";
}

} // namespace

std::string explain(const Race &R) {
  if (R.Accesses.size() < 2)
    return "nothing orders the two accesses, of which only one is known.";
  const Access &Later = R.Accesses[0], &Earlier = R.Accesses[1];
  std::vector<std::string> Parts = {aboutAtomics(Later, Earlier), aboutLocks(Later, Earlier),
                                    aboutCreation(R, Later, Earlier)};
  llvm::erase_if(Parts, [](const std::string &Part) { return Part.empty(); });
  StringRef Open = isRelease(Later) || isRelease(Earlier) ? "nothing keeps the memory alive: "
                                                          : "nothing orders the two: ";
  return Open.str() + llvm::join(Parts, "; ") + "; no synchronization leads from " + deed(Earlier) +
         " to " + deed(Later) + ".";
}

} // namespace photofinish
