//===- modules.cpp - The program and its libraries -----------------------===//
//
// The kernel's list of mappings is read, rather than the dynamic linker asked: it works in a
// static program, and takes no lock that the interrupted program may hold.
//
//===----------------------------------------------------------------------===//

#include "runtime/modules.h"

#include "runtime/platform/os.h"
#include "runtime/report.h"

#include <cstring>

using namespace photofinish;
using namespace photofinish::rt;

[[clang::no_destroy]] constinit Modules rt::TheModules;

namespace {

constexpr size_t MapsBytes = size_t(4) << 20;

/// What a mapping begins with. Another thread may have unmapped it since the list was made, as the
/// dynamic linker does while it loads a library.
struct Beginning {
  unsigned char Header[18];
  bool IsThere;

  explicit Beginning(uintptr_t Start) : IsThere(os::readMemory(Start, Header, sizeof(Header))) {}
  bool isElf() const { return IsThere && std::memcmp(Header, "\177ELF", 4) == 0; }
  /// ET_EXEC programs lie where they say.
  bool isAtFixedAddress() const { return Header[16] == 2; }
};

uint64_t readHex(const char *&At) {
  uint64_t Value = 0;
  for (;; ++At) {
    if (*At >= '0' && *At <= '9')
      Value = Value * 16 + uint64_t(*At - '0');
    else if (*At >= 'a' && *At <= 'f')
      Value = Value * 16 + uint64_t(*At - 'a' + 10);
    else
      return Value;
  }
}

} // namespace

void Modules::read(const char *At, size_t Bytes) {
  // "start-end rwxp offset dev inode   path", in order of address.
  const char *End = At + Bytes;
  Mapped.clear();
  Paths.clear();
  while (At < End) {
    const char *LineEnd = At;
    while (LineEnd < End && *LineEnd != '\n')
      ++LineEnd;
    uintptr_t Start = readHex(At);
    ++At;
    uintptr_t Stop = readHex(At);
    ++At;
    bool IsReadable = *At == 'r';
    At += 5;
    uint64_t Offset = readHex(At);
    while (At < LineEnd && *At != '/' && *At != '[')
      ++At;
    auto Length = size_t(LineEnd - At);
    bool IsFile = At < LineEnd && *At == '/';
    bool IsLast = !Mapped.empty() && IsFile && std::strlen(&Paths[Mapped.back().Path]) == Length &&
                  std::memcmp(&Paths[Mapped.back().Path], At, Length) == 0;
    // Zeros behind the data have no name, and follow at once.
    bool IsBehind = !Mapped.empty() && At == LineEnd && Mapped.back().End == Start;
    if (IsLast || IsBehind) {
      Mapped.back().End = Stop;
    } else if (IsFile && !Offset && IsReadable) {
      if (Beginning Of(Start); Of.isElf()) {
        uint32_t Path = Paths.size();
        for (size_t I = 0; I < Length; ++I)
          Paths.push(At[I]);
        Paths.push('\0');
        Mapped.push({Of.isAtFixedAddress() ? 0 : Start, Start, Stop, Path});
      }
    }
    At = LineEnd + 1;
  }
}

void Modules::refresh() {
  Locked Guard(Lock);
  char *Maps = static_cast<char *>(host::allocate(MapsBytes));
  size_t Bytes = os::readFile("/proc/thread-self/maps", Maps, MapsBytes);
  read(Maps, Bytes);
  host::release(Maps, MapsBytes);
  Fingerprint = 1;
  for (const Module &M : Mapped)
    Fingerprint = (Fingerprint ^ M.Start ^ M.End << 20) * UINT64_C(0x9E3779B97F4A7C15);
}

