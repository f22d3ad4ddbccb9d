"""Where a checked program's time goes.

Samples a run with perf, stacks included, and asks of each sample whether it lies in the runtime, and if it
does, through which of its functions the program came there: a check, a function of libc that the runtime
stands in for, an operation that synchronizes. What is part of the runtime is known from its archive, so that
a program's function of a similar name is not taken for one. Programs, builds and scales are the board's.
"""

import collections
import pathlib
import re
import subprocess
import sys
import tempfile

import measure
from workload import Launcher, Trouble

FAILURE = 2
FREQUENCY = 499  # samples a second of processor time; prime, so that no loop keeps step
STACK_BYTES = 8192  # copied with each sample, for the stack to be found in
TOP = 10  # functions that are named

# What the runtime does on some other's behalf, wherever it was called from: a function that is on the stack.
INSIDE = [
    ("collecting stamps that nobody has", r"tidyMemoryNow"),
    ("committing what was noted", r"SlimMemory6commit"),
    ("reporting", r"reportRaces|reportNoted"),
]
# Otherwise, by the function that the program has called, or that this has become by a call at its end; the first
# that fits.
ENTRIES = [
    ("checks of ranges", r"^__pf_(read|write)_|^__pf_mem|Range|Strided|Fields|^(mem|str(?!n?dup)|bcmp|wcs|wmem)"),
    ("checks of single accesses", r"^__pf_(first_)?(read|write)\d+$|^__pf_(vptr_\w+|check_group)$|[cC]heck|miss"),
    ("atomic operations", r"^__pf_(atomic|fence)"),
    ("malloc, free and the like", r"[aA]lloc|free|memalign|^_Zn[aw]|^_Zd[al]|strn?dup|^m(un|re)?map"),
    ("synchronization", r"^pthread_|^sem_|^mtx_|^cnd_|^thrd_|guard|once|_M_start_thread|^fork|^clone"),
]
OTHERS = "other functions of libc"


def part_of(frames, is_runtime):
    """frames: (symbol, place) of a stack, innermost first; place is a file, or [kernel...]."""
    outside = next((at for at, (symbol, _) in enumerate(frames) if is_runtime(symbol)), len(frames))
    # What the kernel or a library does for the runtime is the runtime's; for the program it is not.
    if outside == len(frames) or any(not is_system(place) for _, place in frames[:outside]):
        place = frames[0][1] if frames else "?"
        if place.startswith("["):
            return "the kernel"
        return f"libraries ({pathlib.Path(place).name})" if is_system(place) else "the program, its tests included"
    inside = []
    for symbol, _ in frames[outside:]:
        if not is_runtime(symbol):
            break
        inside.append(symbol)
    for part, pattern in INSIDE:
        if any(re.search(pattern, symbol) for symbol in inside):
            return part
    return next((part for part, pattern in ENTRIES if re.search(pattern, inside[-1])), OTHERS)


def is_system(place):
    """The kernel, or a library? The board's programs are each one file."""
    return place.startswith("[") or ".so" in place


def stacks_of(text):
    """The samples of `perf script`: a stack each, as part_of takes it."""
    found = []
    for block in re.split(r"\n\s*\n", text.strip()):
        frames = re.findall(r"^\s*[0-9a-f]+ (.*) \((.*)\)$", block, re.M)
        if frames:
            found.append([(symbol.split("+0x")[0], place) for symbol, place in frames])
    return found


def symbols_of(archive):
    """The functions that are defined in the runtime, as the linker knows them."""
    done = subprocess.run(["llvm-nm-19", "--defined-only", "--format=posix", archive], capture_output=True, text=True,
                          check=True)
    return {line.split()[0] for line in done.stdout.splitlines() if re.search(r" [tTwW] ", line)}


def demangled(names):
    done = subprocess.run(["llvm-cxxfilt-19"], input="\n".join(names), capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def sampled(program, mode, board, data):
    """Runs it; what perf has to say."""
    plain = mode.launcher(None, board.setup.limit)
    launcher = Launcher(["perf", "record", "-q", "-e", "cpu-clock", "-F", FREQUENCY, "--call-graph",
                         f"dwarf,{STACK_BYTES}", "-o", data], plain.env, plain.limit)
    with tempfile.TemporaryDirectory(prefix="board.") as scratch:
        usage = program.run(launcher, board.place(program, mode), pathlib.Path(scratch), board.setup.threads,
                            program.small, False)
    # A server is stopped, and perf with it, which then has all its samples.
    done = subprocess.run(["perf", "script", "-i", data, "--no-demangle", "--no-inline", "-F", "ip,sym,dso"],
                          capture_output=True, text=True)
    if done.returncode or not done.stdout.strip():
        said = (usage.errors + done.stderr).strip().splitlines() or ["no samples"]
        raise Trouble("crashed", f"perf cannot sample it: {said[0]}")
    return done.stdout


def show(program, mode, board, text):
    stacks = stacks_of(text)
    names = symbols_of(board.setup.photofinish.parents[1] / "lib/photofinish/libphotofinish-rt.a")
    is_runtime = names.__contains__
    parts = collections.Counter(part_of(frames, is_runtime) for frames in stacks)
    functions = collections.Counter(frames[0][0] for frames in stacks if is_runtime(frames[0][0]))
    print(f"{program.name}, {board.setup.threads} threads, scale {program.small:g}, mode {mode.name}: "
          f"{len(stacks) / FREQUENCY:.2f} s of processor time")
    for part, count in parts.most_common():
        share = count / len(stacks)
        if share >= 0.001:
            print(f"  {part:36} {100 * share:5.1f} %  {'█' * round(40 * share)}".rstrip())
    top = functions.most_common(TOP)
    print("\nThe runtime's functions, by themselves:" if top else "\nNo sample is in a function of the runtime.")
    for name, (_, count) in zip(demangled([name for name, _ in top]), top):
        print(f"  {100 * count / len(stacks):5.1f} %  {short(name)}")


def short(name):
    """Without what it returns, its parameters, and the arguments of templates."""
    name = re.sub(r"\(anonymous namespace\)::|\(photofinish::\w+\)", "", name)
    while name != (shorter := re.sub(r"<[^<>]*>", "", name)):
        name = shorter
    name = re.sub(r"(?<!operator)\(.*", "", name)
    return name.rpartition(" ")[2].removeprefix("photofinish::").removeprefix("rt::")


def main(program, mode, setup, progress):
    """mode: None if there was not just one."""
    if not mode or mode.kind != "photofinish":
        print("board: --profile looks at one mode, of Photofinish's: give it with --modes", file=sys.stderr)
        return FAILURE
    board = measure.Board(setup, progress)
    with tempfile.TemporaryDirectory(prefix="board.") as folder:
        try:
            progress.step(f"building {program.name}, {mode.build}")
            board.build(program, mode)
            progress.step(f"sampling {program.name}, {mode.name}")
            text = sampled(program, mode, board, pathlib.Path(folder) / "perf.data")
        except Trouble as trouble:
            print(f"board: {program.name}: {trouble.kind}: {trouble}", file=sys.stderr)
            return FAILURE
        except OSError as error:
            print(f"board: {program.name}: {error.strerror}: {error.filename}; ./dev setup installs perf", file=sys.stderr)
            return FAILURE
    progress.clear()
    show(program, mode, board, text)
    return 0
