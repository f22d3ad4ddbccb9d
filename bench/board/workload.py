"""What the board can build in several ways and run: a kernel, or a program from Debian's sources.

A workload knows how it is built, run and checked; nothing about modes. A mode (modes.py) gives it a
Toolchain to build with and a Launcher to start processes through.
"""

import atexit
import dataclasses
import functools
import hashlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
KERNELS = ROOT / "bench/kernels"
MARK = re.compile(r"(?://|/\*) RACE(?: \d+)+(?: \*/)?$")  # test/e2e/live/run has numbers to tell pairs apart


class Trouble(Exception):
    """One line: what went wrong, for the row and for the user. kind is the row's status."""

    def __init__(self, kind, message):
        super().__init__(message)
        self.kind = kind


@dataclasses.dataclass
class Usage:
    """What a process cost, and what it said."""

    wall: float
    user: float
    system: float
    peak_kib: int
    code: int  # negative: the signal
    output: str
    errors: str


class Running:
    """A process that was started; finish() waits for it."""

    def __init__(self, argv, cwd=None, env=None, stdin=None, limit=3600):
        self.argv = [str(word) for word in argv]
        self.output, self.errors = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        self.begin = time.monotonic()
        self.timed_out = False
        report, theirs = os.pipe()
        self.report = os.fdopen(report)
        try:
            self.process = subprocess.Popen(
                [launch_command(), str(theirs), *self.argv], cwd=cwd, env=dict(os.environ, **(env or {})),
                stdin=stdin or subprocess.DEVNULL, stdout=self.output, stderr=self.errors,
                pass_fds=[theirs], start_new_session=True)
        finally:
            os.close(theirs)
        self.timer = threading.Timer(limit, self.expire)
        self.timer.daemon = True
        self.timer.start()

    def expire(self):
        self.timed_out = True
        self.kill()

    def kill(self, number=signal.SIGKILL):
        """To the program and whatever it has started."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, number)

    def finish(self):
        self.process.wait()
        self.timer.cancel()
        with self.report, self.output, self.errors:
            numbers = self.report.read().split()
            self.output.seek(0)
            self.errors.seek(0)
            texts = [file.read().decode(errors="replace") for file in (self.output, self.errors)]
        name = pathlib.Path(self.argv[0]).name
        if self.timed_out:
            raise Trouble("too slow", f"{name}: stopped after {time.monotonic() - self.begin:.0f} s")
        if len(numbers) != 5:
            raise Trouble("crashed", f"{name}: {(texts[1].strip().splitlines() or ['it was killed'])[-1]}")
        return Usage(*map(float, numbers[:3]), int(numbers[3]), os.waitstatus_to_exitcode(int(numbers[4])), *texts)


@functools.cache
def launch_command():
    """The helper that measures, compiled when it is first needed."""
    source = pathlib.Path(__file__).with_name("launch.c")
    folder = tempfile.mkdtemp(prefix="board.")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    subprocess.run(["clang-19", "-O1", source, "-o", f"{folder}/launch"], check=True)
    return f"{folder}/launch"


class Toolchain:
    """How a mode compiles: cc and cxx are executables, without arguments, as build systems want them."""

    def __init__(self, cc, cxx, flags=()):
        self.cc, self.cxx = cc, cxx
        self.flags = tuple(flags)  # for every compilation and link
        self.seconds = 0.0  # processor time of all steps so far

    def run(self, command, cwd=None, env=None):
        """A step of a build; Trouble with the first line that says what the error is."""
        usage = Running(command, cwd, env).finish()
        self.seconds += usage.user + usage.system
        if usage.code:
            text = usage.errors + usage.output
            lines = [line for line in text.splitlines() if re.search("error:", line, re.I)] or \
                text.splitlines()[-1:] or ["no output"]
            raise Trouble("does not build", f"{pathlib.Path(str(command[0])).name}: {lines[0].strip()}")


class Launcher:
    """Starts processes as a mode wants it: its prefix (valgrind), its environment."""

    def __init__(self, prefix=(), env=None, limit=600):
        self.prefix, self.env, self.limit = list(prefix), env or {}, limit

    def start(self, argv, cwd=None, stdin=None):
        return Running(self.prefix + list(argv), cwd, self.env, stdin, self.limit)


class Workload:
    """What every workload has. folder is where build() has built, scratch is empty and its own."""

    name = ""
    group = ""  # array, object or real
    small = 0.01  # a scale for runs that only have to happen, and for modes that are slow
    checked = 0.01  # the scale of all others but base: at which a check of every access takes about half a second
    has_twin = False  # the planted race is another program, not a switch: build_twin()
    impossible = {}  # name of a build (modes.py) -> why it cannot run the program

    def fingerprint(self):
        """Changes when what is built does, the twin included."""
        raise NotImplementedError

    def digest(self, usage, scratch):
        """What every variant must have computed alike, at one scale; None if that is not known."""
        return None

    def build(self, toolchain, folder):
        raise NotImplementedError

    def build_twin(self, toolchain, folder, twin):
        """Into twin, from what build() has left in folder beside the program, and may use it up."""
        raise NotImplementedError

    def binary(self, folder):
        """The executable, for its size."""
        return folder / self.name

    def run(self, launcher, folder, scratch, threads, scale, race):
        """Usage of the checked process."""
        raise NotImplementedError

    def wrong(self, usage, scratch, race):
        """What is wrong with the result; None if it is right. The exit code has been looked at."""
        raise NotImplementedError

    def planted(self):
        """The lines that race when the race is planted: a set of (file name, line)."""
        raise NotImplementedError


def digest_of(paths):
    """One value for the contents of files."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(pathlib.Path(path).read_bytes())
    return digest.hexdigest()


