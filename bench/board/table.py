#!/usr/bin/env python3
"""The board as text: programs down, modes across, one small table for each thing that is measured.

usage: table.py RESULTS.json [--papers]

A Grid is a table before it is text; page.py draws the same ones. Marks behind a figure, explained below the
tables where they occur:

  *  measured at a smaller scale than base, and compared with base at that scale
  !  the mode raised a false alarm or missed the planted race
  ~  a mean in which overheads below the floor count as the floor
"""

import argparse
import dataclasses
import statistics
import sys
import textwrap

import papers
import results as board
from results import fraction, number

WIDTH = 120
MARKS = "*!~+-"
SHORT = {"wrong result": "wrong", "crashed": "crashed", "too slow": "too slow", "missing": "missing",
         "does not build": "no build", "impossible": "n/a", "false alarm": "alarm", "race missed": "missed"}


@dataclasses.dataclass
class Line:
    """kind: "program", "mean" (a mean or a count below it) or "group" (a heading between programs)."""

    label: str
    cells: list
    kind: str = "program"


@dataclasses.dataclass
class Grid:
    key: str
    title: str
    headings: list  # of all columns but the labels'
    lines: list
    corner: str = "program"
    notes: list = dataclasses.field(default_factory=list)
    glued: frozenset = frozenset()  # columns that stay beside the one before


# The tables.

def marked(row, text):
    """The figure with its marks; where there is none, why."""
    if not row.measured:
        return SHORT.get(row.status, "")
    if not text:
        return "no base" if row.base is not None and not row.fields.get("base_wall") else "?"
    return text + "*" * row.smaller + "!" * row.doubtful


def program_lines(results, cell):
    """A line for every program, the groups apart. cell(program) gives the cells."""
    lines = []
    for group in results.groups:
        lines.append(Line(f"{group} programs", [], "group"))
        lines += [Line(program.name, cell(program)) for program in results.in_group(group)]
    return lines


def mean_lines(results, modes, mean, what, blank=1, shown=number):
    """The means by group, over all, and over the programs that every mode finished, "common".

    mean(programs, mode) is a Mean. A line of counts follows where one is not over all programs. blank is
    the number of columns before the modes'.
    """
    lines = []
    shared = results.common(modes)
    sets = [(f"{what}, {group}", results.in_group(group)) for group in results.groups] + \
        [(f"{what}, all", results.programs)]
    if len(shared) < len(results.programs):
        sets.append((f"{what}, common {len(shared)}", shared))
    for label, programs in sets:
        means = [mean(programs, mode) for mode in modes]
        if all(m.value is None for m in means):
            continue
        lines.append(Line(label, [""] * blank + [shown(m.value) + "~" * bool(m.raised) for m in means], "mean"))
        if any(m.partial for m in means):
            label = f"  of {len(programs)} program{'s' * (len(programs) != 1)}"
            lines.append(Line(label, [""] * blank + [str(m.count) for m in means], "mean"))
    return lines


def time_grid(results, field):
    modes = [mode.name for mode in results.checkers]

    def cells(program):
        rows = [program.row(mode) for mode in modes]
        return [base_cell(program, field)] + [marked(row, number(row.overhead(field))) for row in rows]

    lines = program_lines(results, cells)
    lines += mean_lines(results, modes, lambda programs, mode: board.time_mean(programs, mode, field), "geo mean")
    lines.append(Line("as slowdown, all", [""] + [
        number(board.slowdown_mean(results.programs, mode, field).value) for mode in modes], "mean"))
    notes = raised_note(results, modes, field)
    spreads = [spread for program in results.programs for row in program.rows.values()
               if (spread := row.spread(field)) is not None]
    if spreads:
        notes.append(f"spread (half of largest - smallest run, over the median): typically "
                     f"{statistics.median(spreads):.1%}, at most {max(spreads):.1%}")
    title = f"{field.capitalize()} time overhead: (mode - base) / base"
    return Grid(field, title, ["base (s)"] + modes, lines, notes=notes)


