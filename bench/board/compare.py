#!/usr/bin/env python3
"""Two results of the board side by side: what became slower, faster, larger, smaller, right or wrong.

usage: compare.py A.json B.json

For every program and mode that both files have: B's median over A's, of the ratios to base that ran beside,
so that a machine that was slower for a while is not taken for a change; of base itself, and where nothing ran
beside, of the times. What counts as a change is decided by one rule, RULE below, which is printed with the
result. It is from the runs' own spread, and strict: two sets of three runs of the same thing, with normal
noise, break it about once in 70 times.
"""

import argparse
import statistics
import sys

import results as board
import table
from results import number

LEAST = 0.02
FACTOR = 2
ONE_RUN = 0.05  # the spread that a single run is taken to have
RULE = (f"A change is one beyond noise: the medians, over base's beside them, differ by more than {LEAST:.0%}, and by "
        f"more than {FACTOR} times the sum of both spreads (half of largest - smallest run, over the median; "
        f"{ONE_RUN:.0%} where there is one run).")
FIELDS = (("wall", "wall time", 1, "s"), ("user", "user time", 1, "s"), ("peak_kib", "peak memory", 1024, "MiB"))


class Pair:
    """The same program in the same mode in both files."""

    def __init__(self, program, mode, a, b):
        self.program, self.mode, self.a, self.b = program, mode, a, b

    def relative(self, field):
        """Are there ratios to base, in both?"""
        return self.a.base is not None and bool(self.a.ratios(field)) and bool(self.b.ratios(field))

    def runs(self, row, field):
        if self.relative(field):
            return row.ratios(field)
        return row.get(field) or [] if row.measured else []

    def medians(self, field):
        """A's and B's; None where one is not known, or they did different amounts of work."""
        runs = [self.runs(row, field) for row in (self.a, self.b)]
        if not all(runs) or self.a.scale != self.b.scale:
            return None
        a, b = map(statistics.median, runs)
        return (a, b) if a and b else None

    def ratio(self, field):
        """B / A."""
        medians = self.medians(field)
        return medians[1] / medians[0] if medians else None

    def noise(self, field):
        spreads = [board.spread_of(self.runs(row, field)) for row in (self.a, self.b)]
        return max(LEAST, FACTOR * sum(ONE_RUN if spread is None else spread for spread in spreads))

    def change(self, field):
        """1: more than noise above, -1: below, 0: neither. A ratio and its inverse are as far from 1."""
        ratio = self.ratio(field)
        if ratio is None or max(ratio, 1 / ratio) - 1 <= self.noise(field):
            return 0
        return 1 if ratio > 1 else -1

    def why_not(self):
        """Why there is no ratio."""
        if not self.a.measured or not self.b.measured:
            if self.a.status == self.b.status:
                return table.SHORT.get(self.a.status, "unknown")
            return "A " + table.SHORT.get(self.a.status, "ok") if not self.a.measured else \
                "B " + table.SHORT.get(self.b.status, "ok")
        return "scale" if self.a.scale != self.b.scale else "unknown"


def pairs(a, b):
    """{(program, mode): Pair}, of what is in both."""
    modes = [mode.name for mode in a.modes if mode.name in {other.name for other in b.modes}]
    found = {}
    for program in a.programs:
        other = b.program(program.name)
        if other:
            for mode in modes:
                found[program.name, mode] = Pair(program.name, mode, program.row(mode), other.row(mode))
    return found, modes


def differences(a, b):
    """Lines: what else differs, so that a ratio may mean something else than it seems to."""
    lines = []
    for label, left, right in (("machine", a.machine, b.machine), ("settings", a.settings, b.settings)):
        for key in sorted((left.keys() | right.keys()) - {"when", "photofinish", "busy"}):
            if left.get(key) != right.get(key):
                lines.append(f"different {label}: {key} is {left.get(key)} in A, {right.get(key)} in B")
    for name, left, right in (("program", a.programs, b.programs), ("mode", a.modes, b.modes)):
        ours, theirs = [item.name for item in left], [item.name for item in right]
        for which, names in (("A", [n for n in ours if n not in theirs]), ("B", [n for n in theirs if n not in ours])):
            if names:
                lines.append(f"only in {which}: {name} {', '.join(names)}")
    return lines


def outcomes(found):
    """Lines: rows whose status, number of reports or planted race changed."""
    lines = []
    for pair in found.values():
        for label, left, right in (("status", pair.a.status, pair.b.status),
                                   ("reports", pair.a.get("reports"), pair.b.get("reports")),
                                   ("planted race", pair.a.get("planted"), pair.b.get("planted"))):
            if left != right and None not in (left, right):
                message = f" ({pair.b.message})" if label == "status" and pair.b.message else ""
                lines.append(f"{pair.program}, {pair.mode}: {label} {left} -> {right}{message}")
    return lines