def marked_lines(path):
    """The lines with a RACE mark, as Workload.planted gives them."""
    return {(path.name, number) for number, line in enumerate(path.read_text().splitlines(), 1) if MARK.search(line)}


class Kernel(Workload):
    """A program of bench/kernels."""

    def __init__(self, name, group, checked=Workload.checked):
        self.name, self.group, self.checked = name, group, checked
        self.source = KERNELS / f"{name}.cpp"

    def fingerprint(self):
        return digest_of([self.source, KERNELS / "kernel.h"])

    def build(self, toolchain, folder):
        toolchain.run([toolchain.cxx, "-std=c++20", "-O2", *toolchain.flags, "-I", ROOT, self.source,
                       "-o", self.binary(folder)])

    def run(self, launcher, folder, scratch, threads, scale, race):
        return launcher.start([self.binary(folder), "--threads", threads, "--scale", scale] +
                              ["--race"] * race).finish()

    def wrong(self, usage, scratch, race):
        if not self.digest(usage, scratch):
            return f"{self.name} printed {usage.output[:60]!r}"
        return None

    def digest(self, usage, scratch):
        match = re.fullmatch(rf"{self.name} threads=\d+ scale=\S+ result=([0-9a-f]{{16}})\n", usage.output)
        return match and match[1]

    def planted(self):
        return marked_lines(self.source)


class Growth(Kernel):
    """The kernel whose work stays while one size grows: a sweep's points are at `values`."""

    def __init__(self, name, axis, values):
        super().__init__("growth", "sweep")
        self.sweep, self.axis, self.values = name, axis, values

    def at(self, launcher, folder, value, threads):
        usage = launcher.start([self.binary(folder), self.sweep, value, "--threads", threads]).finish()
        if usage.code or not usage.output.startswith("growth "):
            raise Trouble("crashed", f"exit code {usage.code}: {usage.errors.strip()[-200:]}")
        return usage


# Each with the scale at which it is checked.
ARRAYS = {"crypt": 1 / 16, "series": 1 / 4, "lufact": 1 / 100, "moldyn": 1 / 16, "montecarlo": 1 / 8, "sparse": 1 / 64,
          "sor": 1 / 50, "raytracer": 1 / 16}
OBJECTS = {"index": 1 / 50, "store": 1 / 100, "transform": 1 / 100, "simulator": 1 / 64, "renderer": 1 / 32,
           "interpreter": 1 / 100, "server": 1 / 64, "checker": 1 / 32, "lockfree": 1 / 100, "json": 1 / 64}
ALL_KERNELS = [Kernel(name, group, scale) for group, kernels in (("array", ARRAYS), ("object", OBJECTS))
               for name, scale in kernels.items()]
SWEEPS = [
    Growth("threads", "threads", [1, 2, 4, 8, 16]),
    Growth("heap", "MiB of live objects", [1, 4, 16, 64, 128]),
    Growth("sync", "accesses between two critical sections", [10, 100, 1000, 10000, 100000]),
    Growth("length", "elements of the array", [1000, 10000, 100000, 1000000, 10000000]),
]
