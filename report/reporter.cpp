//===- reporter.cpp - From a stream of records to reports -----------------===//

#include "report/reporter.h"

#include "report/json.h"
#include "report/text.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

namespace photofinish {

using llvm::StringRef;

/// All of it, in one piece where the file takes it in one piece. Nothing can be done about
/// a reader that has gone away.
static void writeAll(int File, StringRef Bytes) {
  while (!Bytes.empty()) {
    ssize_t Done = ::write(File, Bytes.data(), Bytes.size());
    if (Done >= 0) {
      Bytes = Bytes.drop_front(Done);
    } else if (errno == EAGAIN) {
      // The program may have made the terminal non-blocking.
      pollfd Wait = {File, POLLOUT, 0};
      poll(&Wait, 1, -1);
    } else if (errno != EINTR) {
      return;
    }
  }
}

Reporter::Reporter(ReportOptions Given) : Options(std::move(Given)), TextStream(Text) {
  // What ends the program (Ctrl-C, say) must not end its report: that ends with the stream.
  if (Options.Live)
    for (int Signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP})
      std::signal(Signal, SIG_IGN);
  open();
}

void Reporter::complain(const llvm::Twine &Message) {
  Failed = true;
  writeAll(STDERR_FILENO, "photofinish report: " + printable(Message.str()) + "\n");
}

int Reporter::openFile(const std::string &Path) {
  int File = ::open(Path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (File < 0)
    complain("cannot write '" + Path +
             "': " + std::error_code(errno, std::generic_category()).message());
  return File;
}

void Reporter::open() {
  if (!Options.Log.empty())
    TextFile = openFile(Options.Log);
  if (!Options.Json.empty())
    JsonFile = openFile(Options.Json);
  // A log that cannot be written is no reason to keep quiet.
  if (TextFile < 0)
    TextFile = Options.Output;
  const char *NoColor = std::getenv("NO_COLOR");
  bool Colors = Options.Color == ColorMode::Always ||
                (Options.Color == ColorMode::Auto && isatty(TextFile) && !(NoColor && *NoColor));
  Printer = std::make_unique<TerminalPrinter>(TextStream, Colors);
}

void Reporter::print(const Record &R) {
  switch (R.Event) {
  case Event::Start:
    Printer->setProgram(R.Program);
    break;
  case Event::Modules:
  case Event::Unknown:
    break;
  case Event::Race:
    ++Races;
    Printer->print(R.Race);
    break;
  case Event::Repeat:
    Repeats += R.Count;
    break;
  case Event::Stats:
    Printer->print(R.Stats);
    break;
  case Event::Message:
    Printer->printMessage(R.Text);
    break;
  case Event::End:
    Ended = true;
    Printer->printSummary(std::max(R.Count, Races), Repeats, /*Killed=*/false);
    break;
  }
  writeAll(TextFile, Text);
  Text.clear();
  if (JsonFile >= 0) {
    std::string Line;
    llvm::raw_string_ostream OS(Line);
    printJson(OS, R);
    writeAll(JsonFile, Line);
  }
}

bool Reporter::handle(StringRef Line) {
  llvm::Expected<Record> R = parseRecord(Line);
  if (!R) {
    complain(Options.Name + ":" + llvm::Twine(LineNumber) + ": " + llvm::toString(R.takeError()));
    return true;
  }
  if (!R->Wrong.empty())
    complain(Options.Name + ":" + llvm::Twine(LineNumber) + ": " + R->Wrong);
  if (R->Event == Event::Modules)
    Symbols.addModules(R->Modules);
  if (R->Event == Event::Race)
    Symbols.resolve(R->Race);
  print(*R);
  // Nobody waits for an answer to these two.
  return R->Event != Event::Start && R->Event != Event::Modules;
}

bool Reporter::run(int Input) {
  std::string Pending;
  std::vector<char> Chunk(1 << 16);
  auto Take = [&](StringRef Line) {
    ++LineNumber;
    if (Line.trim().empty())
      return;
    bool AnswerAwaited = handle(Line);
    // send() answers on the runtime's socket and leaves anything else that is read alone.
    if (Options.Live && AnswerAwaited)
      (void)send(Input, ".", 1, MSG_NOSIGNAL);
  };
  for (;;) {
    ssize_t Got = ::read(Input, Chunk.data(), Chunk.size());
    if (Got < 0 && errno == EINTR)
      continue;
    if (Got < 0 && !(Options.Live && errno == ECONNRESET))
      complain("cannot read " + Options.Name + ": " +
               std::error_code(errno, std::generic_category()).message());
    if (Got <= 0)
      break;
    Pending.append(Chunk.data(), Got);
    size_t From = 0;
    for (size_t End; (End = Pending.find('\n', From)) != std::string::npos; From = End + 1)
      Take(StringRef(Pending).slice(From, End));
    Pending.erase(0, From);
  }
  if (!Pending.empty())
    Take(Pending);
  if (!Ended) {
    Printer->printSummary(Races, Repeats, /*Killed=*/true);
    writeAll(TextFile, Text);
  }
  return !Failed;
}

} // namespace photofinish