bool Modules::describe(Text &R, Reader Who) {
  refresh();
  Locked Guard(Lock);
  if (Described[Who] == Fingerprint)
    return false;
  Described[Who] = Fingerprint;
  R.open('{');
  R.member("version", 1);
  R.member("event", "modules");
  R.name("modules");
  R.open('[');
  for (const Module &M : Mapped) {
    R.open('{');
    R.member("path", &Paths[M.Path]);
    R.addressMember("base", M.Base);
    R.addressMember("start", M.Start);
    R.addressMember("end", M.End);
    R.close('}');
  }
  R.close(']');
  R.close('}');
  R.add('\n');
  return true;
}

void Modules::describeProgram(Text &R) {
  constexpr size_t Room = 65536;
  char *Buffer = static_cast<char *>(host::allocate(Room));
  if (os::readLink("/proc/thread-self/exe", Buffer, Room))
    R.member("program", Buffer);
  size_t Bytes = os::readFile("/proc/thread-self/cmdline", Buffer, Room - 1);
  Buffer[Bytes] = 0;
  R.name("arguments");
  R.open('[');
  for (size_t At = 0; At < Bytes; At += std::strlen(Buffer + At) + 1)
    R.string(Buffer + At);
  R.close(']');
  host::release(Buffer, Room);
}

bool Modules::contains(uintptr_t Address) {
  Locked Guard(Lock);
  for (const Module &M : Mapped)
    if (Address >= M.Start && Address < M.End)
      return true;
  return false;
}

bool Modules::findLibrary(uintptr_t Address, uintptr_t &Start, size_t &Bytes) {
  refresh();
  auto Own = reinterpret_cast<uintptr_t>(this);
  Locked Guard(Lock);
  for (const Module &M : Mapped)
    if (Address >= M.Start && Address < M.End) {
      Start = M.Start;
      Bytes = M.End - M.Start;
      return Own < M.Start || Own >= M.End;
    }
  return false;
}

void Modules::addSites(const pf_site *Begin, const pf_site *End) {
  Locked Guard(Lock);
  for (uint32_t I = 0; I < Gone.size();)
    if (Gone[I].Begin < End && Begin < Gone[I].End)
      Gone.removeUnordered(I);
    else
      ++I;
}

// Distances between sites stay as they are in a copy of the whole table; strings follow it.
void Modules::keepSites(const pf_site *Begin, const pf_site *End) {
  auto Count = size_t(End - Begin);
  size_t Bytes = Count * sizeof(pf_site);
  for (const pf_site *S = Begin; S != End; ++S)
    Bytes += std::strlen(stringAt(S->file)) + std::strlen(stringAt(S->function)) + 2;
  auto *Copy = static_cast<pf_site *>(host::allocate(Bytes));
  char *Strings = reinterpret_cast<char *>(Copy + Count);
  auto Keep = [&](const int32_t &From, int32_t &To) {
    if (!From)
      return;
    size_t Length = std::strlen(stringAt(From)) + 1;
    std::memcpy(Strings, stringAt(From), Length);
    To = int32_t(Strings - reinterpret_cast<char *>(&To));
    Strings += Length;
  };
  std::memcpy(Copy, Begin, Count * sizeof(pf_site));
  for (size_t I = 0; I < Count; ++I) {
    Keep(Begin[I].file, Copy[I].file);
    Keep(Begin[I].function, Copy[I].function);
  }
  Locked Guard(Lock);
  Gone.push({Begin, End, Copy});
}

const pf_site *Modules::readable(const pf_site *Site) {
  Locked Guard(Lock);
  for (const Kept &K : Gone)
    if (Site >= K.Begin && Site < K.End)
      return K.Copy + (Site - K.Begin);
  return Site;
}

// Rows and what they refer to are of one table, here and in its copy.
const pf_site *Modules::siteAt(const pf_site *Site, uintptr_t Address) {
  const pf_site *Known = readable(Site);
  if (!(Known->flags & PF_SITE_ROW))
    return Site;
  const pf_site *Of = Known - Known->column + (Address - Known->column) % Known->line;
  auto *Accessed = reinterpret_cast<const pf_site *>(
      reinterpret_cast<const char *>(&Of->inlined_at) + Of->inlined_at);
  return Site + (Accessed - Known);
}
