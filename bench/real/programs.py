#!/usr/bin/env python3
"""Real programs on the board: built from Debian's sources, run under a fixed load, results checked.

usage: programs.py NAME [--cc clang-19] [--cxx clang++-19] [--flags=-g] [--threads N] [--scale S] [--race]

As a program, this fetches, builds, runs and checks one of them, for a developer. For instance

  programs.py pigz --cc photofinish-clang --cxx photofinish-clang++ --scale 0.1
  programs.py pigz --flags "-g -fsanitize=thread" --scale 0.1 --race

A library that a program spends its time in, or that its threads meet in, is built with the same
toolchain from Debian's source: what is not compiled with checks is invisible.

--race builds a twin with one data race, patches/NAME-race.patch. It does not change the result, and is
there in every schedule: the threads that race do so before they have synchronised with each other for
the first time, or after the last. Its lines are marked, `// RACE 1` or `/* RACE 1 */`.
"""

import argparse
import bz2
import contextlib
import dataclasses
import filecmp
import gzip
import itertools
import os
import pathlib
import re
import shlex
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "board")]

import inputs
from debian import Source
from inputs import MIB
from workload import MARK, Launcher, Toolchain, Trouble, Workload, digest_of

HUNK = re.compile(r"@@ -\S+ \+(\d+)")


class Program(Workload):
    """A program from a source package: unpack, configure, compile; for its twin patch, and compile again."""

    group = "real"
    has_twin = True
    sources = ()  # the program's, then those of the libraries that are built with it
    files = ()  # sources of ours

    def fingerprint(self):
        files = [HERE / name for name in ("programs.py", *self.files)] + [self.patch()]
        return " ".join([*(source.sha256 for source in self.sources), digest_of(files)])

    def build(self, toolchain, folder):
        trees = [source.unpack(folder) for source in self.sources]
        self.configure(toolchain, *trees)
        self.make(toolchain, folder, trees)

    def build_twin(self, toolchain, folder, twin):
        """In the same trees, so that nothing but what the patch changes is compiled again."""
        trees = [folder / source.package for source in self.sources]
        toolchain.run(["patch", "--strip=1", "--fuzz=0", "--quiet", f"--input={self.patch()}"], cwd=trees[0])
        self.make(toolchain, twin, trees)

    def make(self, toolchain, folder, trees):
        self.binary(folder).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(self.compile(toolchain, *trees), self.binary(folder))

    def configure(self, toolchain, *trees):
        """What precedes compile(), once. The trees are in the order of sources."""

    def compile(self, toolchain, *trees):
        """Compiles what has changed in the trees: the program."""
        raise NotImplementedError

    def binary(self, folder):
        return folder / "bin" / self.name

    def patch(self):
        return HERE / "patches" / f"{self.name}-race.patch"

    def planted(self):
        """By the patch alone: its line numbers are right, as the source is pinned."""
        lines, name, number = set(), None, 0
        for line in self.patch().read_text().splitlines():
            if line.startswith("+++ "):
                name = pathlib.Path(line.split()[1]).name
            elif match := HUNK.match(line):
                number = int(match[1])
            elif line[:1] in ("+", " ", ""):
                if MARK.search(line):
                    lines.add((name, number))
                number += 1
        return lines


def flags_for(toolchain, *more):
    """The variables by which build systems take compiler and flags."""
    flags = " ".join(["-O2", *toolchain.flags, *more])
    return {"CC": toolchain.cc, "CXX": toolchain.cxx, "CFLAGS": flags, "CXXFLAGS": flags,
            "LDFLAGS": " ".join(toolchain.flags)}


class Compressor(Program):
    """Compresses a text; what comes out, decompressed by Python, must be that text."""

    size = 0  # of the text, in MiB
    suffix = ""
    opened = None  # opens what came out

    def arguments(self, threads):
        raise NotImplementedError

    def run(self, launcher, folder, scratch, threads, scale, race):
        shutil.copyfile(inputs.text(max(1, int(self.size * scale * MIB))), scratch / "text")
        return launcher.start([self.binary(folder), *self.arguments(threads), "text"], cwd=scratch).finish()

    def wrong(self, usage, scratch, race):
        try:
            with self.opened(scratch / f"text{self.suffix}") as packed, open(scratch / "again", "wb") as again:
                shutil.copyfileobj(packed, again)
        except (OSError, EOFError) as problem:
            return f"{self.name}: {problem}"
        if not filecmp.cmp(scratch / "text", scratch / "again", shallow=False):
            return f"{self.name}: another text comes out than went in"
        return None

    def digest(self, usage, scratch):
        return digest_of([scratch / f"text{self.suffix}"])


