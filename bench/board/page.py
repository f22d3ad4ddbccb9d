#!/usr/bin/env python3
"""The board as one HTML page that needs nothing else: no network, no other file.

usage: page.py RESULTS.json [-o page.html]

page.html is the frame: style, a little script, and {{names}} that this file fills in. Bars are HTML, so that
a phone can lay them out; curves are SVG. Each bar and each point carries its figure in data-value, and in
data-tip what is shown beside the pointer.

Charts show slowdowns, mode / base: on a logarithmic axis, which they need, a bar then begins at 1x, which is
base itself, and not at some small number that somebody chose. The tables show overheads, as the papers do.
"""

import argparse
import html
import math
import pathlib
import re
import sys

import results as board
import table
from results import number

FRAME = pathlib.Path(__file__).resolve().parent / "page.html"

# One colour for each mode everywhere: greys for what detects nothing, cold colours for Photofinish, warm ones
# for the others. All of them stand out on white and on near-black.
COLOURS = {"base": "#8d95a3", "empty": "#aab2bf", "fasttrack": "#2f74e0", "verifiedft-v1": "#a78bef",
           "verifiedft-v1.5": "#7d58d6", "redcard": "#4fa8e8", "slimstate": "#12a5a0", "slimcard": "#6fbf73",
           "bigfoot": "#178a4c", "tsan": "#ee7330", "helgrind": "#c99a1a", "drd": "#a5673f"}
SPARE = ("#5b6ee1", "#2b9fc4", "#8f4fbf", "#c2579a", "#d1495b", "#7a8b2f")

ABOUT = {"base": "compiled as it is, no checker", "empty": "instrumented, checks nothing",
         "fasttrack": "every access checked", "verifiedft-v1": "every access under a lock",
         "verifiedft-v1.5": "shared reads under a lock", "redcard": "redundant checks removed",
         "slimstate": "array shadow compressed", "slimcard": "RedCard and SlimState",
         "bigfoot": "checks moved and coalesced", "tsan": "ThreadSanitizer", "helgrind": "Valgrind's Helgrind",
         "drd": "Valgrind's DRD"}

RAISED = f"~ Overheads below {board.FLOOR} count as {board.FLOOR} in this mean; the tables below name them."


# HTML.

def escape(text):
    return html.escape(str(text), quote=True)


def tag(name, *content, **attributes):
    """An element. content is HTML already; attributes are not, and get dashes for underscores. None: left out."""
    written = "".join(f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"' for key, value in attributes.items()
                      if value not in (None, ""))
    return f"<{name}{written}>{''.join(content)}</{name}>"


def note(text):
    return tag("p", escape(text), class_="note")


def section(title, about, *content):
    return tag("section", tag("h2", title), tag("p", escape(about), class_="about") if about else "", *content)


# Scales.

class Scale:
    """Where a slowdown is drawn, in percent of the width: linear from 0, or logarithmic where the largest
    would leave the smallest without a visible difference."""

    def __init__(self, values):
        largest, smallest = max([1.0, *values]), min([1.0, *values])
        self.log = largest > 12
        if self.log:
            self.low = 1.0 if smallest > 0.9 else 10 ** math.floor(math.log10(max(smallest, 1e-3)))
            self.high = largest * 1.05
        else:
            self.low, self.high = 0.0, max(2.0, largest * 1.05)
        self.origin = self.at(1.0) if self.log else 0.0

    def at(self, value):
        if not self.log:
            return 100 * value / self.high
        return 100 * math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)

    def ticks(self):
        return log_ticks(self.low, self.high, 4) if self.log else linear_ticks(self.high, 4)

    def words(self):
        return "The axis is logarithmic; a bar begins at 1×." if self.log else "The axis begins at 0."


