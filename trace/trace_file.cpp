//===- trace_file.cpp - Traces on disk and in pipes -----------------------===//
//
// See trace_file.h. gzip is undone member by member with zlib's own checks on
// (CRC and length of each member), so that a damaged file is never a shorter trace.
//
//===----------------------------------------------------------------------===//

#include "trace/trace_file.h"
#include "trace/binary_format.h"
#include "trace/text_format.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace photofinish;

char TraceError::ID = 0;

std::error_code TraceError::convertToErrorCode() const { return llvm::inconvertibleErrorCode(); }

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

static llvm::Error systemError(llvm::StringRef Name, int Errno) {
  return llvm::make_error<TraceError>(Name.str() + ": " + std::generic_category().message(Errno));
}

static llvm::Error gzipError(const InputBuffer &In, const std::string &What) {
  return llvm::make_error<TraceError>(In.name() + ": byte " + std::to_string(In.offset()) + ": " +
                                      What);
}
static llvm::Error gzipTruncated(const InputBuffer &In) {
  return gzipError(In, "the gzip data ends too early: the file has been cut short");
}
static llvm::Error gzipDamaged(const InputBuffer &In, const char *Detail) {
  return gzipError(In, std::string("the gzip data is damaged: ") +
                           (Detail ? Detail : "it cannot be inflated"));
}
static llvm::Error gzipTrailingBytes(const InputBuffer &In) {
  return gzipError(In, "something that is not gzip data follows the gzip data");
}

llvm::Error photofinish::takeOutputError(llvm::raw_ostream &OS, llvm::StringRef Name) {
  auto *File = dynamic_cast<llvm::raw_fd_ostream *>(&OS);
  if (!File || !File->has_error())
    return llvm::Error::success();
  std::string Reason = File->error().message();
  File->flush(); // what is still buffered is lost as well, and must not fail a second time
  File->clear_error();
  return llvm::make_error<TraceError>(Name.str() + ": " + Reason);
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

llvm::Expected<size_t> MemoryInput::read(char *To, size_t Size) {
  size_t Count = std::min(Size, Bytes.size() - Position);
  std::copy_n(Bytes.data() + Position, Count, To);
  Position += Count;
  return Count;
}

double MemoryInput::progress() const {
  return Bytes.empty() ? 1 : double(Position) / double(Bytes.size());
}

namespace {

class FileInput final : public ByteInput {
public:
  static llvm::Expected<std::unique_ptr<ByteInput>> open(const std::string &Path,
                                                         const std::string &Name) {
    bool IsStdin = Path == "-";
    int Fd = IsStdin ? STDIN_FILENO : ::open(Path.c_str(), O_RDONLY | O_CLOEXEC);
    if (Fd < 0)
      return systemError(Name, errno);
    auto File = std::make_unique<FileInput>(Fd, !IsStdin, Name);
    struct stat Status;
    if (::fstat(Fd, &Status) != 0)
      return systemError(Name, errno);
    if (S_ISDIR(Status.st_mode))
      return systemError(Name, EISDIR);
    if (S_ISREG(Status.st_mode))
      File->Size = uint64_t(Status.st_size);
    return File;
  }

  FileInput(int Fd, bool IsOwned, std::string Name)
      : Fd(Fd), IsOwned(IsOwned), Name(std::move(Name)) {}
  FileInput(const FileInput &) = delete;
  FileInput &operator=(const FileInput &) = delete;
  ~FileInput() override {
    if (IsOwned)
      ::close(Fd);
  }

  llvm::Expected<size_t> read(char *To, size_t MaxSize) override {
    for (;;) {
      ssize_t Count = ::read(Fd, To, MaxSize);
      if (Count >= 0) {
        NumRead += uint64_t(Count);
        return size_t(Count);
      }
      if (errno != EINTR)
        return systemError(Name, errno);
    }
  }

  double progress() const override {
    if (Size == 0)
      return -1;
    return std::min(1.0, double(NumRead) / double(Size)); // a file may grow meanwhile
  }

private:
  int Fd;
  bool IsOwned;
  std::string Name;
  uint64_t Size = 0; // 0: not known
  uint64_t NumRead = 0;
};

constexpr unsigned char GzipMagic[] = {0x1f, 0x8b};

bool startsWithGzipMagic(const InputBuffer &In) {
  return In.available() >= sizeof(GzipMagic) &&
         std::memcmp(In.data(), GzipMagic, sizeof(GzipMagic)) == 0;
}

/// Another input, unzipped: one gzip member after the other, as gzip -d does.
class GunzipInput final : public ByteInput {
public:
  explicit GunzipInput(InputBuffer Zipped) : Zipped(std::move(Zipped)) {
    // 16 asks zlib for the gzip header and trailer, including their checks.
    IsReady = inflateInit2(&Stream, 15 + 16) == Z_OK;
  }
  GunzipInput(const GunzipInput &) = delete;
  GunzipInput &operator=(const GunzipInput &) = delete;
  ~GunzipInput() override {
    if (IsReady)
      inflateEnd(&Stream);
  }

  llvm::Expected<size_t> read(char *To, size_t Size) override {
    if (!IsReady)
      return systemError(Zipped.name(), ENOMEM);
    Stream.next_out = reinterpret_cast<Bytef *>(To);
    Stream.avail_out = uInt(std::min<size_t>(Size, 1u << 30));
    const uInt Room = Stream.avail_out;
    while (Stream.avail_out == Room) {
      llvm::Expected<bool> HasInput = Zipped.require(IsInMember ? 1 : sizeof(GzipMagic));
      if (!HasInput)
        return HasInput.takeError();
      if (!IsInMember) {
        if (Zipped.available() == 0)
          return 0;
        if (!startsWithGzipMagic(Zipped))
          return gzipTrailingBytes(Zipped);
        inflateReset(&Stream);
        IsInMember = true;
      } else if (!*HasInput) {
        return gzipTruncated(Zipped);
      }
      Stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(Zipped.data()));
      Stream.avail_in = uInt(Zipped.available());
      const uInt Given = Stream.avail_in;
      int Status = inflate(&Stream, Z_NO_FLUSH);
      Zipped.consume(Given - Stream.avail_in);
      if (Status == Z_STREAM_END)
        IsInMember = false;
      else if (Status != Z_OK)
        return gzipDamaged(Zipped, Stream.msg);
    }
    return Room - Stream.avail_out;
  }

  double progress() const override { return Zipped.progress(); }

private:
  InputBuffer Zipped;
  z_stream Stream = {};
  bool IsReady = false;
  bool IsInMember = false;
};

} // namespace

