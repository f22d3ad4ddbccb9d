"""The results file of the board: read it, check it, and compute what the papers compute.

A Row is one program in one mode. What is measured several times is summed up by its median; its spread is
half the distance between the smallest and the largest run, relative to the median.

  overhead     (mode - base) / base, of wall or of user time, as BigFoot and VerifiedFT define it
  slowdown     mode / base, as SlimState prints it; overhead + 1
  memory       peak of the resident set over base's peak
  check ratio  checks / accesses

A row has, for each of its runs, what base took beside it (base_wall and so on), at the same scale, which may be
smaller than that of base's own row: a ratio is one of two runs at one time, and a slowdown is the median of the
ratios. Where there is none, there is no overhead.

Means over programs are geometric means of overheads, as in the papers; check ratios and shadow fractions
have arithmetic means, as there. An overhead may come out near zero or below, where a geometric mean is
undefined, or is made by noise: between 0.002 and 0.02, which no clock here tells apart, it is a factor of ten.
So one below FLOOR, about what runs spread by, counts as FLOOR, and the Mean says which were raised. No row is
dropped silently: a Mean knows how many programs it is over and of how many. A mode that ended with a right
result but a false alarm, or that missed the planted race, was still measured: its row counts, and is marked.
Whatever a mode reports in a kernel without a planted race is a false alarm, also where the file does not call
it so; in a real program it may be right.
"""

import dataclasses
import json
import math
import os
import statistics
import sys

FORMAT = 2
FLOOR = 0.1
BUSY_LIMIT = 0.1
GROUPS = ("array", "object", "real")
KINDS = ("base", "photofinish", "peer")
MEASURED = ("ok", "false alarm", "race missed")
FAILED = ("wrong result", "crashed", "too slow", "missing", "does not build", "impossible")
BESIDE = ("base_wall", "base_user", "base_peak_kib")
REPEATED = ("wall", "user", "system", "peak_kib", *BESIDE)
NUMBERS = ("compile_seconds", "binary_bytes", "scale", "reports", "accesses", "checks", "cells", "shadow_fraction")


NO_ROW = {"status": "missing", "message": "the file has no such row"}


class BadResults(Exception):
    """One line: what is wrong with the file."""


@dataclasses.dataclass(frozen=True)
class Mean:
    """A mean over programs: over `count` of `of`; raised are those that counted as FLOOR."""

    value: float | None
    count: int
    of: int
    raised: tuple = ()

    @property
    def partial(self):
        return self.count < self.of


@dataclasses.dataclass(frozen=True)
class Mode:
    name: str
    kind: str


class Row:
    """One program in one mode."""

    def __init__(self, fields, base, group):
        self.fields = fields
        self.base = base  # base's Row; None for base itself
        self.measured = fields["status"] in MEASURED and bool(fields.get("wall"))
        self.status, self.message = fields["status"], fields.get("message", "")
        if self.status in MEASURED and not self.measured:
            self.status, self.message = "missing", "there is no run"
        self.false_alarm = self.status == "false alarm" or group != "real" and fields.get("reports", 0) > 0
        self.missed = self.status == "race missed" or fields.get("planted") == "missed"
        self.doubtful = self.measured and (self.false_alarm or self.missed)

    def trouble(self):
        """What is wrong with the row, in one line; "" if nothing is."""
        if self.status != "ok":
            return self.status + (f": {self.message}" if self.message else "")
        if self.base is not None and self.base.measured and not self.get("base_wall"):
            return "ran without base beside it"
        return "; ".join([f"false alarm: {self.get('reports')} without a planted race"] * self.false_alarm +
                         ["race missed: the planted one"] * self.missed)

    def get(self, field):
        """A figure that is measured once; None where unknown."""
        return self.fields.get(field)

    def median(self, field):
        values = self.fields.get(field)
        return statistics.median(values) if values and self.measured else None

    def spread(self, field):
        """None where there are not two runs to tell."""
        return spread_of(self.fields.get(field) or [])

    @property
    def smaller(self):
        """Ran at another scale than base did."""
        return self.base is not None and self.scale != self.base.scale

    @property
    def scale(self):
        return self.fields.get("scale", 1.0)

    def ratios(self, field):
        """To base, run by run; empty where base is not known, or a time too short for the clock."""
        mine = self.fields.get(field) if self.measured else None
        beside = mine if self.base is None else self.fields.get("base_" + field)
        if not mine or not beside or not all(mine) or not all(beside):
            return []
        return [run / base for run, base in zip(mine, beside)]

    def slowdown(self, field="wall"):
        """mode / base, of wall, user or peak_kib; None where one of them is unknown, or too short for the clock."""
        ratios = self.ratios(field)
        return statistics.median(ratios) if ratios else None

    def overhead(self, field="wall"):
        slowdown = self.slowdown(field)
        return None if slowdown is None else slowdown - 1

    @property
    def check_ratio(self):
        checks, accesses = self.fields.get("checks"), self.fields.get("accesses")
        return checks / accesses if checks is not None and accesses else None