class Pbzip2(Compressor):
    """A reader, consumers that compress blocks, a writer; queues with condition variables."""

    name = "pbzip2"
    sources = (Source("pbzip2", "1.1.13-1", "ecf5f877d46f7844d362f3c516329c336c2a07598bc62646e0288e2fe74a1425"),
               # Where all the time goes.
               Source("bzip2", "1.0.8-5", "ed9c40f4de3f9e064535e15eac1c61a0f606763db98f4579dbc04067b94a8944"))
    size, suffix, opened = 24, ".bz2", staticmethod(bz2.open)
    small, checked = 1 / 32, 1 / 16  # three blocks at least: with one it needs no threads

    def compile(self, toolchain, program, library):
        flags = flags_for(toolchain)
        toolchain.run(["make", "libbz2.a", f"CC={flags['CC']}",
                       f"CFLAGS={flags['CFLAGS']} -D_FILE_OFFSET_BITS=64"], cwd=library)
        for name in ("libbz2.a", "bzlib.h"):
            shutil.copy2(library / name, program)
        # Format strings as before C++11, "%"PRIuMAX: an error to clang by default.
        flags["CXXFLAGS"] += " -Wno-reserved-user-defined-literal"
        toolchain.run(["make", "pbzip2-static"], cwd=program, env=flags)
        return program / "pbzip2"

    def arguments(self, threads):
        return ["--keep", f"-p{threads}", "-b3"]  # blocks of 300 KB: enough of them for all threads


class Pigz(Compressor):
    """A reader, threads that compress blocks, a writer; locks with a value to wait for (yarn.c)."""

    name = "pigz"
    # 2.6-1 would be Debian 12's; its files are gone from the pool, and 2.8-1 needs nothing newer.
    sources = (Source("pigz", "2.8-1", "e56ec47e067ed76cb2818b55e01646b1dbcf2868cd545274331a4d336eeb3a63"),
               # Where all the time goes.
               Source("zlib", "1.2.13.dfsg-1", "3fa1e6b2fc525062aa88207dda52fed8e045373c809d362fe8a2bfbf7cf515a8"))
    size, suffix, opened = 48, ".gz", staticmethod(gzip.open)
    checked = 1 / 32

    def configure(self, toolchain, program, library):
        toolchain.run(["./configure", "--static"], cwd=library, env=flags_for(toolchain))

    def compile(self, toolchain, program, library):
        toolchain.run(["make", "libz.a"], cwd=library)
        flags = flags_for(toolchain, f"-I{library}")
        flags["LDFLAGS"] += f" -L{library}"
        toolchain.run(["make", "pigz"] + [f"{name}={value}" for name, value in flags.items()], cwd=program)
        return program / "pigz"

    def arguments(self, threads):
        return ["--keep", "--no-name", "--processes", threads, "-9"]