InputBuffer::InputBuffer(std::unique_ptr<ByteInput> Input, std::string Name, size_t Capacity)
    : Input(std::move(Input)), Name(std::move(Name)),
      Bytes(std::make_unique_for_overwrite<char[]>(Capacity)), Capacity(Capacity) {}

llvm::Expected<bool> InputBuffer::readOn(size_t AtLeast) {
  if (AtLeast > Capacity) {
    Capacity = std::max(AtLeast, 2 * Capacity);
    auto Larger = std::make_unique_for_overwrite<char[]>(Capacity);
    std::copy(Bytes.get() + Begin, Bytes.get() + End, Larger.get());
    Bytes = std::move(Larger);
  } else {
    std::copy(Bytes.get() + Begin, Bytes.get() + End, Bytes.get());
  }
  End -= Begin;
  Begin = 0;
  while (!AtEnd && End < AtLeast) {
    llvm::Expected<size_t> Count = Input->read(Bytes.get() + End, Capacity - End);
    if (!Count)
      return Count.takeError();
    End += *Count;
    AtEnd = *Count == 0;
  }
  return End >= AtLeast;
}

//===----------------------------------------------------------------------===//
// Opening and creating
//===----------------------------------------------------------------------===//

llvm::Expected<std::unique_ptr<TraceSource>> photofinish::openTrace(llvm::StringRef Path) {
  std::string Name = Path == "-" ? "<stdin>" : Path.str();
  llvm::Expected<std::unique_ptr<ByteInput>> File = FileInput::open(Path.str(), Name);
  if (!File)
    return File.takeError();
  return openTrace(std::move(*File), std::move(Name));
}

llvm::Expected<std::unique_ptr<TraceSource>>
photofinish::openTrace(std::unique_ptr<ByteInput> Input, std::string Name) {
  InputBuffer In(std::move(Input), Name);
  // Too short a file for a magic is fine: whatever it is, it is neither gzip nor binary.
  if (llvm::Expected<bool> Ok = In.require(BinaryMagic.size()); !Ok)
    return Ok.takeError();
  if (startsWithGzipMagic(In)) {
    In = InputBuffer(std::make_unique<GunzipInput>(std::move(In)), std::move(Name));
    if (llvm::Expected<bool> Ok = In.require(BinaryMagic.size()); !Ok)
      return Ok.takeError();
  }
  if (llvm::StringRef(In.data(), In.available()).starts_with(BinaryMagic))
    return std::make_unique<BinaryReader>(std::move(In));
  return std::make_unique<TextReader>(std::move(In));
}

std::unique_ptr<TraceSink> photofinish::createTextWriter(llvm::raw_ostream &OS,
                                                         llvm::StringRef Name) {
  return std::make_unique<TextWriter>(OS, Name.str());
}

std::unique_ptr<TraceSink> photofinish::createBinaryWriter(llvm::raw_ostream &OS,
                                                           llvm::StringRef Name) {
  return std::make_unique<BinaryWriter>(OS, Name.str());
}
