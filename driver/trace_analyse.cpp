//===- trace_analyse.cpp - photofinish trace FILE... ----------------------===//

#include "driver/trace_analysis.h"
#include "driver/trace_command.h"
#include "driver/trace_report.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

namespace photofinish {

using llvm::StringRef;

namespace {
enum class OutputFormat { Text, Json };
} // namespace

static std::string detectorHelp() {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  OS << "Detectors (all: every one with a star):\n";
  for (const DetectorInfo &D : allDetectors())
    OS << "  " << llvm::left_justify(D.Name, 16) << (D.InAll ? "* " : "  ") << D.Summary << '\n';
  OS << "\nA FILE is a trace in text or binary form (docs/traces.md), compressed by gzip or not;\n"
        "- is standard input. Also: photofinish trace generate, convert, check.\n"
        "Exit codes: 0 clean, 66 races found, 2 bad input.\n";
  return Text;
}

/// The detectors that a comma-separated list names, each once; what is wrong goes to Wrong.
static std::vector<const DetectorInfo *> chooseDetectors(StringRef List, std::string &Wrong) {
  std::vector<const DetectorInfo *> Chosen;
  auto Add = [&](const DetectorInfo *D) {
    if (!llvm::is_contained(Chosen, D))
      Chosen.push_back(D);
  };
  for (StringRef Name : llvm::split(List, ',')) {
    if (Name == "all") {
      for (const DetectorInfo &D : allDetectors())
        if (D.InAll)
          Add(&D);
    } else if (const DetectorInfo *D = findDetector(Name)) {
      Add(D);
    } else {
      std::vector<std::string> Known{"all"};
      for (const DetectorInfo &Other : allDetectors())
        Known.emplace_back(Other.Name);
      Wrong = "unknown detector '" + Name.str() + "'; known: " + llvm::join(Known, ", ");
      break;
    }
  }
  return Chosen;
}

static ExitCode exitCodeOf(const TraceAnalysis &A) {
  if (!A.Error.empty() || !A.Disagreements.empty())
    return ExitCode::Failure;
  return A.Findings.empty() ? ExitCode::Clean : ExitCode::Races;
}

ExitCode runTraceAnalyse(Words Given) {
  // The command line.
  CommandLine Line("photofinish trace", "FILE...", "Finds the data races in recorded executions.");
  std::string DetectorList = "verifiedft";
  OutputFormat Format = OutputFormat::Text;
  bool WithStats = false;
  AnalysisOptions Options;
  Line.text("detector", "NAME,...", DetectorList, "who looks for races (verifiedft)");
  Line.flag("oracle", Options.Oracle,
            "compare with all races, straight from the definition; short traces only");
  Line.flag("stats", WithStats, "how often each rule fired, shadow cells, speed");
  Line.choice("format", Format, {{"text", OutputFormat::Text}, {"json", OutputFormat::Json}},
              "for people, or one JSON object per file");
  Line.epilogue(detectorHelp());
  if (std::optional<ExitCode> Done = Line.parse(Given))
    return *Done;
  std::string Wrong;
  Options.Detectors = chooseDetectors(DetectorList, Wrong);
  if (!Wrong.empty())
    return Line.fail(Wrong);
  if (Line.operands().empty())
    return Line.fail("no trace given; see photofinish trace --help");
  Options.Timing = WithStats;

  // Each file for itself; a bad one does not stop the others.
  ExitCode Code = ExitCode::Clean;
  for (const std::string &File : Line.operands()) {
    TraceAnalysis A = analyseTrace(File, Options);
    (Format == OutputFormat::Json ? printJson : printText)(llvm::outs(), A, WithStats);
    if (!A.Error.empty())
      Line.fail(A.Error);
    for (const std::string &Disagreement : A.Disagreements)
      Line.fail(A.File + ": " + Disagreement +
                "; one of them is wrong: please report this, with the trace");
    Code = worse(Code, exitCodeOf(A));
  }
  return Code;
}

} // namespace photofinish
