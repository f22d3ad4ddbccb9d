"""Where a checked program's time goes.

Samples the program with perf, and asks llvm-symbolizer for the calls that were inlined at each sample, so
that a check that is one flat function still falls into its parts. Where perf does not work, callgrind
counts instructions, by function.
"""

import collections
import pathlib
import re
import subprocess
import sys
import tempfile

from modes import MODES
from workload import Launcher, Trouble

FAILURE = 2
SCALE = 0.05

# Part by part, the first that fits: a pattern for the outermost function of the runtime, one for the file
# of the innermost. A check that is not a hit is made of several parts.
MISS = r"check(Granule)?Slowly|__pf_(read|write)(16|_range)\b|readRange|writeRange|accessRange"
PARTS = [
    ("miss: calling contexts and notes", MISS, r"runtime/(context|base/intern_table)"),
    ("miss: finding and locking pages", MISS, r"runtime/(memory|base/(spin_lock|arena))"),
    ("miss: the rule on its cell", MISS, r"shadow/|detector/"),
    ("miss: entering, leaving, the rest", MISS, r""),
    ("hit: the same-epoch test", r"^__pf_(vptr_)?(read|write)\d*", r""),
    ("miss: the rule on its cell", r"", r"shadow/|detector/(cell|rules|atomic|verifiedft|epoch)"),
    ("miss: calling contexts and notes", r"", r"runtime/(context|base/intern_table)"),
    ("atomic operations", r"^__pf_(atomic|fence)", r""),
    ("allocation", r"block(Allocated|Freed)|malloc|calloc|realloc|free|operator (new|delete)|Heap", r""),
    ("memory and string functions", r"^__pf_mem|\b(mem|str)[a-z]+$", r""),
    ("synchronization", r"acquire|release|lock|[Bb]arrier|condition|[Tt]hread|Sync|Clock|pthread_", r""),
    ("other interceptors", r"", r"runtime/"),
]


def part_of(frames):
    """frames: (function, file) of the inlined calls at a sample, innermost first."""
    function, file = frames[-1][0], frames[0][1]
    if not any(re.search(r"/(runtime|shadow|detector)/", where) for _, where in frames) and \
            not function.startswith("__pf_"):
        return "the program"
    for name, outermost, innermost in PARTS:
        if re.search(outermost, function) and re.search(innermost, file):
            return name
    return "other interceptors"


def inlined_calls(executable, addresses):
    """By address, what part_of takes."""
    text = "".join(f"{address:#x}\n" for address in addresses)
    done = subprocess.run(["llvm-symbolizer-19", f"--obj={executable}", "--inlines", "--demangle"], input=text,
                          capture_output=True, text=True, check=True)
    blocks = done.stdout.strip().split("\n\n")
    return {address: list(zip(*[iter(block.splitlines())] * 2)) or [("??", "??")]
            for address, block in zip(addresses, blocks)}


def sampled(executable, arguments, env, folder):
    """Seconds by part."""
    data = folder / "perf.data"
    Launcher(env=env).start(["perf", "record", "-q", "-e", "cpu-clock", "-F", "997", "-o", data, executable,
                             *arguments]).finish()
    done = subprocess.run(["perf", "script", "-i", data, "-F", "ip,dso"], capture_output=True, text=True)
    samples = re.findall(r"^\s*([0-9a-f]+) \((.*)\)$", done.stdout, re.M)
    if done.returncode or not samples:
        return None
    own = collections.Counter(int(address, 16) for address, place in samples if pathlib.Path(place) == executable)
    result = collections.Counter()
    for address, place in samples:
        if pathlib.Path(place) != executable:
            result["the kernel" if "kernel" in place else f"libraries ({pathlib.Path(place).name})"] += 1
    calls = inlined_calls(executable, sorted(own))
    for address, count in own.items():
        result[part_of(calls[address])] += count
    return {part: count / 997 for part, count in result.items()}


def counted(executable, arguments, env, folder):
    """Instructions by part."""
    output = folder / "callgrind.out"
    usage = Launcher(env=env).start(["valgrind", "--tool=callgrind", f"--callgrind-out-file={output}",
                                     executable, *arguments]).finish()
    if usage.code:
        raise Trouble("crashed", usage.errors.strip().splitlines()[-1])
    done = subprocess.run(["callgrind_annotate", "--threshold=100", output], capture_output=True, text=True)
    result = collections.Counter()
    for count, function in re.findall(r"^\s*([\d,]+) \([^)]*\)\s+\S*?:(.*?)(?: \[.*\])?$", done.stdout, re.M):
        result[part_of([(function, "/runtime/" if function.startswith("photofinish::") else "")])] += \
            int(count.replace(",", ""))
    return result


def main(photofinish, name, known, threads):
    program = next((one for one in known if one.name == name), None)
    if not program or program.group == "real":
        print(f"board: no kernel is called '{name}'; there are "
              f"{', '.join(one.name for one in known if one.group != 'real')}", file=sys.stderr)
        return FAILURE
    mode = next(mode for mode in MODES if mode.name == "fasttrack")
    with tempfile.TemporaryDirectory(prefix="board.") as folder:
        folder = pathlib.Path(folder)
        toolchain = mode.toolchain(pathlib.Path(photofinish).resolve())
        # At fixed addresses, which are then those in the file.
        toolchain.flags += ("-fno-pie", "-no-pie")
        try:
            program.build(toolchain, folder, False)
            executable = program.binary(folder)
            arguments = ["--threads", threads, "--scale", SCALE]
            env = mode.launcher(folder, 0).env
            unit, parts = "s", sampled(executable, arguments, env, folder)
            if not parts:
                unit, parts = "instructions", counted(executable, arguments, env, folder)
        except Trouble as trouble:
            print(f"board: {name}: {trouble.kind}: {trouble}", file=sys.stderr)
            return FAILURE
    total = sum(parts.values())
    print(f"{name}, {threads} threads, mode {mode.name}: {total:.2f} {unit} of processor time" if unit == "s" else
          f"{name}, {threads} threads, mode {mode.name}: {total:.3g} {unit}")
    for part, amount in sorted(parts.items(), key=lambda item: -item[1]):
        share = amount / total
        if share >= 0.001:
            print(f"  {part:36} {100 * share:5.1f} %  {'█' * round(40 * share)}")
    return 0