class Sqlite(Program):
    """sqlite_threads.c, compiled with SQLite in one piece, as SQLite's makers recommend."""

    name = "sqlite3"
    sources = (Source("sqlite3", "3.40.1-2+deb12u2",
                      "ee3459ae9d00939741c7708fc1b8ce1bde12d8c3fb1dfa005bbbc8651d884e23"),)
    files = ("sqlite_threads.c",)
    rounds = 16_000  # by all threads
    # What Debian sets and threads or time depend on; usleep, or a busy connection waits for whole seconds.
    options = ("-DSQLITE_THREADSAFE=1", "-DSQLITE_SECURE_DELETE", "-DSQLITE_OMIT_LOOKASIDE=1", "-DSQLITE_USE_URI=1",
               "-fno-strict-aliasing", "-DHAVE_USLEEP=1")

    def configure(self, toolchain, library):
        if not shutil.which("tclsh"):
            raise Trouble("missing", "tclsh, with which SQLite puts its source together: install tcl")
        toolchain.run(["./configure", "--disable-tcl", "--disable-readline"], cwd=library, env={"CC": "clang-19"})

    def compile(self, toolchain, library):
        # The generators are no part of the program: they need no checks. With #line, the places that a
        # compiler sees are those of the source, not of the generated file.
        toolchain.run(["make", "sqlite3.c", "AMALGAMATION_LINE_MACROS=--linemacros=1"], cwd=library)
        repair_line_numbers(library / "sqlite3.c")
        toolchain.run([toolchain.cc, "-O2", *toolchain.flags, *self.options, "-w", "-I", library,
                       HERE / "sqlite_threads.c", library / "sqlite3.c", "-o", library / "sqlite_threads",
                       "-lpthread", "-lm", "-ldl"])
        return library / "sqlite_threads"

    def run(self, launcher, folder, scratch, threads, scale, race):
        rounds = max(1, int(self.rounds * scale) // threads)
        (scratch / "expected").write_text(f"{threads} {rounds}")
        return launcher.start([self.binary(folder), scratch / "database", threads, rounds]).finish()

    def wrong(self, usage, scratch, race):
        threads, rounds = map(int, (scratch / "expected").read_text().split())
        rows = rounds * 8  # of each thread; this and the balance as in sqlite_threads.c
        expected = f"balance=2000000 rows={threads * rows} sum={threads * (rows * (rows - 1) // 2)}\n"
        if usage.output != expected:
            return f"sqlite3: {usage.output[:80]!r} instead of {expected!r}"
        with contextlib.closing(sqlite3.connect(scratch / "database")) as database:
            verdict = database.execute("PRAGMA integrity_check").fetchone()[0]
        return None if verdict == "ok" else f"sqlite3: {verdict}"

    def digest(self, usage, scratch):
        return usage.output


def repair_line_numbers(path):
    """SQLite's generator continues a file's lines within the #ifdef that an #include was in: do it behind it, too."""
    def behind(match):
        return f"{match[0]}#line {int(match[1]) + 1} {match[2]}\n"

    path.write_text(re.sub(r'^#line (\d+) (".*")\n#endif.*\n', behind, path.read_text(), flags=re.MULTILINE))


class Leveldb(Program):
    """Its own benchmark: writers that queue up, readers without locks, compaction in the background."""

    name = "leveldb"
    sources = (Source("leveldb", "1.23-4", "1eae53db8925a1d96f43673eb94c7a4f6b25b6edf283753b29fe80c1068f8173"),)
    operations = 200_000  # of each kind, by all threads
    # Not readwhilewriting: how much it writes depends on how slow the readers are.
    kinds = ("fillrandom", "readrandom", "overwrite", "deleterandom", "readrandom", "readseq", "compact")
    reads_again = 1000

    def configure(self, toolchain, program):
        # No library from outside, whether it is there or not: snappy and crc32c are functions of their
        # arguments, and threads do not meet in them. No -Werror (which comes with -Wthread-safety): the
        # compiler is newer than the program. The benchmark includes googletest, and does not use it.
        if not pathlib.Path("/usr/include/gmock/gmock.h").exists():
            raise Trouble("missing", "gmock/gmock.h, which leveldb's benchmark includes: install libgmock-dev")
        off = ("HAVE_SNAPPY", "HAVE_CRC32C", "HAVE_TCMALLOC", "HAVE_SQLITE3", "HAVE_KYOTOCABINET",
               "HAVE_CLANG_THREAD_SAFETY", "LEVELDB_BUILD_TESTS", "LEVELDB_INSTALL")
        toolchain.run(["cmake", "-S", program, "-B", program / "build", "-DCMAKE_BUILD_TYPE=None",
                       *(f"-D{name}=OFF" for name in off)], env=flags_for(toolchain, "-DNDEBUG"))

    def compile(self, toolchain, program):
        toolchain.run(["cmake", "--build", program / "build", "--target", "db_bench"])
        return program / "build/db_bench"

    def run(self, launcher, folder, scratch, threads, scale, race):
        number = max(1, int(self.operations * scale) // threads)
        (scratch / "expected").write_text(f"{threads} {number}")
        # A small write buffer, so that even a small load keeps the compaction in the background busy.
        command = [self.binary(folder), f"--db={scratch / 'database'}", f"--num={number}", "--write_buffer_size=262144"]
        usage = launcher.start(command + [f"--threads={threads}", f"--benchmarks={','.join(self.kinds)}"]).finish()
        # Another process finds the same in the database. It is not what is measured or checked.
        again = subprocess.run(command + ["--use_existing_db=1", f"--reads={self.reads_again}",
                                          "--benchmarks=readrandom"], capture_output=True, text=True)
        (scratch / "again").write_text(again.stdout)
        return usage

    def wrong(self, usage, scratch, race):
        threads, number = map(int, (scratch / "expected").read_text().split())
        found, present = self.expected(threads, number)
        again = sum(key in present for key in keys(1001, number, self.reads_again))
        expected = ", ".join(map(str, [*found, again]))
        if (got := self.digest(usage, scratch)) != expected:
            return f"leveldb: found {got} keys instead of {expected}"
        done = re.findall(r"^(\w+) +: +[\d.]+ micros/op;", usage.output, re.MULTILINE)
        return None if done == list(self.kinds) else f"leveldb: only did {', '.join(done)}"

    def digest(self, usage, scratch):
        return ", ".join(re.findall(r"\((\d+) of \d+ found\)", usage.output + (scratch / "again").read_text()))

    def expected(self, threads, number):
        """How many keys the first thread of each readrandom finds, and which are there in the end."""
        seeds = itertools.count(1001)
        present, found = set(), []
        for kind in self.kinds:
            chosen = [keys(next(seeds), number, number) for _ in range(threads)]
            if kind in ("fillrandom", "overwrite"):
                present.update(*chosen)
            elif kind == "deleterandom":
                present.difference_update(*chosen)
            elif kind == "readrandom":
                found.append(sum(key in present for key in chosen[0]))
        return found, present


def keys(seed, bound, count):
    """The keys that a thread of db_bench chooses: the generator x := 16807 x mod 2^31 - 1."""
    for _ in range(count):
        seed = seed * 16807 % 0x7fffffff
        yield seed % bound


class Memcached(Program):
    """The server, with clients of ours (memcached_load.cpp, unchecked) on a Unix socket."""

    name = "memcached"
    sources = (Source("memcached", "1.6.18-1+deb12u1",
                      "47fe5c96717c0282676155dc144f9524d471097b656f67637f2629c66b8a633a"),
               # Threads meet in it: connections move from one thread's event loop to another's.
               Source("libevent", "2.1.12-stable-8+deb12u1",
                      "acc01f440019a0369c1cf0e6256a22037a65f032b5192ee14bad548889074b55"))
    files = ("memcached_load.cpp",)
    rounds = 40_000  # by all connections
    connections = 8
    checked = 1 / 50
    impossible = {"dwarf4": "the server lowers its limit of open files as it starts, which valgrind refuses"}

    def configure(self, toolchain, program, library):
        # Debian's patches are newer than what the authors generated; it need not be generated again.
        flags = flags_for(toolchain) | dict.fromkeys(("ACLOCAL", "AUTOCONF", "AUTOHEADER", "AUTOMAKE"), ":")
        toolchain.run(["./configure", "--disable-shared", "--disable-openssl", "--disable-samples",
                       "--disable-libevent-regress", f"--prefix={library / 'installed'}"], cwd=library, env=flags)
        toolchain.run(["make", "install"], cwd=library)
        toolchain.run(["./configure", f"--with-libevent={library / 'installed'}", "--disable-docs",
                       "--disable-dependency-tracking"], cwd=program, env=flags)

    def compile(self, toolchain, program, library):
        toolchain.run(["make", "memcached"], cwd=program)
        return program / "memcached"

    def make(self, toolchain, folder, trees):
        super().make(toolchain, folder, trees)
        toolchain.run(["clang++-19", "-std=c++20", "-O2", HERE / "memcached_load.cpp", "-o", self.load(folder)])

    def load(self, folder):
        return folder / "bin/memcached_load"

    def run(self, launcher, folder, scratch, threads, scale, race):
        rounds = max(1, int(self.rounds * scale) // self.connections)
        (scratch / "expected").write_text(f"counter={self.connections * rounds}\n")
        # Relative, as the name of a Unix socket has to be short.
        command = [self.binary(folder), "-s", "socket", "-t", threads, "-m", 64]
        if os.geteuid() == 0:
            command += ["-u", "root"]
        begin = time.monotonic()
        server = launcher.start(command, cwd=scratch)
        # The server does not outlive launcher.limit, and clients do not outlive their server.
        load = subprocess.run([self.load(folder), "socket", str(self.connections), str(rounds)], cwd=scratch,
                              capture_output=True, text=True)
        served = time.monotonic() - begin
        (scratch / "load").write_text(load.stdout + load.stderr)
        server.kill(signal.SIGINT)
        # It looks whether it shall end when something has happened, or once a second: to wait for that is no work.
        time.sleep(0.01)
        knock(scratch, "socket")
        return dataclasses.replace(server.finish(), wall=served)

    def wrong(self, usage, scratch, race):
        said = self.digest(usage, scratch)
        return None if said == (scratch / "expected").read_text() else f"memcached: {said.strip() or 'no answer'}"

    def digest(self, usage, scratch):
        return (scratch / "load").read_text()


def knock(folder, name):
    """Connects to a Unix socket, if somebody is still there."""
    directory = os.open(folder, os.O_PATH)
    try:
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as door:
            door.connect(f"/proc/self/fd/{directory}/{name}")  # whose name is short, wherever the folder is
    finally:
        os.close(directory)


class X264(Program):
    """An encoder whose threads work on successive frames and wait for rows of each other's."""

    name = "x264"
    sources = (Source("x264", "0.164.3095+gitbaee400-3",
                      "ff07057854b87d9b6751e2de93bb131739faff3ac079f35db2a371e89e876f2a"),)
    frames = 80

    def configure(self, toolchain, program):
        # Without assembly, which no tool would see into. No input but ours, so no library from outside.
        flags = flags_for(toolchain)
        toolchain.run(["./configure", "--disable-asm", "--disable-opencl", "--disable-avs", "--disable-swscale",
                       "--disable-lavf", "--disable-ffms", "--disable-gpac", "--disable-lsmash", "--bit-depth=8",
                       "--disable-bashcompletion", "--chroma-format=420"], cwd=program, env=flags)

    def compile(self, toolchain, program):
        toolchain.run(["make", "x264"], cwd=program)
        return program / "x264"

    def run(self, launcher, folder, scratch, threads, scale, race):
        frames = max(4, int(self.frames * scale))
        (scratch / "expected").write_text(str(frames))
        return launcher.start([self.binary(folder), "--quiet", "--no-progress", "--threads", threads,
                               "--output", "film", inputs.clip(frames)], cwd=scratch).finish()

    def wrong(self, usage, scratch, race):
        film = scratch / "film"
        units = re.findall(rb"\x00\x00\x01(.)", film.read_bytes(), re.DOTALL) if film.exists() else []
        pictures = sum(unit[0] & 31 in (1, 5) for unit in units)  # slices, of which a picture has one here
        expected = int((scratch / "expected").read_text())
        return None if pictures == expected else f"x264: {pictures} pictures instead of {expected}"

    def digest(self, usage, scratch):
        return digest_of([scratch / "film"])  # depends on the number of threads, not on their speed


PROGRAMS = [Pbzip2(), Pigz(), Sqlite(), Leveldb(), Memcached(), X264()]


def main():
    parser = argparse.ArgumentParser(description="Fetch, build, run and check one real program.")
    parser.add_argument("name", choices=[program.name for program in PROGRAMS])
    parser.add_argument("--cc", default="clang-19", help="C compiler (%(default)s)")
    parser.add_argument("--cxx", default="clang++-19", help="C++ compiler (%(default)s)")
    parser.add_argument("--flags", default="-g", help="for every compilation and link, as one word (%(default)s)")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--scale", type=float, default=1, help="multiplies the load")
    parser.add_argument("--race", action="store_true", help="build and run the twin with a planted race")
    parser.add_argument("--folder", type=pathlib.Path, help="build here and leave it (a temporary folder)")
    parser.add_argument("--built", action="store_true", help="--folder has been built before: only run")
    arguments = parser.parse_args()
    if arguments.built and not arguments.folder:
        parser.error("--built needs --folder")

    program = next(program for program in PROGRAMS if program.name == arguments.name)
    toolchain = Toolchain(arguments.cc, arguments.cxx, shlex.split(arguments.flags))
    with tempfile.TemporaryDirectory(prefix="photofinish-real-") as temporary:
        folder = (arguments.folder or pathlib.Path(temporary) / "build").absolute()
        scratch = pathlib.Path(temporary) / "scratch"
        scratch.mkdir()
        try:
            if not arguments.built:
                program.build(toolchain, folder)
                if arguments.race:
                    program.build_twin(toolchain, folder, folder / "twin")
            if arguments.race:
                folder /= "twin"
            usage = program.run(Launcher(), folder, scratch, arguments.threads, arguments.scale, arguments.race)
            wrong = program.wrong(usage, scratch, arguments.race)
            digest = None if wrong else program.digest(usage, scratch).strip()
        except Trouble as trouble:
            sys.exit(f"{program.name}: {trouble.kind}: {trouble}")
    sys.stdout.write(usage.output)
    sys.stderr.write(usage.errors)
    print(f"{program.name}: exit code {usage.code}, {usage.wall:.2f} s, of the processors {usage.user:.2f} s user and "
          f"{usage.system:.2f} s system, {usage.peak_kib / 1024:.0f} MB; {wrong or 'right'}")
    print("what every build computes alike:", digest)
    if arguments.race:
        print("planted:", *(f"{name}:{line}" for name, line in sorted(program.planted())))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
