"""Checks clang_options.def: an option without the words that it needs makes clang say how many are missing."""

import concurrent.futures
import re
import subprocess
import sys

table = re.findall(r'^SEPARATE\("(.*)", (\d+)\)$', open(sys.argv[1]).read(), re.MULTILINE)


def wrong(entry):
    option, words = entry
    said = subprocess.run(["clang", "-###", option], capture_output=True, text=True).stderr
    return f"argument to '{option}' is missing (expected {words} value" not in said


with concurrent.futures.ThreadPoolExecutor(2) as pool:
    mistakes = [entry for entry, bad in zip(table, pool.map(wrong, table)) if bad]
print(f"{len(table)} options, wrong: {mistakes}")
sys.exit(bool(mistakes) or len(table) < 100)
