"""The columns of the board: a mode is a way to build, a way to run, and a way to read its reports.

Photofinish's modes that differ in an option of the runtime only share one build.
"""

import dataclasses
import json
import pathlib
import re
import shutil

from workload import Launcher, Toolchain, Trouble


@dataclasses.dataclass(frozen=True)
class Mode:
    name: str
    kind: str  # base, photofinish or peer
    build: str  # modes with the same name here share it
    what: str  # for --help
    runtime: str = ""  # Photofinish's: the mode of its runtime, if that has another name
    is_aside: bool = False  # runs in every other round
    of_small: float = 0  # many times slower than the others: runs at such a part of a program's small scale
    counts_like: str = ""  # the mode that makes the same checks in the same cells, only otherwise

    def runs_in(self, round_number):
        return not (self.is_aside and round_number % 2)

    def toolchain(self, photofinish):
        if self.kind == "photofinish":
            flags = {"photofinish": [], "inlined": ["-fphotofinish-inline-checks"]}.get(
                self.build, [f"-fphotofinish-placement={self.build}"])
            return Toolchain(f"{photofinish}-clang", f"{photofinish}-clang++", ["-g", *flags])
        # valgrind 3.19 cannot read clang 19's DWARF 5.
        flags = {"base": ["-g"], "tsan": ["-g", "-fsanitize=thread"], "dwarf4": ["-gdwarf-4"]}[self.build]
        return Toolchain("clang-19", "clang++-19", flags)

    def missing(self):
        """What has to be installed for it; None if nothing."""
        tool = "valgrind" if self.build == "dwarf4" else "clang++-19"
        return None if shutil.which(tool) else tool

    def launcher(self, scratch, limit, wants_reports=False, wants_stats=False):
        """How it runs. Reports cost time, too: they are asked for where a race is planted."""
        if self.kind == "photofinish":
            options = [f"mode={self.runtime or self.name}"]
            if wants_reports:
                options.append(f"json={scratch}/races.json:log={scratch}/races.log")
            if wants_stats:
                options.append(f"stats=1:json={scratch}/stats.json")
            return Launcher(env={"PHOTOFINISH_OPTIONS": ":".join(options)}, limit=limit)
        if self.build == "tsan":
            return Launcher(env={"TSAN_OPTIONS": "exitcode=66"}, limit=limit)
        if self.build == "dwarf4":
            # Its own exit code is the program's; threads take turns fairly, or spinning ones never end.
            return Launcher(["valgrind", f"--tool={self.name}", "--fair-sched=yes", "-q", "--error-limit=no"],
                            limit=limit)
        return Launcher(limit=limit)

    def reports(self, usage):
        """How many races it has reported, as far as the text tells."""
        pattern = {"photofinish": r"^photofinish: (\d+) data races? found", "tsan": r"WARNING: ThreadSanitizer: data race",
                   "dwarf4": r"^==\d+== (?:Possible data race|Conflicting)"}.get(
                       "photofinish" if self.kind == "photofinish" else self.build)
        if not pattern:
            return 0
        found = re.findall(pattern, usage.errors, re.M)
        return int(found[-1]) if found and self.kind == "photofinish" else len(found)

    def reported_lines(self, usage, scratch):
        """The pairs of lines that were reported, each a set of (file name, line); None if it cannot say."""
        if self.kind != "photofinish":
            return None
        path = pathlib.Path(scratch) / "races.json"
        if not path.exists():
            return []
        records = [json.loads(line) for line in path.read_text().splitlines()]
        return [{place_of(access) for access in record["accesses"]} for record in records
                if record["event"] == "race"]

    def stats(self, scratch):
        """The runtime's own counts."""
        path = pathlib.Path(scratch) / "stats.json"
        for line in path.read_text().splitlines() if path.exists() else ():
            record = json.loads(line)
            if record["event"] == "stats":
                return record
        raise Trouble("crashed", f"{self.name}: no statistics after the run")


def place_of(access):
    for frame in access["stack"]:
        if "file" in frame:
            return pathlib.Path(frame["file"]).name, frame.get("line")
    return "", 0


MODES = [
    Mode("base", "base", "base", "unchecked", is_aside=True),  # what counts of it runs beside the others
    Mode("empty", "photofinish", "photofinish", "instrumented, checks do nothing"),
    Mode("fasttrack", "photofinish", "photofinish", "every access checked, a cell per location"),
    Mode("slimstate", "photofinish", "inlined", "every access checked, bytes with one history share their cells"),
    Mode("redcard", "photofinish", "redcard", "as fasttrack, without checks that others cover", "fasttrack"),
    Mode("slimcard", "photofinish", "redcard", "as slimstate, without checks that others cover", "slimstate"),
    Mode("bigfoot", "photofinish", "bigfoot", "as slimstate, checks moved out of loops and joined", "slimstate"),
    Mode("verifiedft-v1.5", "photofinish", "photofinish", "as fasttrack, shared reads under the lock",
         of_small=0.5, counts_like="fasttrack"),
    Mode("verifiedft-v1", "photofinish", "photofinish", "as fasttrack, every access under the lock",
         of_small=0.5, counts_like="fasttrack"),
    Mode("tsan", "peer", "tsan", "ThreadSanitizer of clang 19"),
    Mode("helgrind", "peer", "dwarf4", "valgrind's helgrind", of_small=1),
    Mode("drd", "peer", "dwarf4", "valgrind's drd", of_small=1),
]
QUICK = ["base", "fasttrack", "slimstate", "bigfoot", "tsan"]
