"""Builds every program in every way, runs the variants in turn, and makes a results file of it.

The variants take turns, round by round, so that whatever else the machine does hits them alike. A program
is checked at one scale, its own, in all modes: an overhead depends on the scale, so that those of two modes,
or of two boards, are comparable at the same one only. A machine is faster at some times than at others, for
less than a second: so each run has base beside it, just before and just after, at the same scale, and is
compared with that alone; and many short runs know more than a few long ones. A variant whose ratios to base
spread so much that its overhead is not known well gets further rounds: the overhead, not the ratio, as the means
are of overheads, and a ratio of 1.3 that is known to 0.1 is an overhead known to a third. What is not timed
(builds, planted races, counts) runs as many at a time as there are cores.
Everything that goes wrong is one line and a mark on its row; the rest goes on.
"""

import collections
import concurrent.futures
import json
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import tempfile
import threading
import time

import results
from workload import Trouble, digest_of

ERROR_LIMIT = 0.08  # of a variant's overhead: beyond, more rounds
MORE_ROUNDS = 8
MORE_ROUNDS_OF_SLOW = 2  # those that run at a part of the small scale, and still take longest
# Base beside a run, on each side of it: so long at least, if that does not take too many runs.
BESIDE_SECONDS = 0.15
MOST_BESIDE = 4
PAIRED = ("wall", "user", "peak_kib")


class Setup:
    """What one call of the board has been asked for."""

    def __init__(self, photofinish, folder, programs, modes, threads, scale, rounds, limit,
                 more_rounds=MORE_ROUNDS):
        self.photofinish = pathlib.Path(photofinish).resolve()
        self.folder = pathlib.Path(folder)
        self.programs, self.modes = programs, modes
        self.threads, self.rounds, self.more_rounds = threads, rounds, more_rounds
        self.scale = scale  # of base's own runs; no other is larger
        self.limit = limit  # at which a run is stopped


