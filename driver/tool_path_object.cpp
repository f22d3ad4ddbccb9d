//===- tool_path_object.cpp - The object that tells a program its tool ----===//

#include "driver/tool_path_object.h"

#include "llvm/ADT/Twine.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>
#include <sys/mman.h>
#include <vector>

namespace photofinish {

using llvm::StringRef;
namespace elf = llvm::ELF;

namespace {

template <typename T> void append(std::string &Bytes, const T &Value) {
  Bytes.append(reinterpret_cast<const char *>(&Value), sizeof(Value));
}

/// Sections one after the other, and their headers.
class ObjectWriter {
public:
  ObjectWriter() : Bytes(sizeof(elf::Elf64_Ehdr), '\0'), Headers(1), Names(1, '\0') {}

  size_t add(StringRef Name, uint32_t Type, uint64_t Flags, StringRef Content) {
    Bytes.resize(llvm::alignTo(Bytes.size(), 8));
    elf::Elf64_Shdr H = {};
    H.sh_name = Names.size();
    H.sh_type = Type;
    H.sh_flags = Flags;
    H.sh_offset = Bytes.size();
    H.sh_size = Content.size();
    H.sh_addralign = Type == elf::SHT_SYMTAB ? 8 : 1;
    Bytes += Content;
    Names += Name;
    Names += '\0';
    Headers.push_back(H);
    return Headers.size() - 1;
  }

  elf::Elf64_Shdr &header(size_t Index) { return Headers[Index]; }

  std::string finish() {
    // The table's own name has to be in it before it is written.
    std::string AllNames = Names + ".shstrtab" + '\0';
    size_t Last = add(".shstrtab", elf::SHT_STRTAB, 0, AllNames);
    Bytes.resize(llvm::alignTo(Bytes.size(), 8));

    elf::Elf64_Ehdr E = {};
    std::memcpy(E.e_ident, elf::ElfMagic, 4);
    E.e_ident[elf::EI_CLASS] = elf::ELFCLASS64;
    E.e_ident[elf::EI_DATA] = elf::ELFDATA2LSB;
    E.e_ident[elf::EI_VERSION] = elf::EV_CURRENT;
    E.e_type = elf::ET_REL;
    E.e_machine = elf::EM_X86_64;
    E.e_version = elf::EV_CURRENT;
    E.e_shoff = Bytes.size();
    E.e_ehsize = sizeof(elf::Elf64_Ehdr);
    E.e_shentsize = sizeof(elf::Elf64_Shdr);
    E.e_shnum = Headers.size();
    E.e_shstrndx = Last;
    std::memcpy(Bytes.data(), &E, sizeof(E));
    for (const elf::Elf64_Shdr &H : Headers)
      append(Bytes, H);
    return std::move(Bytes);
  }

private:
  std::string Bytes;
  std::vector<elf::Elf64_Shdr> Headers; ///< the first is the null section
  std::string Names;
};

} // namespace

std::string toolPathObject(StringRef ToolPath) {
  ObjectWriter W;
  std::string Text = ToolPath.str() + '\0';
  // Retained: run looks for the section, even if nothing refers to the symbol.
  size_t Section =
      W.add(ToolPathSection, elf::SHT_PROGBITS, elf::SHF_ALLOC | elf::SHF_GNU_RETAIN, Text);
  W.add(".note.GNU-stack", elf::SHT_PROGBITS, 0, "");

  std::string Strings(1, '\0');
  elf::Elf64_Sym Symbol = {};
  Symbol.st_name = Strings.size();
  Strings += "__pf_tool_path";
  Strings += '\0';
  Symbol.setBindingAndType(elf::STB_GLOBAL, elf::STT_OBJECT);
  Symbol.st_other = elf::STV_HIDDEN;
  Symbol.st_shndx = Section;
  Symbol.st_size = Text.size();
  std::string Symbols(sizeof(elf::Elf64_Sym), '\0'); // the first is the null symbol
  append(Symbols, Symbol);

  size_t SymbolTable = W.add(".symtab", elf::SHT_SYMTAB, 0, Symbols);
  size_t StringTable = W.add(".strtab", elf::SHT_STRTAB, 0, Strings);
  W.header(SymbolTable).sh_link = StringTable;
  W.header(SymbolTable).sh_info = 1; // the first global symbol
  W.header(SymbolTable).sh_entsize = sizeof(elf::Elf64_Sym);
  return W.finish();
}

llvm::Expected<std::string> shareWithDescendants(StringRef Bytes) {
  int File = memfd_create("photofinish", 0);
  if (File < 0)
    return llvm::errorCodeToError(std::error_code(errno, std::generic_category()));
  llvm::raw_fd_ostream OS(File, /*shouldClose=*/false);
  OS << Bytes;
  OS.flush();
  if (OS.has_error()) {
    std::error_code Error = OS.error();
    OS.clear_error();
    return llvm::errorCodeToError(Error);
  }
  return ("/proc/self/fd/" + llvm::Twine(File)).str();
}

} // namespace photofinish