def log_ticks(low, high, most=6):
    """1, 2, 5, 10, ... or, where these are too many, fewer of each ten."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    for steps in ((1, 2, 5), (1, 3), (1,)):
        ticks = [step * 10 ** power for power in range(first, last + 1) for step in steps]
        ticks = [tick for tick in ticks if low <= tick * 1.0001 and tick <= high * 1.0001]
        if len(ticks) <= most:
            break
    return ticks


def linear_ticks(high, most):
    """From 0 on, at most so many and one more."""
    raw = high / most
    power = 10 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw * 0.9999)
    return [step * at for at in range(int(high / step * 1.0001) + 1)]


# The modes at a glance: a legend, a filter and the means.

def meter(mean, largest):
    """A mean and a bar beside it, which is cut where it is longer than the largest."""
    if mean.value is None:
        return tag("td", "–")
    width = min(100.0, max(1.0, 100 * mean.value / largest))
    bar = tag("i", class_="cut" if mean.value > largest else None, style=f"width:{width:.1f}%")
    count = tag("small", f"{mean.count} of {mean.of}") if mean.partial else ""
    return tag("td", tag("div", tag("span", number(mean.value), "×"), tag("sup", "~" * bool(mean.raised)),
                         tag("div", bar), count, class_="meter"))


def modes_card(results):
    programs = results.programs
    times = {mode.name: board.time_mean(programs, mode.name) for mode in results.checkers}
    memories = {mode.name: board.memory_mean(programs, mode.name) for mode in results.checkers}
    # Valgrind's tools are so slow that beside them all others would look the same: their meters are cut.
    near = [mode.name for mode in results.checkers if mode.kind == "photofinish" or mode.name == "tsan"] or list(times)
    longest, largest = (max([means[mode].value or 0 for mode in near], default=0) * 1.1 or 1
                        for means in (times, memories))
    lines = []
    for mode in results.modes:
        box = f'<input type="checkbox" checked value="{escape(mode.name)}">'
        about = ABOUT.get(mode.name) or ("Photofinish" if mode.kind == "photofinish" else "")
        cells = [tag("th", tag("label", box, escape(mode.name)), scope="row"),
                 tag("td", tag("small", escape(about)), class_="what")]
        if mode.kind == "base":
            cells.append("<td></td>" * 4)
        else:
            found, tried = table.planted(results, mode.name)
            alarms = table.false_alarms(results, mode.name)
            cells += [meter(times[mode.name], longest), meter(memories[mode.name], largest),
                      tag("td", f"{found} of {tried}" if tried else "–", class_="bad" if found < tried else None),
                      tag("td", str(alarms), class_="bad" if alarms else None)]
        lines.append(tag("tr", *cells, data_mode=mode.name))
    head = tag("tr", tag("th", "mode"), tag("th", class_="what"), *(
        tag("th", text) for text in ("time overhead, geo mean", "memory, geo mean", "races found", "false alarms")))
    words = "Races found: of those planted, one in each program. False alarms: programs with one. "
    return tag("section", tag("div", tag("table", tag("thead", head), tag("tbody", *lines)), class_="modes card"),
               note(words + RAISED * any(mean.raised for mean in times.values())))


# Bars: a panel for every program.

def amount(value, field):
    return f"{number(value / 1024)} MiB" if field == "peak_kib" else f"{number(value)} s"


def bar_tip(row, field):
    """What is shown beside the pointer."""
    lines = []
    if row.slowdown(field) is not None:
        spread = row.spread(field)
        lines.append(f"{number(row.slowdown(field))}× of base: {amount(row.median(field), field)}" +
                     (f" ± {spread:.1%}" if spread is not None else ""))
    if row.smaller:
        lines.append(f"at scale {row.scale:g}, against base at that scale")
    return lines + [row.trouble()] * bool(row.trouble())


def bar_row(program, mode, field, scale):
    row = program.row(mode)
    value = row.slowdown(field)
    same = {"data_mode": mode, "data_program": program.name, "data_metric": field, "data_status": row.status,
            "data_tip": "\n".join([f"{program.name}, {mode}", *bar_tip(row, field)])}
    name = tag("span", escape(mode), class_="name")
    if value is None:
        why = row.status if not row.measured else "no base"
        return tag("div", name, tag("span", why, class_="track"), class_="row charted failed", **same)
    left, right = sorted((scale.origin, scale.at(value)))
    bar = tag("i", class_="bar", style=f"left:{left:.2f}%;width:{right - left:.2f}%")
    marks = "*" * row.smaller + "!" * row.doubtful
    return tag("div", name, tag("span", bar, class_="track"), tag("span", f"{number(value)}×{marks}", class_="num"),
               class_="row charted" + " doubt" * row.doubtful, data_value=f"{value:.6g}", **same)


def chart(results, field):
    """The panels, all on one scale, and the scale."""
    scale = Scale([value for program in results.programs for mode in results.modes
                   if (value := program.row(mode.name).slowdown(field)) is not None])
    ticks = [(tick, f"{scale.at(tick):.2f}%") for tick in scale.ticks()]
    lines = ",".join(f"linear-gradient(var(--grid),var(--grid)) {at} 0/1px 100% no-repeat" for _, at in ticks)
    labels = [tag("span", f"{tick:g}×", style=f"left:{at}") for tick, at in ticks]
    axis = tag("div", tag("div", *labels), class_="axis", aria_hidden="true")
    groups = []
    for group in results.groups:
        panels = []
        for program in results.in_group(group):
            median = program.row("base").median(field)
            base = "base failed" if median is None else f"base {amount(median, field)}"
            caption = tag("figcaption", tag("b", escape(program.name)), tag("span", base))
            bars = [bar_row(program, mode.name, field, scale) for mode in results.modes]
            panels.append(tag("figure", caption, *bars, axis, class_="panel card"))
        groups += [tag("h3", f"{group.capitalize()} programs"), tag("div", *panels, class_="panels")]
    return tag("div", *groups, class_=f"chart-{field}", data_scale="log" if scale.log else "linear",
               style=f"--ticks:{lines}"), scale


def time_section(results):
    wall, scale = chart(results, "wall")
    user, user_scale = chart(results, "user")
    words = scale.words() if scale.log == user_scale.log else \
        f"Wall time: {scale.words()} User time: {user_scale.words()}"
    switch = ('<input class="pick" type="radio" name="pick" id="pick-wall" checked>'
              '<input class="pick" type="radio" name="pick" id="pick-user">'
              '<div class="switch"><label for="pick-wall">Wall time</label>'
              '<label for="pick-user">User time</label></div>')
    return section(
        "Time",
        f"How many times as long as base each program takes in each mode, median of the runs. {words} * ran at a "
        "smaller scale, against base at that scale; ! raised a false alarm or missed the planted race.",
        switch, wall, user)


def memory_section(results):
    bars, scale = chart(results, "peak_kib")
    return section("Memory", f"Peak of the resident set, as a multiple of base's. {scale.words()}", bars)


# Curves: one SVG for a sweep and a figure.

WIDE, HIGH = 460, 300
LEFT, RIGHT, TOP, BOTTOM = 46, 104, 10, 42


class Plane:
    """Where a point is drawn."""

    def __init__(self, xs, ys, log_x):
        self.xs, self.log_x = sorted(set(xs)), log_x
        self.log_y = min(ys) > 0 and max(ys) / min(ys) > 20
        self.low, self.high = (min(ys) / 1.1, max(ys) * 1.1) if self.log_y else (0, max(ys) * 1.05 or 1)

    def across(self, x):
        first, last, here = (math.log(v) if self.log_x else v for v in (self.xs[0], self.xs[-1], x))
        part = (here - first) / (last - first) if last > first else 0.5
        return LEFT + part * (WIDE - LEFT - RIGHT)

    def up(self, y):
        part = math.log(y / self.low) / math.log(self.high / self.low) if self.log_y else y / self.high
        return HIGH - BOTTOM - part * (HIGH - TOP - BOTTOM)

    def axes(self, name):
        parts = []
        for tick in log_ticks(self.low, self.high) if self.log_y else linear_ticks(self.high, 5):
            y = f"{self.up(tick):.1f}"
            parts += [tag("line", class_="gridline", x1=LEFT, x2=WIDE - RIGHT, y1=y, y2=y),
                      tag("text", short(tick), x=LEFT - 6, y=y, dy=4, text_anchor="end")]
        parts.append(tag("line", class_="frame", x1=LEFT, x2=WIDE - RIGHT, y1=HIGH - BOTTOM, y2=HIGH - BOTTOM))
        for x in spaced(self.xs, self.across, 34):
            parts.append(tag("text", short(x), x=f"{self.across(x):.1f}", y=HIGH - BOTTOM + 16, text_anchor="middle"))
        parts.append(tag("text", escape(name), " (logarithmic)" * self.log_x, x=(LEFT + WIDE - RIGHT) / 2, y=HIGH - 6,
                         text_anchor="middle"))
        return parts


def curve_chart(results, sweep, field, title, unit, factor):
    """A line for every mode, its name at its end."""
    curves = {mode.name: sorted((point["x"], point[field] * factor) for point in sweep["curves"].get(mode.name, ())
                                if point.get(field) is not None) for mode in results.modes}
    curves = {mode: points for mode, points in curves.items() if points}
    if not curves:
        return ""
    everything = [point for points in curves.values() for point in points]
    plane = Plane([x for x, _ in everything], [y for _, y in everything], bool(sweep.get("log")))
    labels = apart({mode: plane.up(points[-1][1]) for mode, points in curves.items()}, 13, TOP + 4, HIGH - 8)
    parts = plane.axes(sweep["axis"])
    for mode, points in curves.items():
        places = [(f"{plane.across(x):.1f}", f"{plane.up(y):.1f}") for x, y in points]
        dots = [tag("circle", cx=across, cy=up, r=4, data_x=f"{x:g}", data_value=f"{y:.6g}",
                    data_tip=f"{mode}\n{short(x)} {sweep['axis']}: {number(y)} {unit}")
                for (x, y), (across, up) in zip(points, places)]
        end, label = plane.across(points[-1][0]) + 5, f"{labels[mode]:.1f}"
        parts.append(tag(
            "g", tag("polyline", class_="curve", points=" ".join(map(",".join, places))), *dots,
            tag("polyline", class_="leader", points=f"{end:.1f},{places[-1][1]} {WIDE - RIGHT + 12},{label}"),
            tag("text", escape(mode), class_="label", x=WIDE - RIGHT + 15, y=label, dy=4),
            class_="charted", data_mode=mode, data_sweep=sweep["name"], data_metric=field))
    heading = f"{title}, {unit}" + " (logarithmic)" * plane.log_y
    return tag("div", tag("h4", heading), tag("svg", *parts, viewBox=f"0 0 {WIDE} {HIGH}", role="img",
                                              aria_label=f"{sweep['name']}: {title}"), class_="card")


def short(value):
    """For an axis: 1, 0.5, 20k, 3M."""
    for limit, unit, letter in ((1e9, 1e9, "G"), (1e6, 1e6, "M"), (1e4, 1e3, "k")):
        if abs(value) >= limit:
            return f"{value / unit:g}{letter}"
    return f"{value:g}"


def spaced(values, place, least):
    """The values that can be written below an axis without touching each other."""
    kept = []
    for value in values:
        if not kept or place(value) - place(kept[-1]) >= least:
            kept.append(value)
    return kept


def apart(wanted, least, low, high):
    """Places near the wanted ones, at least so far apart, within low and high where they fit."""
    names = sorted(wanted, key=wanted.get)
    places, floor = {}, low
    for name in names:
        places[name] = max(wanted[name], floor)
        floor = places[name] + least
    ceiling = high
    for name in reversed(names):
        places[name] = min(places[name], ceiling)
        ceiling = places[name] - least
    return places


def sweep_section(results):
    parts = []
    for sweep in results.sweeps:
        cards = curve_chart(results, sweep, "wall", "wall time", "seconds", 1) + \
            curve_chart(results, sweep, "peak_kib", "peak memory", "MiB", 1 / 1024)
        if cards:
            parts += [tag("h3", "By ", escape(sweep["name"])), tag("div", cards, class_="curves")]
    return section("How it grows", "", *parts) if parts else ""


# Tables.

def cell_class(grid, at, cell):
    """Red for what went wrong: a figure with a ! behind, or a word. In a paper's table, only ours can be."""
    wrong = re.search(r"!$|^[a-z ]+$", cell) and (not grid.glued or at in grid.glued)
    return " ".join(["ours"] * (at in grid.glued) + ["bad"] * bool(wrong))