class Board:
    """The rows, as they fill up."""

    def __init__(self, setup, progress):
        self.setup, self.progress = setup, progress
        self.rows = {program.name: {mode.name: {"status": "ok"} for mode in setup.modes} for program in setup.programs}
        self.runs = collections.defaultdict(list)  # (program, mode) -> usages, at its scale
        self.beside = collections.defaultdict(list)  # the same -> base's figures beside each, a dict
        self.results = {}  # (program, scale) -> what base printed
        self.used = 0.0  # processor seconds of everything that ran
        self.lock = threading.Lock()  # of used, and of rows when they are marked

    # Troubles.

    def is_alive(self, program, mode):
        return self.rows[program.name][mode.name]["status"] in ("ok", "race missed", "false alarm")

    def mark(self, program, mode, kind, message):
        row = self.rows[program.name][mode.name]
        with self.lock:
            if row["status"] == "ok":
                row.update(status=kind, message=message)
                self.progress.say(f"{program.name}, {mode.name}: {kind}: {message}")

    def attempt(self, program, mode, step):
        """step(), unless the row is already out; a trouble marks it."""
        if not self.is_alive(program, mode):
            return None
        try:
            return step()
        except Trouble as trouble:
            self.mark(program, mode, trouble.kind, str(trouble))
        except OSError as error:
            self.mark(program, mode, "crashed", f"{error.strerror}: {error.filename}")
        return None

    # Building.

    def place(self, program, mode, race=False):
        return self.setup.folder / "programs" / program.name / (mode.build + ("-race" if race else ""))

    def build(self, program, mode):
        """Builds, its twin, too, unless the same has been built from the same; notes what that cost without the twin."""
        if mode.build in program.impossible:
            raise Trouble("impossible", program.impossible[mode.build])
        if mode.missing():
            raise Trouble("missing", f"{mode.missing()} is not installed; ./dev setup installs it")
        folder, twin = self.place(program, mode), self.place(program, mode, race=True)
        toolchain = mode.toolchain(self.setup.photofinish)
        stamp, key = folder.with_suffix(".json"), program.fingerprint() + tool_fingerprint(mode, self.setup.photofinish)
        known = json.loads(stamp.read_text()) if stamp.exists() else {}
        if known.get("key") != key:
            stamp.unlink(missing_ok=True)
            for old in (folder, twin):
                shutil.rmtree(old, ignore_errors=True)
            folder.mkdir(parents=True)
            program.build(toolchain, folder)
            known = {"key": key, "seconds": toolchain.seconds, "bytes": program.binary(folder).stat().st_size}
            if program.has_twin:
                program.build_twin(toolchain, folder, twin)
            stamp.write_text(json.dumps(known))
        return known

    def build_all(self):
        """Two builds at once: they cost processor time, not wall time."""
        jobs = {}
        for program in self.setup.programs:
            for mode in self.setup.modes:
                jobs.setdefault((program, mode.build), []).append(mode)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            running = {pool.submit(self.build, program, modes[0]): (program, modes)
                       for (program, _), modes in jobs.items()}
            for done in concurrent.futures.as_completed(running):
                program, modes = running[done]
                self.progress.step(f"building {program.name}, {modes[0].build}")
                for mode in modes:
                    built = self.attempt(program, mode, done.result)
                    if built:
                        self.rows[program.name][mode.name].update(
                            compile_seconds=built["seconds"], binary_bytes=built["bytes"])

    # Running.

    def run(self, program, mode, scale, race=False, wants_stats=False):
        """One run, its exit code and result looked at: its usage, and what was asked for beside it (lines, counts)."""
        with tempfile.TemporaryDirectory(prefix="board.") as scratch:
            scratch = pathlib.Path(scratch)
            launcher = mode.launcher(scratch, self.setup.limit, wants_reports=race, wants_stats=wants_stats)
            folder = self.place(program, mode, race and program.has_twin)
            usage = program.run(launcher, folder, scratch, self.setup.threads, scale, race)
            with self.lock:
                self.used += usage.user + usage.system
            accepted = (0,) if mode.kind == "base" else (0, 66)
            if usage.code not in accepted:
                said = (usage.errors.strip().splitlines() or ["no message"])[-1]
                if usage.code == 1 and "wrong result" in usage.errors:
                    raise Trouble("wrong result", said)
                raise Trouble("crashed", f"{'signal' if usage.code < 0 else 'exit code'} {abs(usage.code)}: {said}")
            wrong = program.wrong(usage, scratch, race)
            if wrong:
                raise Trouble("wrong result", wrong)
            # What it prints is the same, checked or not, as far as the program prints what it computed.
            expected = self.results.setdefault((program.name, scale), program.digest(usage, scratch))
            if program.digest(usage, scratch) != expected:
                raise Trouble("wrong result", f"another result than {expected} at scale {scale}")
            if race:
                return usage, mode.reported_lines(usage, scratch)
            if wants_stats:
                return usage, mode.stats(scratch)
            return usage, None

    def plant(self, program, mode):
        """A run with the planted race: does the mode find it, and nothing else?"""
        row = self.rows[program.name][mode.name]
        usage, pairs = self.run(program, mode, program.small, race=True)
        if mode.kind == "base" or mode.name == "empty":
            return
        found = mode.reports(usage) > 0
        if pairs is not None:
            lines = program.planted()
            hits = [pair for pair in pairs if pair <= lines]
            found = bool(hits)
            others = [pair for pair in pairs if not pair <= lines]
            if others and program.group != "real":
                self.mark(program, mode, "false alarm", f"with the planted race: {spell(others[0])}")
        row["planted"] = "found" if found and row.get("planted") != "missed" else "missed"
        if not found and mode.kind == "photofinish":
            self.mark(program, mode, "race missed", "the planted race was not reported")

    def scale_of(self, program, mode):
        if mode.kind == "base":  # which is what a scale of 1 is made for
            return self.setup.scale
        if mode.of_small:
            # What is checked at a large scale, because checks hardly cost anything, would be over before it is known.
            return min(self.setup.scale, max(mode.of_small * program.small, program.checked / 8))
        return min(self.setup.scale, program.checked)

    def count(self, program, mode):
        """Accesses and checks: counting slows the run, so it is one of its own."""
        row = self.rows[program.name][mode.name]
        every = self.rows[program.name].get("fasttrack", {})
        if mode.counts_like == "fasttrack" and "checks" in every:
            row["checks"], row["cells"] = every["checks"], every["cells"]
            return
        _, stats = self.run(program, mode, program.small, wants_stats=True)
        row["checks"], row["cells"] = stats["checks"], stats["cells"]
        if row is every:  # it checks every access, in a cell for each location
            for other in self.rows[program.name].values():
                other["accesses"] = stats["accesses"]
        elif every.get("cells"):
            row["shadow_fraction"] = row["cells"] / every["cells"]

    def measure(self, program, mode):
        """One run at the mode's scale, with base beside it."""
        scale = self.scale_of(program, mode)
        if mode.kind == "base":
            self.runs[program.name, mode.name].append(self.run(program, mode, scale)[0])
            return
        before = self.run_beside(program, scale)
        usage, _ = self.run(program, mode, scale)
        base = before + self.run_beside(program, scale)
        self.runs[program.name, mode.name].append(usage)
        if base:
            self.beside[program.name, mode.name].append(
                {field: statistics.median(getattr(usage, field) for usage in base) for field in PAIRED})
        reports = mode.reports(usage)
        row = self.rows[program.name][mode.name]
        row["reports"] = max(reports, row.get("reports", 0))
        if reports and mode.kind == "photofinish" and program.group != "real":
            self.mark(program, mode, "false alarm", f"{reports} reports without a planted race")

    def run_beside(self, program, scale):
        """Base's usages; none if it fails."""
        base, usages = self.setup.modes[0], []
        while len(usages) < MOST_BESIDE and sum(usage.wall for usage in usages) < BESIDE_SECONDS:
            done = self.attempt(program, base, lambda: self.run(program, base, scale))
            if not done:
                return []
            usages.append(done[0])
        return usages

    def overhead_error(self, program, mode):
        """How far the overheads in time are known: the less well known one."""
        usages, beside = self.runs[program.name, mode.name], self.beside[program.name, mode.name]
        return max(results.error_of_overhead([getattr(usage, field) / base[field] for usage, base in zip(usages, beside)
                                              if base[field]]) for field in ("wall", "user"))

    def plant_and_count_all(self):
        """Nothing here is timed. One program's modes take turns, as some counts are the same as another's."""
        def one(program):
            for mode in self.setup.modes:
                self.progress.step(f"planted race: {program.name}, {mode.name}")
                # Photofinish has to find it every time.
                for number in range(self.setup.rounds if mode.kind == "photofinish" else 1):
                    if not mode.runs_in(number):
                        continue
                    self.attempt(program, mode, lambda: self.plant(program, mode))
                if mode.kind == "photofinish" and mode.name != "empty":
                    self.attempt(program, mode, lambda: self.count(program, mode))

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            # The real programs are the last ones, and take longest: nobody shall have to wait for one of them alone.
            for done in [pool.submit(one, program) for program in reversed(self.setup.programs)]:
                done.result()

    def variants(self):
        """(program, mode), in the order of a round: those that can be measured."""
        return [(program, mode) for program in self.setup.programs for mode in self.setup.modes
                if self.is_alive(program, mode)]

    def measure_all(self):
        for number in range(self.setup.rounds):
            for program, mode in self.variants():
                self.progress.step(f"round {number + 1} of {self.setup.rounds}: {program.name}, {mode.name}")
                if mode.runs_in(number):
                    self.attempt(program, mode, lambda: self.measure(program, mode))
        for number in range(self.setup.more_rounds if self.setup.rounds > 1 else 0):
            for program, mode in self.variants():
                is_due = number < MORE_ROUNDS_OF_SLOW or mode.kind != "peer" or not mode.of_small
                if is_due and self.overhead_error(program, mode) > ERROR_LIMIT:
                    self.progress.note(f"again, as it spread: {program.name}, {mode.name}")
                    self.attempt(program, mode, lambda: self.measure(program, mode))

    def finish(self):
        """The rows with their figures."""
        for program in self.setup.programs:
            for mode in self.setup.modes:
                row = self.rows[program.name][mode.name]
                usages = self.runs.get((program.name, mode.name), [])
                if not usages or not self.is_alive(program, mode):
                    continue
                row["scale"] = self.scale_of(program, mode)
                for field in ("wall", "user", "system", "peak_kib"):
                    row[field] = [getattr(usage, field) for usage in usages]
                beside = self.beside[program.name, mode.name]
                for field in PAIRED if len(beside) == len(usages) else ():
                    row[f"base_{field}"] = [figures[field] for figures in beside]
        return [{"name": program.name, "group": program.group, "rows": self.rows[program.name]}
                for program in self.setup.programs]