class Program:
    def __init__(self, fields):
        self.name, self.group = fields["name"], fields["group"]
        base = Row(fields["rows"].get("base", NO_ROW), None, self.group)
        self.rows = {mode: Row(row, base, self.group) for mode, row in fields["rows"].items()} | {"base": base}

    def row(self, mode):
        """A row that the file does not have is a row that says so."""
        return self.rows.get(mode) or Row(NO_ROW, self.rows["base"], self.group)


class Results:
    def __init__(self, document):
        self.machine, self.settings = document["machine"], document["settings"]
        self.modes = [Mode(**{key: mode[key] for key in ("name", "kind")}) for mode in document["modes"]]
        self.programs = [Program(program) for program in document["programs"]]
        self.sweeps = document.get("sweeps", [])

    @property
    def checkers(self):
        """The modes but base."""
        return [mode for mode in self.modes if mode.kind != "base"]

    @property
    def groups(self):
        return [group for group in GROUPS if any(program.group == group for program in self.programs)]

    def program(self, name):
        return next((program for program in self.programs if program.name == name), None)

    def in_group(self, group):
        return [program for program in self.programs if group in (None, program.group)]

    def common(self, modes, field="wall"):
        """The programs for which each of the modes has an overhead: what a fair comparison is over."""
        return [program for program in self.programs
                if all(program.row(mode).slowdown(field) is not None for mode in modes)]

    def caveats(self):
        """What a reader must know before any figure, one line each."""
        lines = []
        if self.busy is None:
            lines.append("It is not known how busy the machine was with other work.")
        elif self.busy > BUSY_LIMIT:
            lines.append(f"NOT A GOOD RUN: other processes took {self.busy:.0%} of the processor time "
                         f"(limit {BUSY_LIMIT:.0%}); do not quote these times.")
        if self.settings.get("quick"):
            lines.append("A quick run: smaller work and fewer rounds than the real one.")
        return lines

    @property
    def busy(self):
        return self.machine.get("busy")

    def headline(self):
        """One sentence in two parts, what and over what: our fastest mode beside ThreadSanitizer.

        It is over the programs that both finished. "empty" is no candidate, as it detects nothing.
        """
        ours = [mode.name for mode in self.modes if mode.kind == "photofinish" and mode.name != "empty"]
        ours = [mode for mode in ours if self.common([mode])]
        if not ours:
            return "No mode of Photofinish has finished a program", ""
        peer = "tsan" if any(mode.name == "tsan" for mode in self.modes) and self.common(["tsan"]) else None

        def programs_for(mode):
            return self.common([mode] + ([peer] if peer else []))

        ours = [mode for mode in ours if programs_for(mode)]
        if not ours:
            return "No program was finished by both Photofinish and ThreadSanitizer", ""
        most = max(len(programs_for(mode)) for mode in ours)
        best = min((mode for mode in ours if len(programs_for(mode)) == most),
                   key=lambda mode: time_mean(programs_for(mode), mode).value)
        programs = programs_for(best)

        def costs(mode):
            time, memory = time_mean(programs, mode), memory_mean(programs, mode)
            needs = f" and needs {number(memory.value)} times the memory" if memory.value is not None else ""
            return f"adds {number(time.value)} times the base time{needs}"

        sentence = f"Photofinish ({best}) {costs(best)}"
        if peer:
            sentence += f"; ThreadSanitizer {costs(peer)}"
        count = f"{most} program{'s' * (most != 1)}"
        return sentence, f"geometric means over {count}{' that both finished' if peer else ''}"


