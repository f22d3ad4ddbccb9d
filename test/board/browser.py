"""A page as a browser shows it: the elements that its document ends up with, and the colours on the picture.

The browser is Debian's chromium, without a window. Documents and pictures are read with what Python brings.
"""

import collections
import os
import shutil
import struct
import subprocess
import zlib
from html.parser import HTMLParser

# So that it is quiet about itself; what it still asks of the network is its own.
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-default-apps",
         "--disable-sync", "--disable-extensions", "--disable-domain-reliability")
DARK = ("--force-dark-mode", "--blink-settings=preferredColorScheme=0")


class Trouble(Exception):
    pass


def browse(path, folder, *flags):
    """What chromium prints; its profile is in folder."""
    browser = shutil.which("chromium")
    if not browser:
        raise Trouble("chromium is not installed")
    done = subprocess.run([browser, *FLAGS, f"--user-data-dir={folder / 'profile'}", *flags, path.as_uri()],
                          capture_output=True, text=True, timeout=100, env=dict(os.environ, HOME=str(folder)))
    if done.returncode:
        raise Trouble(f"chromium: exit code {done.returncode}: {done.stderr[-1000:]}")
    return done.stdout


def picture(path, folder, width, height, *flags):
    """The pixels of the page's upper part."""
    browse(path, folder, f"--window-size={width},{height}", f"--screenshot={folder / 'picture.png'}", *flags)
    return pixels((folder / "picture.png").read_bytes())


class Collector(HTMLParser):
    VOID = {"meta", "input", "br", "img", "link", "hr"}

    def __init__(self):
        super().__init__()
        self.found, self.open = [], []

    def handle_starttag(self, tag, attrs):
        entry = [tag, dict(attrs), ""]
        self.found.append(entry)
        if tag not in self.VOID:
            self.open.append(entry)

    def handle_startendtag(self, tag, attrs):
        self.found.append([tag, dict(attrs), ""])

    def handle_endtag(self, tag):
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        for entry in self.open:
            entry[2] += data


def elements(text):
    collector = Collector()
    collector.feed(text)
    return [tuple(entry) for entry in collector.found]


def pixels(png):
    """{(red, green, blue): how many} of a PNG with 8 bits a channel, not interlaced, as chromium writes them."""
    at, data = 8, b""
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at:at + 8])
        body = png[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", body)
        elif kind == b"IDAT":
            data += body
        at += 12 + length
    channels = {2: 3, 6: 4}[colour]
    if depth != 8 or interlaced:
        raise ValueError("a kind of PNG that this cannot read")
    data, stride, counts = zlib.decompress(data), width * channels, collections.Counter()
    line = bytearray(stride)
    for start in range(0, height * (stride + 1), stride + 1):
        line = unfilter(data[start], bytearray(data[start + 1:start + 1 + stride]), line, channels)
        counts.update(zip(line[0::channels], line[1::channels], line[2::channels]))
    return counts


def unfilter(kind, line, above, step):
    """A line as it was before the filter; the five kinds are in the PNG specification, section 9."""
    if kind == 2:
        return bytearray((x + up) & 255 for x, up in zip(line, above))
    for x in range(len(line)) if kind else ():
        left, corner = (line[x - step], above[x - step]) if x >= step else (0, 0)
        up = above[x]
        if kind == 1:
            guess = left
        elif kind == 3:
            guess = (left + up) // 2
        else:
            to_left, to_up, to_corner = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
            guess = left if to_left <= to_up and to_left <= to_corner else up if to_up <= to_corner else corner
        line[x] = (line[x] + guess) & 255
    return line