def grid_table(grid):
    rows, previous = [], ""
    for line in grid.lines:
        first = " first" * (line.kind == "mean" and previous != "mean")
        previous = line.kind
        cells = [tag("td", escape(cell), class_=cell_class(grid, at, cell)) for at, cell in enumerate(line.cells)]
        rows.append(tag("tr", tag("th", escape(line.label), scope="row"), *cells, class_=line.kind + first))
    head = tag("tr", *(tag("th", escape(text)) for text in [grid.corner, *grid.headings]))
    return tag("details", tag("summary", escape(grid.title)), tag(
        "div", tag("table", tag("thead", head), tag("tbody", *rows), class_="figures"), *map(note, grid.notes),
        class_="scroll"), class_="card", id=f"grid-{grid.key}")


def trouble_section(results):
    lines = [line.partition(":") for line in table.troubles(results)]
    items = [tag("li", tag("b", escape(where)), escape(colon + what)) for where, colon, what in lines]
    return section("What went wrong", "", tag("ul", *items, class_="troubles card")) if items else ""


def paper_section(results):
    return section(
        "Beside the papers",
        "The tables of BigFoot, VerifiedFT and SlimState, with our figures beside theirs. Theirs are of Java programs "
        "in RoadRunner, on machines with 12 to 64 cores, and their memory is the smallest heap that will do; ours are "
        "of C++ programs that do the same kind of work. Compare the order of the detectors and the shape over the "
        "programs.",
        *map(grid_table, table.paper_grids(results)))


