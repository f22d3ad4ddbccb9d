"""A bar on a terminal; elsewhere, nothing but what went wrong."""

import shutil
import sys
import time


class Progress:
    def __init__(self, steps, stream=sys.stderr):
        self.steps, self.done, self.stream = max(1, steps), 0, stream
        self.is_terminal = stream.isatty()
        self.begin = time.monotonic()

    def step(self, what):
        """One step of the plan begins."""
        self.done += 1
        self.note(what)

    def note(self, what):
        """Says what is going on, without counting it."""
        if not self.is_terminal:
            return
        share = min(1.0, self.done / self.steps)
        width = shutil.get_terminal_size().columns
        bar = "█" * round(20 * share) + "░" * (20 - round(20 * share))
        left = (time.monotonic() - self.begin) * (1 / share - 1) if share > 0.1 else 0
        text = f"{bar} {100 * share:3.0f} %{f', {left / 60:.0f} min left' if left >= 60 else ''}  {what}"
        print(f"\r\033[K{text[:width - 1]}", end="", file=self.stream, flush=True)

    def say(self, line):
        """A line that stays."""
        self.clear()
        print(f"board: {line}", file=self.stream, flush=True)

    def clear(self):
        if self.is_terminal:
            print("\r\033[K", end="", file=self.stream, flush=True)