def raised_note(results, modes, field):
    raised = {}
    for mode in modes:
        for name in board.time_mean(results.programs, mode, field).raised:
            raised.setdefault(name, []).append(mode)
    if not raised:
        return []
    texts = [f"{name} ({'every mode' if raised[name] == modes else ', '.join(raised[name])})" for name in raised]
    return [f"~ overheads below {board.FLOOR} count as {board.FLOOR} in the mean: {'; '.join(texts)}"]


def base_cell(program, field, scale=1.0):
    row = program.row("base")
    value = row.median(field)
    return marked(row, "" if value is None else number(value / scale))


def memory_grid(results):
    modes = [mode.name for mode in results.checkers]
    lines = program_lines(results, lambda program: [base_cell(program, "peak_kib", 1024)] + [
        marked(program.row(mode), number(program.row(mode).slowdown("peak_kib"))) for mode in modes])
    lines += mean_lines(results, modes, board.memory_mean, "geo mean")
    return Grid("memory", "Memory: peak resident set over base's", ["base (MiB)"] + modes, lines)


def ratio_grid(results, key, title, value, mean):
    """Checks per access, or shadow locations per element: only for the modes that count them."""
    modes = [mode.name for mode in results.checkers
             if any(value(program.row(mode.name)) is not None for program in results.programs)]
    if not modes:
        return None
    lines = program_lines(results, lambda program: [
        marked(program.row(mode), fraction(value(program.row(mode)))) for mode in modes])
    lines += mean_lines(results, modes, mean, "arithmetic mean", blank=0, shown=fraction)
    return Grid(key, title, modes, lines)


def race_grid(results):
    modes = [mode.name for mode in results.checkers]

    def cell(row):
        reports, planted = row.get("reports"), row.get("planted")
        if not row.measured:
            return SHORT[row.status]
        shown = "?" if reports is None else str(reports)
        return f"{shown} {planted or '?'}" + "!" * row.doubtful

    lines = program_lines(results, lambda program: [cell(program.row(mode)) for mode in modes])
    lines.append(Line("found of tried", [
        f"{found} of {tried}" for found, tried in (planted(results, mode) for mode in modes)], "mean"))
    lines.append(Line("with false alarms", [
        str(false_alarms(results, mode)) for mode in modes], "mean"))
    return Grid("races", "Races: reports without a race, and whether the planted one was found", modes, lines)


def planted(results, mode):
    """In how many programs the planted race was found, and in how many it was looked for."""
    outcomes = [program.row(mode).get("planted") for program in results.programs]
    return outcomes.count("found"), outcomes.count("found") + outcomes.count("missed")


def false_alarms(results, mode):
    """In how many programs there was one."""
    return sum(program.row(mode).false_alarm for program in results.programs)


def build_grid(results, key, title, field, scale):
    modes = [mode.name for mode in results.modes]

    def cell(row):
        value = row.get(field)
        return SHORT.get(row.status, "") if value is None else number(value / scale)

    if all(program.row(mode).get(field) is None for program in results.programs for mode in modes):
        return None
    return Grid(key, title, modes, program_lines(results, lambda program: [cell(program.row(mode)) for mode in modes]))


def board_grids(results):
    """Everything the board measured."""
    grids = [
        time_grid(results, "wall"),
        time_grid(results, "user"),
        memory_grid(results),
        ratio_grid(results, "checks", "Check ratio: checks / accesses", lambda row: row.check_ratio, board.ratio_mean),
        ratio_grid(results, "fraction", "Shadow fraction: cells as a part of those that fasttrack has",
                   lambda row: row.get("shadow_fraction"), board.fraction_mean),
        race_grid(results),
        build_grid(results, "compile", "Compile time (s)", "compile_seconds", 1),
        build_grid(results, "size", "Executable (KiB)", "binary_bytes", 1024)]
    return [grid for grid in grids if grid]


def troubles(results):
    """One line for every row with a trouble."""
    return [f"{program.name}, {mode.name}: {trouble}" for program in results.programs for mode in results.modes
            if (trouble := program.row(mode.name).trouble())]