def figure_section(results):
    grids = table.board_grids(results)
    return section("All figures", "", *map(grid_table, grids), *map(note, table.legend(grids)))


def method_section(results):
    facts = "".join(tag("dt", label) + tag("dd", escape(value)) for label, value in board.describe(results))
    return section(
        "Machine and method",
        "Time overhead is (mode − base) / base, as the papers define it; memory is the peak of the resident set over "
        "base's. Figures are medians; ± is half the distance between the smallest and the largest run, over the "
        f"median. Means over programs are geometric, in which an overhead below {board.FLOOR} counts as {board.FLOOR}; "
        "those of check ratios and shadow fractions are arithmetic. A mean over fewer programs than there are says "
        "over how many.",
        tag("dl", facts, class_="card"))


# The page.

def colour_rules(results):
    """A mode that is not known here gets a spare colour."""
    spare = iter(SPARE * len(results.modes))
    colours = {mode.name: COLOURS.get(mode.name) or next(spare) for mode in results.modes}
    return "".join(f'[data-mode="{css_text(mode)}"]{{--c:{colour}}}' for mode, colour in colours.items())


def css_text(text):
    """For a string in a style sheet: all but letters, digits, dots and dashes by their number."""
    return re.sub(r"[^\w.-]", lambda match: f"\\{ord(match[0]):x} ", text)