def changes(found, field, what, scale, unit):
    """What changed beyond noise, the largest change first."""
    changed = [pair for pair in found.values() if pair.change(field)]
    compared = sum(pair.ratio(field) is not None for pair in found.values())
    lines = [f"{what}: {len(changed)} of {compared} changed"]
    for pair in sorted(changed, key=lambda p: -max(p.ratio(field), 1 / p.ratio(field))):
        a, b = pair.medians(field)
        if pair.relative(field):
            sizes = f"{number(a)} -> {number(b)} of base's"
        else:
            sizes = f"{number(a / scale)} -> {number(b / scale)} {unit}"
        lines.append(f"  {pair.program}, {pair.mode}: {sizes}, {pair.ratio(field):.3f} times "
                     f"(noise {pair.noise(field):.1%})")
    return lines


def ratio_grid(found, modes, programs, field, what):
    def cell(pair):
        ratio = pair.ratio(field)
        return pair.why_not() if ratio is None else f"{ratio:.3f}" + {0: "", 1: "+", -1: "-"}[pair.change(field)]

    lines = [table.Line(name, [cell(found[name, mode]) for mode in modes]) for name in programs]
    means = [board.mean([(name, found[name, mode].ratio(field)) for name in programs], len(programs)) for mode in modes]
    lines.append(table.Line("geo mean", ["" if m.value is None else f"{m.value:.3f}" for m in means], "mean"))
    if any(m.partial for m in means):
        lines.append(table.Line(f"  of {len(programs)} programs", [str(m.count) for m in means], "mean"))
    return table.Grid(field, f"{what}: B / A", modes, lines,
                      notes=["+ more beyond noise, - less beyond noise; words: why there is no ratio"])


def overhead_grids(a, b, modes, programs):
    """The geometric means of the overheads, over all programs and over each group: of those for which both have one."""
    modes = [mode for mode in modes if mode != "base"]
    groups = [group for group in a.groups if len(a.groups) > 1]
    return [overhead_grid(a, b, modes, [name for name in programs if group in (None, a.program(name).group)], group)
            for group in (None, *groups)]


def overhead_grid(a, b, modes, programs, group):
    lines = []
    for field, what, mean in (("wall", "wall overhead", board.time_mean), ("user", "user overhead", board.time_mean),
                              ("peak_kib", "memory", board.slowdown_mean)):
        means, counts = {"A": [], "B": []}, []
        for mode in modes:
            shared = [name for name in programs if all(
                side.program(name).row(mode).slowdown(field) is not None for side in (a, b))]
            counts.append(str(len(shared)))
            for name, side in (("A", a), ("B", b)):
                means[name].append(mean([side.program(program) for program in shared], mode, field))
        for name, found in means.items():
            lines.append(table.Line(f"{what}, {name}", [number(m.value) + "~" * bool(m.raised) for m in found]))
        lines.append(table.Line("  B / A", [f"{right.value / left.value:.3f}" if left.value and right.value else ""
                                            for left, right in zip(means["A"], means["B"])]))
        lines.append(table.Line("  over programs", counts))
    raised = any("~" in cell for line in lines for cell in line.cells)
    which = f"of the {group} programs" if group else "of the programs"
    return table.Grid(f"means {group or ''}", f"Geometric means over base, {which} that both have", modes, lines, corner="",
                      notes=[f"~ with overheads below {board.FLOOR} that count as {board.FLOOR}"] * raised)


def text(a, b, names):
    out = []
    for label, name, side in (("A", names[0], a), ("B", names[1], b)):
        facts = ", ".join(str(side.machine[key]) for key in ("photofinish", "when") if side.machine.get(key))
        out += table.wrapped(f"{label}: {name} ({facts})" if facts else f"{label}: {name}")
        for caveat in side.caveats():
            out += table.wrapped(f"   {label}: {caveat}")
    for line in differences(a, b):
        out += table.wrapped(line)
    found, modes = pairs(a, b)
    programs = [program.name for program in a.programs if b.program(program.name)]
    out += [""] + table.wrapped(RULE) + [""]
    if not found:
        return "\n".join(out + ["The files have no program and mode in common."]) + "\n"
    title = "What changed"
    out += [title, "=" * len(title)]
    for line in outcomes(found):
        out += table.wrapped(line)
    for field, what, scale, unit in FIELDS:
        for line in changes(found, field, what, scale, unit):
            out.append(line)
    out.append("")
    for field, what, _, _ in FIELDS:
        out += table.render(ratio_grid(found, modes, programs, field, what.capitalize()))
    for grid in overhead_grids(a, b, modes, programs):
        out += table.render(grid)
    return "\n".join(out).rstrip() + "\n"


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Two results of the board side by side, as text.", epilog=RULE)
    parser.add_argument("a", metavar="A.json", help="results of bench/board/run: the earlier")
    parser.add_argument("b", metavar="B.json", help="the later")
    given = parser.parse_args(arguments)
    names = (given.a, given.b)
    return board.run("compare.py", lambda: print(text(*map(board.load, names), names), end=""))


if __name__ == "__main__":
    sys.exit(main())