def legend(grids):
    """The marks that occur, explained."""
    used = "".join(cell[-2:] for grid in grids for line in grid.lines for cell in line.cells)
    return [text for mark, text in (
        ("*", "* at a smaller scale, compared with base at that scale"),
        ("!", "! the mode raised a false alarm or missed the planted race")) if mark in used]


# The papers' tables with ours beside.

def our_figure(program, column):
    """What we measured for a paper's column, and the Row it is from: None where there is none."""
    if column.measure == "base seconds":
        return program.row("base").median("wall"), program.row("base")
    if column.measure == "base megabytes":
        peak = program.row("base").median("peak_kib")
        return None if peak is None else peak * 1024 / 1e6, program.row("base")
    row = program.row(column.mode)
    kind, _, part = column.measure.partition("/")
    figure = {"overhead": lambda r: r.overhead(), "slowdown": lambda r: r.slowdown(),
              "memory": lambda r: r.slowdown("peak_kib"), "checks": lambda r: r.check_ratio,
              "fraction": lambda r: r.get("shadow_fraction")}[kind]
    mine, whole = figure(row), figure(program.row("fasttrack"))
    if not part or mine is None or whole is None:
        return None if part else mine, row
    floor = board.FLOOR if kind == "overhead" else 0
    return max(mine, floor) / max(whole, floor), row


def paper_grid(results, table):
    """The paper's table: each column that has one of ours is followed by ours."""
    has_mode = {mode.name for mode in results.modes}
    paired = [bool(column.measure) and (column.mode in has_mode or column.measure.startswith("base "))
              for column in table.columns]
    headings = ["ours is"]
    for column, pair in zip(table.columns, paired):
        headings += [column.heading] + ["ours"] * pair
    lines, both = [], {at: [] for at in range(len(table.columns))}
    for name, figures in table.rows.items():
        program = results.program(papers.KERNELS.get(name, ""))
        cells = [program.name if program else "-"]
        for at, (column, figure) in enumerate(zip(table.columns, figures)):
            cells.append(exact(figure))
            if paired[at]:
                mine, row = our_figure(program, column) if program else (None, None)
                cells.append(marked(row, shown_as(column)(mine)) if row else "")
                if mine is not None and figure is not None:
                    both[at].append((float(figure), mine))
        lines.append(Line(name, cells))
    for name, _, figures, _ in table.means:
        cells = [""]
        for at, figure in enumerate(figures):
            cells += ["" if figure is None else exact(figure)] + [""] * paired[at]
        lines.append(Line(name, cells, "mean"))
    shared, counts = [""], [""]
    kinds = table.means[-1][1]
    for at, column in enumerate(table.columns):
        floor = board.FLOOR if column.measure.startswith("overhead") else None
        pairs = both[at] if kinds[at] and paired[at] else []
        means = [board.mean([("", pair[side]) for pair in pairs], len(pairs), kinds[at], floor) for side in (0, 1)]
        shown = shown_as(column)
        shared += [shown(means[0].value)] + [shown(means[1].value) + "~" * bool(means[1].raised)] * paired[at]
        counts += [""] + [str(len(pairs)) if pairs else ""] * paired[at]
    if any(counts):
        lines += [Line("rows of both", shared, "mean"), Line("  so many rows", counts, "mean")]
    stands = [f"{column.heading} beside {column.mode}" for column, pair in zip(table.columns, paired)
              if pair and column.mode]
    notes = ["ours: " + ", ".join(stands)] if stands else []
    notes += [f"{mean} of {column}: the paper's rows give {value}" for (key, column, mean), value
              in papers.MISPRINTS.items() if key == table.key]
    glued = frozenset(at for at, heading in enumerate(headings) if heading == "ours")
    return Grid(table.key, table.title, headings, lines, notes=notes, glued=glued)


def shown_as(column):
    return fraction if column.measure in ("checks", "fraction") else number


def exact(figure):
    """A figure of a paper, with the digits it has there."""
    return "-" if figure is None else f"{figure:f}"


def paper_grids(results):
    return [paper_grid(results, table) for table in papers.TABLES if any(c.measure for c in table.columns)]