def sweep(board, sweeps, modes):
    """How cost grows: the better of two runs of each mode at each point of each sweep."""
    result = []
    for growth in sweeps:
        curves = {mode.name: [] for mode in modes}
        for value in growth.values:
            for mode in modes:
                board.progress.step(f"sweep over {growth.sweep}: {value}, {mode.name}")
                try:
                    board.build(growth, mode)
                    usages = [growth.at(mode.launcher(None, board.setup.limit), board.place(growth, mode), value,
                                        board.setup.threads) for _ in range(2)]
                except Trouble as trouble:
                    board.progress.say(f"sweep over {growth.sweep}, {mode.name}, {value}: {trouble.kind}: {trouble}")
                    continue
                board.used += sum(usage.user + usage.system for usage in usages)
                best = min(usages, key=lambda usage: usage.wall)
                curves[mode.name].append(
                    {"x": value, "wall": best.wall, "user": best.user, "peak_kib": best.peak_kib})
        result.append({"name": growth.sweep, "axis": growth.axis, "log": True, "curves": curves})
    return result


def spell(pair):
    return " and ".join(sorted(f"{name}:{line}" for name, line in pair))


def tool_fingerprint(mode, photofinish):
    """Changes when what compiles or is linked does."""
    toolchain = mode.toolchain(photofinish)
    text = " ".join([mode.build, *toolchain.flags])
    if mode.kind == "photofinish":
        library = photofinish.parents[1] / "lib/photofinish"
        text += digest_of([photofinish, *sorted(path for path in library.iterdir() if path.is_file())])
    return text


