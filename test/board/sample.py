#!/usr/bin/env python3
"""Made-up results that look like a run of the board: every status, every field, every kind of mode.

usage: sample.py [FILE]    write them, to standard output by default

No figure here was measured. The seed is fixed: two calls give the same document.
"""

import json
import random
import sys

MODES = (("base", "base", 1.0, 1.0), ("empty", "photofinish", 2.1, 1.1), ("fasttrack", "photofinish", 6.5, 2.6),
         ("verifiedft-v1", "photofinish", 14.0, 2.7), ("verifiedft-v1.5", "photofinish", 9.0, 2.7),
         ("redcard", "photofinish", 5.5, 2.6), ("slimstate", "photofinish", 5.8, 1.7),
         ("slimcard", "photofinish", 4.9, 1.7), ("bigfoot", "photofinish", 3.0, 1.6), ("tsan", "peer", 8.0, 5.5),
         ("helgrind", "peer", 60.0, 3.0), ("drd", "peer", 45.0, 2.5))
GROUPS = {"array": ("crypt", "series", "lufact", "moldyn", "montecarlo", "sparse", "sor", "raytracer"),
          "object": ("index", "store", "transform", "simulator", "renderer", "interpreter",
                     "server", "checker", "lockfree", "json"),
          "real": ("sqlite",)}


def measured(random, program_factor, base, slowdown, memory, rounds, scale):
    factor = max(0.99, 1 + (slowdown - 1) * program_factor)
    wall = [base * scale * factor * random.uniform(0.98, 1.03) for _ in range(rounds)]
    return {"wall": wall, "user": [1.8 * w * random.uniform(0.99, 1.01) for w in wall],
            "system": [0.02 * w for w in wall],
            "peak_kib": [int(40000 * memory * random.uniform(0.999, 1.001)) for _ in range(rounds)]}


def document(modes=None, rounds=3, busy=0.03, seed=1):
    """modes: names, all by default."""
    dice = random.Random(seed)
    chosen = [mode for mode in MODES if modes is None or mode[0] in modes]
    programs = []
    for group, names in GROUPS.items():
        for name in names:
            programs.append({"name": name, "group": group, "rows": rows(dice, name, chosen, rounds)})
    curves = {name: [{"x": threads, "wall": 8 * slowdown / threads ** 0.7, "user": 8 * slowdown,
                      "peak_kib": int(40000 * memory * (1 + 0.05 * threads))} for threads in (1, 2, 4, 8, 16)]
              for name, _, slowdown, memory in chosen if name not in ("helgrind", "drd")}
    sizes = {name: [{"x": size, "wall": size * slowdown / 1e5, "user": size * slowdown / 6e4,
                     "peak_kib": int(9000 + size * memory / 12)} for size in (1000, 10000, 100000, 1000000)]
             for name, _, slowdown, memory in chosen}
    return {"format": 2,
            "machine": {"cpu": "Example CPU at 3 GHz", "cores": 2, "memory_mib": 24000, "kernel": "6.1.0",
                        "system": "Debian 12", "clang": "19.1.7", "valgrind": "3.19.0", "photofinish": "0123abc",
                        "when": "2026-11-16T10:00:00Z", "busy": busy},
            "settings": {"quick": False, "threads": 2, "scale": 1.0, "rounds": rounds},
            "modes": [{"name": name, "kind": kind} for name, kind, _, _ in chosen],
            "programs": programs,
            "sweeps": [{"name": "threads", "axis": "threads", "log": True, "curves": curves},
                       {"name": "size of sor", "axis": "elements", "log": True, "curves": sizes}]}


def rows(dice, program, modes, rounds):
    base = dice.uniform(0.5, 3)
    factor = 0.0 if program == "series" else dice.uniform(0.3, 1.8)
    found = {}
    for name, kind, slowdown, memory in modes:
        if name == "helgrind" and program in ("crypt", "sparse"):
            found[name] = {"status": "too slow", "message": "stopped after 600 s"}
            continue
        if name == "drd" and program == "json":
            found[name] = {"status": "crashed", "message": "signal SEGV in <worker> & \"main\""}
            continue
        scale = 0.1 if name in ("helgrind", "drd") and program == "moldyn" else 1.0
        row = measured(dice, factor, base, slowdown, memory, rounds, scale)
        row |= {"status": "ok", "message": "", "scale": scale, "compile_seconds": dice.uniform(0.8, 3),
                "binary_bytes": dice.randrange(20000, 900000), "reports": 0}
        if name != "base":
            row["planted"] = "not tried" if name == "empty" else "found"
        if name != "base":
            row |= {"base_wall": [base * scale] * rounds, "base_user": [1.8 * base * scale] * rounds,
                    "base_peak_kib": [40000] * rounds}
        if kind == "photofinish" and name != "empty":
            row["accesses"] = 10 ** 9
            row["checks"] = int(1e9 * {"redcard": 0.7, "slimcard": 0.75, "bigfoot": 0.4}.get(name, 1.0))
            if name in ("slimstate", "slimcard", "bigfoot"):
                row["shadow_fraction"] = dice.uniform(0, 1) ** 3
        if name == "drd" and program == "lockfree":
            row |= {"status": "false alarm", "reports": 7, "message": "7 reports without a planted race"}
        if name == "tsan" and program == "interpreter":
            row |= {"status": "race missed", "planted": "missed", "message": "no report at interpreter.cpp:88"}
        found[name] = row
    return found


if __name__ == "__main__":
    with open(sys.argv[1], "w", encoding="utf-8") if sys.argv[1:] else sys.stdout as file:
        json.dump(document(), file, indent=1)
