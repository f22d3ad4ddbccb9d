"""Runs the lines `ERROR words | message` of standard input: each has to fail with exit code 2, and with that one line."""

import subprocess
import sys

wrong = seen = 0
for line in sys.stdin:
    if not line.startswith("// ERROR "):
        continue
    seen += 1
    words, message = (part.strip() for part in line.removeprefix("// ERROR ").split("|"))
    words = words.split()
    done = subprocess.run([sys.argv[1], *words], capture_output=True, text=True)
    expected = f"photofinish {words[0]}: {message}\n"
    if (done.returncode, done.stdout, done.stderr) != (2, "", expected):
        wrong += 1
        print(f"{words}: exit code {done.returncode}\n  expected: {expected}  got: {done.stdout}{done.stderr}")
sys.exit(wrong > 0 or seen == 0)