def spread_of(values):
    """Half the distance between the smallest and the largest over the median; None if that says nothing."""
    middle = statistics.median(values) if len(values) > 1 else 0
    return (max(values) - min(values)) / 2 / middle if middle else None


def error_of_overhead(ratios):
    """How far the overhead is known that runs of these ratios to base tell: its standard error over what counts as it."""
    if len(ratios) < 2:
        return 0
    return statistics.stdev(ratios) / math.sqrt(len(ratios)) / max(statistics.mean(ratios) - 1, FLOOR)


def geometric(values):
    return math.exp(math.fsum(map(math.log, values)) / len(values))


def mean(pairs, of, kind="geometric", floor=None):
    """A Mean over (name, value) pairs whose value is known."""
    known = [(name, value) for name, value in pairs if value is not None]
    raised = () if floor is None else tuple(name for name, value in known if value < floor)
    values = [value if floor is None else max(value, floor) for _, value in known]
    if not values:
        return Mean(None, 0, of)
    middle = geometric(values) if kind == "geometric" else math.fsum(values) / len(values)
    return Mean(middle, len(values), of, raised)


def time_mean(programs, mode, field="wall"):
    """Of overheads, none below FLOOR."""
    return mean([(p.name, p.row(mode).overhead(field)) for p in programs], len(programs), floor=FLOOR)


def slowdown_mean(programs, mode, field="wall"):
    return mean([(p.name, p.row(mode).slowdown(field)) for p in programs], len(programs))


def memory_mean(programs, mode):
    return slowdown_mean(programs, mode, "peak_kib")


def ratio_mean(programs, mode):
    return mean([(p.name, p.row(mode).check_ratio) for p in programs], len(programs), "arithmetic")


def fraction_mean(programs, mode):
    return mean([(p.name, p.row(mode).get("shadow_fraction")) for p in programs], len(programs), "arithmetic")


def number(value):
    """A time, a size or a factor, for people."""
    if value is None:
        return ""
    if abs(value) < 99.95:
        return f"{value if abs(value) >= 0.005 else 0:.2f}"
    return f"{value:,.1f}" if abs(value) < 999.95 else f"{value:,.0f}"


def fraction(value):
    """A ratio that may be tiny: two digits that say something."""
    if value is None:
        return ""
    return f"{value:.1e}" if 0 < value < 0.001 else f"{value:.2f}" if value >= 0.1 or value == 0 else f"{value:.2g}"


def describe(results):
    """The machine and the settings, as (label, text)."""
    machine, settings = results.machine, results.settings
    memory = machine.get("memory_mib")
    busy = results.busy
    facts = (
        ("processor", machine.get("cpu")),
        ("cores", machine.get("cores")),
        ("memory", f"{memory / 1024:.1f} GiB" if memory else None),
        ("system", ", ".join(str(machine[key]) for key in ("system", "kernel") if machine.get(key))),
        ("clang", machine.get("clang")),
        ("valgrind", machine.get("valgrind")),
        ("photofinish", machine.get("photofinish")),
        ("when", machine.get("when")),
        ("other load", f"{busy:.0%} of the processor time" if busy is not None else None),
        ("threads", settings.get("threads")),
        ("scale", settings.get("scale")),
        ("rounds", settings.get("rounds")))
    return [(label, str(text)) for label, text in facts if text not in (None, "")]


# Reading. Every check says where in the file it failed.