class Machine:
    """What the run was on, and how busy that was with other things while something was timed: since this was made."""

    def __init__(self, used):
        """used, here and at the end: processor seconds of what the board has run so far."""
        self.begin, self.start, self.own = time.monotonic(), busy_seconds(), sum(os.times()[:2])
        self.used = used

    def describe(self, used):
        elapsed = (time.monotonic() - self.begin) * os.cpu_count()
        own = sum(os.times()[:2]) - self.own
        busy = max(0.0, (busy_seconds() - self.start - (used - self.used) - own) / elapsed)
        return {"cpu": processor(), "cores": os.cpu_count(), "memory_mib": os.sysconf("SC_PHYS_PAGES") *
                os.sysconf("SC_PAGE_SIZE") >> 20, "kernel": platform.release(), "system": system_name(),
                "clang": version("clang-19"), "valgrind": version("valgrind"), "photofinish": commit(),
                "when": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "busy": round(busy, 3)}


def busy_seconds():
    """Processor seconds that were not idle, since the machine started."""
    with open("/proc/stat") as file:
        fields = [int(word) for word in file.readline().split()[1:9]]
    return (sum(fields) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def system_name():
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", "Linux")
    except OSError:
        return "Linux"


def version(command):
    """The first word of what it prints that looks like a version."""
    try:
        text = subprocess.run([command, "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""
    return next((word.removeprefix("valgrind-") for word in text.split() if any(c.isdigit() for c in word)), "")


def commit():
    done = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True,
                          cwd=pathlib.Path(__file__).parent)
    return done.stdout.strip() or "unknown"