# Text.

def header_lines(text, width):
    """A heading in lines of at most width, broken behind dashes and spaces."""
    lines = [""]
    for word in text.replace("-", "-\0").replace(" ", " \0").split("\0"):
        if len(lines[-1] + word.rstrip()) > width and lines[-1]:
            lines.append("")
        lines[-1] += word
    return [line.strip() for line in lines]


def aligned(grid):
    """The cells of each line, with room behind the figures of a column that has marks."""
    cells = [list(line.cells) for line in grid.lines]
    for at in range(len(grid.headings)):
        column = [row for row in cells if len(row) > at]
        room = max((len(row[at]) - len(row[at].rstrip(MARKS)) for row in column), default=0)
        for row in column:
            if row[at][:1].isdigit() or row[at][:1] == "-":
                row[at] = row[at].rstrip(MARKS) + row[at][len(row[at].rstrip(MARKS)):].ljust(room)
    return cells


def render(grid):
    """The grid in lines; where it is wider than WIDTH, in several blocks that repeat the labels."""
    rows = aligned(grid)
    labels = max(len(text) for text in [grid.corner] + [line.label for line in grid.lines if line.kind != "group"]) + 1
    heads = [header_lines(text, 10) for text in grid.headings]
    widths = [2 + max([len(part) for part in head] +
                      [len(row[at]) for row in rows if len(row) > at])
              for at, head in enumerate(heads)]
    blocks, room = [[]], WIDTH - labels
    for at, width in enumerate(widths):
        follower = widths[at + 1] if at + 1 in grid.glued else 0
        if sum(widths[i] for i in blocks[-1]) + width + follower > room and blocks[-1] and at not in grid.glued:
            blocks.append([])
        blocks[-1].append(at)
    out = [grid.title, "=" * len(grid.title)]
    for block in blocks:
        height = max(len(heads[at]) for at in block)
        for level in range(height):
            left = grid.corner if level == height - 1 else ""
            parts = [([""] * (height - len(heads[at])) + heads[at])[level].rjust(widths[at]) for at in block]
            out.append((left.ljust(labels) + "".join(parts)).rstrip())
        out.append("-" * (labels + sum(widths[at] for at in block)))
        previous = "program"
        for line, row in zip(grid.lines, rows):
            if line.kind == "mean" and previous != "mean":
                out.append("")
            previous = line.kind
            cells = "" if line.kind == "group" else "".join(row[at].rjust(widths[at]) for at in block)
            label = f"[{line.label}]" if line.kind == "group" else line.label
            out.append((label.ljust(labels) + cells).rstrip())
        out.append("")
    for note in grid.notes:
        out += wrapped(note)
    return out + [""] * bool(grid.notes)


def wrapped(text):
    """Lines of at most WIDTH; those after the first are indented."""
    return textwrap.wrap(text, WIDTH, subsequent_indent="   ")


def text(results, with_papers):
    out = []
    for caveat in results.caveats():
        out += wrapped(caveat)
    out += wrapped(": ".join(filter(None, results.headline())) + ".")
    out += wrapped("; ".join(f"{label} {value}" for label, value in board.describe(results))) + [""]
    grids = board_grids(results)
    for grid in grids:
        out += render(grid)
    out += legend(grids)
    trouble = troubles(results)
    if trouble:
        out += ["", "What went wrong", "==============="]
        for line in trouble:
            out += wrapped(line)
    if with_papers:
        out.append("")
        for grid in paper_grids(results):
            out += render(grid)
    return "\n".join(out).rstrip() + "\n"


def main(arguments=None):
    parser = argparse.ArgumentParser(description="The board's results as text tables, 120 columns wide.")
    parser.add_argument("results", metavar="RESULTS.json", help="what bench/board/run has written")
    parser.add_argument("--papers", action="store_true", help="the papers' tables too, with ours beside")
    given = parser.parse_args(arguments)
    return board.run("table.py", lambda: print(text(board.load(given.results), given.papers), end=""))


if __name__ == "__main__":
    sys.exit(main())