def load(path):
    """The Results in a file; BadResults if it has none."""
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
    except OSError as error:
        raise BadResults(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadResults(f"{path}: not a text file") from None
    except (ValueError, RecursionError) as error:
        raise BadResults(f"{path}: not JSON: {str(error).splitlines()[0]}") from None
    try:
        check(document)
    except BadResults as error:
        raise BadResults(f"{path}: {error}") from None
    return Results(document)


def need(condition, where, what):
    if not condition:
        raise BadResults(f"{where}: {what}")


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def member(holder, key, kind, where):
    need(isinstance(holder, dict), where, "is not an object")
    need(key in holder, where, f"has no {key}")
    need(isinstance(holder[key], kind), where, f"{key} is not {KIND_NAMES[kind]}")
    return holder[key]


KIND_NAMES = {dict: "an object", list: "a list", str: "a text"}


def check(document):
    need(isinstance(document, dict), "file", "is not an object")
    need(document.get("format") == FORMAT, "file", f"format is {document.get('format')!r}, not {FORMAT}")
    machine = member(document, "machine", dict, "file")
    busy = machine.get("busy")
    need(busy is None or is_number(busy) and 0 <= busy <= 1, "machine", f"busy is {busy!r}, not from 0 to 1")
    member(document, "settings", dict, "file")
    names = check_modes(member(document, "modes", list, "file"))
    programs = member(document, "programs", list, "file")
    need(programs, "file", "programs is empty")
    for at, program in enumerate(programs):
        name = member(program, "name", str, f"programs[{at}]")
        group = member(program, "group", str, name)
        need(group in GROUPS, name, f"group {group!r} is none of {', '.join(GROUPS)}")
        for mode, row in member(program, "rows", dict, name).items():
            need(mode in names, name, f"mode {mode!r} is not in modes")
            check_row(row, f"{name}, {mode}")
    need(len({program["name"] for program in programs}) == len(programs), "programs", "a name is there twice")
    for at, sweep in enumerate(member({"sweeps": [], **document}, "sweeps", list, "file")):
        check_sweep(sweep, names, f"sweeps[{at}]")


def check_modes(modes):
    names = []
    for at, mode in enumerate(modes):
        name = member(mode, "name", str, f"modes[{at}]")
        kind = member(mode, "kind", str, f"modes[{at}]")
        need(kind in KINDS, name, f"kind {kind!r} is none of {', '.join(KINDS)}")
        need((kind == "base") == (name == "base"), name, "the mode of kind base is the one named base")
        names.append(name)
    need(len(set(names)) == len(names), "modes", "a name is there twice")
    need("base" in names, "modes", "base is not there")
    return names


def check_row(row, where):
    status = member(row, "status", str, where)
    need(status in MEASURED + FAILED, where, f"status {status!r} is none of {', '.join(MEASURED + FAILED)}")
    need(isinstance(row.get("message", ""), str), where, "message is not a text")
    for key in REPEATED:
        values = row.get(key)
        need(values is None or isinstance(values, list) and all(is_number(v) and v >= 0 for v in values),
             where, f"{key} is not a list of numbers from 0 on")
    for key in BESIDE:
        need(not row.get(key) or len(row[key]) == len(row.get("wall") or ()), where, f"{key} is not one for each run")
    for key in NUMBERS:
        value = row.get(key)
        need(value is None or is_number(value) and value >= 0, where, f"{key} is not a number from 0 on")
    planted = row.get("planted", "not tried")
    need(planted in ("found", "missed", "not tried"), where,
         f"planted {planted!r} is none of found, missed, not tried")


def check_sweep(sweep, names, where):
    member(sweep, "name", str, where)
    member(sweep, "axis", str, where)
    for mode, points in member(sweep, "curves", dict, where).items():
        need(mode in names, where, f"mode {mode!r} is not in modes")
        need(isinstance(points, list), where, f"the curve of {mode} is not a list")
        for point in points:
            need(isinstance(point, dict) and is_number(point.get("x")), where, f"a point of {mode} has no x")
            need(not sweep.get("log") or point["x"] > 0, where, f"a point of {mode} is at {point['x']} on a log axis")
            for key in ("wall", "user", "peak_kib"):
                need(point.get(key) is None or is_number(point[key]) and point[key] >= 0, where,
                     f"a point of {mode} has a {key} that is not a number from 0 on")


def run(name, command):
    """What each of the board's commands does: its exit code. For bad input it prints one line."""
    try:
        command()
        sys.stdout.flush()
    except BadResults as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the interpreter flushes once more
    return 0
