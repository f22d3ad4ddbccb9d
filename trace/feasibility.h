//===- feasibility.h - Which traces can have happened ---------------------===//
//
// The five conditions of verifiedft.txt, section 2, and their counterparts for the
// other operations, as the "feasible when" column of docs/traces.md lists them.
// Streams: the state is what the program has at this point (held locks, running
// threads, live allocations), never the past.
//
//===----------------------------------------------------------------------===//

#ifndef PHOTOFINISH_TRACE_FEASIBILITY_H
#define PHOTOFINISH_TRACE_FEASIBILITY_H

#include "trace/stream.h"

#include <memory>
#include <optional>
#include <string>

namespace photofinish {

class FeasibilityChecker {
public:
  FeasibilityChecker();
  ~FeasibilityChecker();
  FeasibilityChecker(const FeasibilityChecker &) = delete;
  FeasibilityChecker &operator=(const FeasibilityChecker &) = delete;

  /// Nothing if Op can come next (and it is taken to have come); otherwise what is
  /// wrong, in words, without a position: "T1 releases lock m, which it does not hold".
  /// After a refusal the state is unchanged.
  std::optional<std::string> check(const Operation &Op, const SymbolTable &Symbols);

private:
  struct State;
  std::unique_ptr<State> S;
};

/// Passes a source on, checking every operation: an infeasible one becomes a
/// TraceError at the source's position.
class CheckedSource final : public TraceSource {
public:
  explicit CheckedSource(TraceSource &Inner) : Inner(Inner) {}
  llvm::Expected<bool> next(Operation &Op) override;
  const SymbolTable &symbols() const override { return Inner.symbols(); }
  std::string position() const override { return Inner.position(); }
  double progress() const override { return Inner.progress(); }

private:
  TraceSource &Inner;
  FeasibilityChecker Checker;
};

bool isFeasible(const Trace &Ops);

} // namespace photofinish

#endif // PHOTOFINISH_TRACE_FEASIBILITY_H