def headline(results):
    what, over_what = results.headline()
    return escape(what) + (tag("small", f": {escape(over_what)}.") if over_what else ".")


def build(results):
    stamp = [f" · {escape(results.machine[key])}" for key in ("photofinish", "when") if results.machine.get(key)]
    parts = {
        "colours": colour_rules(results),
        "stamp": "".join(stamp),
        "caveats": "".join(tag("p", escape(line), class_="warning") for line in results.caveats()),
        "headline": headline(results),
        "modes": modes_card(results),
        "time": time_section(results),
        "memory": memory_section(results),
        "sweeps": sweep_section(results),
        "troubles": trouble_section(results),
        "papers": paper_section(results),
        "figures": figure_section(results),
        "method": method_section(results),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], FRAME.read_text(encoding="utf-8"))


def write(page, path):
    try:
        pathlib.Path(path).write_text(page, encoding="utf-8")
    except OSError as error:
        raise board.BadResults(f"{path}: {error.strerror}") from None


def main(arguments=None):
    parser = argparse.ArgumentParser(description="The board's results as one self-contained HTML page.")
    parser.add_argument("results", metavar="RESULTS.json", help="what bench/board/run has written")
    parser.add_argument("-o", metavar="FILE", dest="output", default="page.html", help="where to write it (page.html)")
    given = parser.parse_args(arguments)
    return board.run("page.py", lambda: write(build(board.load(given.results)), given.output))


if __name__ == "__main__":
    sys.exit(main())
