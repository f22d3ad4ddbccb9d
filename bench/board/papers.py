"""The figures of the three papers, to print ours beside them.

Transcribed from

  BigFoot     Rhodes, Flanagan, Freund: BigFoot: Static Check Placement for Dynamic Race Detection,
              PLDI 2017, Tables 1 and 2
  VerifiedFT  Wilcox, Flanagan, Freund: VerifiedFT, PPoPP 2018, Table 1
  SlimState   Wilcox, Finch, Flanagan, Freund: Array Shadow State Compression for Precise Dynamic
              Race Detection, 2015, Tables II and III

A table keeps the paper's order of rows and its digits; names that the scan damaged are repaired (avrora,
jython, moldyn, montecarlo). The papers measured Java programs in the RoadRunner framework on 12 to 64
cores: what compares is the order of the detectors and the shape over the programs, not a single number.

BigFoot and VerifiedFT print overheads, (checker - base) / base; SlimState prints checker / base. A column's
measure says which; ours is computed to match, theirs is never converted. Their memory is the smallest
Java heap that will do, ours is the peak of the resident set.

test/board recomputes every mean and every quotient from the rows. They come out as printed, within 1%,
except for what MISPRINTS lists. One more that looks wrong and isn't: BigFoot's crypt has
0.07 / 96.21 = 0.0007 printed as 0.01, and the column's mean is 0.39 only with 0.01. The paper does not
let a factor fall below 0.01 before it takes a mean (FLOOR). Where a mean of theirs is put beside one of ours,
both have results.FLOOR.
"""

import dataclasses
import decimal

FLOOR = 0.01


@dataclasses.dataclass(frozen=True)
class Column:
    """heading is the paper's. measure says what the figure is and mode which of our modes it compares with:

    base seconds    seconds without a checker
    base megabytes  memory without a checker
    overhead        (checker - base) / base, in time
    slowdown        checker / base, in time
    memory          checker / base, in memory
    overhead/ft     the overhead as a part of FastTrack's; likewise slowdown/ft and memory/ft
    checks          checks per access
    fraction        shadow locations per array element
    """

    heading: str
    measure: str
    mode: str = ""  # "" where none of ours compares


@dataclasses.dataclass(frozen=True)
class Table:
    """rows maps a program to its figures, in the order of columns; None is a dash in the paper. A figure is a
    Decimal, which keeps the digits as printed.

    means are the rows below: (name, "geometric" or "arithmetic" for each column, figures, the programs).
    """

    key: str
    title: str
    columns: tuple
    rows: dict
    means: tuple

    def column(self, heading):
        return [column.heading for column in self.columns].index(heading)


def figures(words):
    return tuple(None if word == "-" else decimal.Decimal(word.replace(",", "")) for word in words.split())


def rows(text):
    """The lines of a table as {program: figures}."""
    return {name: figures(words) for name, words in (line.split(maxsplit=1) for line in text.strip().splitlines())}


# The kernel that stands for a paper's program. Programs that are not here have none.
KERNELS = {
    "crypt": "crypt", "series": "series", "lufact": "lufact", "moldyn": "moldyn",
    "montecarlo": "montecarlo", "sparse": "sparse", "sor": "sor", "raytracer": "raytracer",
    "luindex": "index", "lusearch": "index", "h2": "store", "xalan": "transform",
    "avrora": "simulator", "sunflow": "renderer", "jython": "interpreter", "tomcat": "server",
    "pmd": "checker",
}

# (table, column, row of means): what the rows say, where that is not what is printed. Each row's own
# figures agree with each other, so that the mean itself was printed, or scanned, wrongly.
MISPRINTS = {
    ("bigfoot-2", "SC/FT", "Geo Mean"): 0.72,
    ("slimstate-3-time", "SS/Base", "Geo Mean (Object-Intensive)"): 10.3,
}

_BIGFOOT_1 = rows("""
crypt      148    0.67 0.00000028 0.39   96.21 62.41 16.87 16.11 0.07  0.65 0.18 0.17 0.01
series     144    0.10 0.000042   119.39 0.01  0.01  0.01  0.01  0.01  1.00 1.00 1.00 1.00
lufact     168    0.15 0.0022     0.68   71.67 74.31 70.53 74.08 39.53 1.04 0.98 1.03 0.55
moldyn     172    0.27 0.077      4.67   27.56 8.73  27.18 6.58  2.72  0.32 0.99 0.24 0.10
montecarlo 480    0.05 0.085      2.23   7.38  6.81  2.73  2.02  0.08  0.92 0.37 0.27 0.01
sparse     140    0.20 0.14       1.27   26.86 22.57 30.78 27.20 6.68  0.84 1.15 1.01 0.25
sor        136    0.24 0.25       0.84   13.37 13.03 15.39 13.85 10.73 0.97 1.15 1.04 0.80
batik      20,140 0.16 0.29       1.27   3.96  3.92  4.07  4.06  2.26  0.99 1.03 1.03 0.57
raytracer  308    0.07 0.32       1.84   13.46 6.46  12.64 7.72  6.37  0.48 0.94 0.57 0.47
tomcat     27,940 0.12 0.50       0.81   2.05  1.49  2.22  1.56  2.43  0.73 1.08 0.76 1.19
sunflow    3,088  0.21 0.52       1.44   25.94 17.13 26.12 20.50 15.14 0.66 1.01 0.79 0.58
luindex    4,728  0.07 0.67       0.54   16.35 15.75 19.00 17.64 11.34 0.96 1.16 1.08 0.69
pmd        18,604 0.18 0.69       0.93   3.08  2.98  2.75  2.65  2.38  0.97 0.89 0.86 0.77
fop        24,756 0.15 0.73       0.44   6.51  5.12  5.65  5.54  5.01  0.79 0.87 0.85 0.77
lusearch   3,544  0.07 0.74       0.65   19.45 22.79 7.79  7.24  6.57  1.17 0.40 0.37 0.34
avrora     9,936  0.04 0.75       7.82   1.45  1.34  1.46  1.38  1.24  0.92 1.01 0.95 0.86
jython     81,140 0.11 0.78       4.97   9.31  9.32  8.77  8.58  8.28  1.0  0.94 0.92 0.89
xalan      13,420 0.05 0.80       0.86   5.68  5.63  5.62  5.43  4.64  0.99 0.99 0.96 0.82
h2         16,748 0.08 0.81       22.60  3.23  3.08  3.20  3.23  3.07  0.95 0.99 1.00 0.95
""")

_BIGFOOT_2 = rows("""
crypt      193.76 26.27 0.97 0.04 0.04 0.04
series     22.01  4.45  1.02 0.58 0.59 0.57
lufact     32.15  10.16 1.00 1.10 1.10 1.11
moldyn     16.20  5.44  0.82 0.91 0.80 0.82
montecarlo 622.83 3.67  1.00 0.30 0.30 0.30
sparse     98.11  5.64  1.01 1.44 1.05 0.79
sor        32.12  5.11  1.00 1.40 1.40 2.48
batik      44.74  3.78  0.99 0.75 0.95 1.00
raytracer  16.42  3.67  0.96 0.60 0.57 0.60
tomcat     19.59  4.81  0.99 0.98 0.99 1.14
sunflow    10.42  9.50  0.91 0.93 0.88 0.86
luindex    6.15   16.3  0.98 0.96 0.96 0.52
pmd        30.24  6.02  1.05 1.02 1.03 1.09
fop        28.07  6.35  1.00 0.98 0.97 0.99
lusearch   12.04  7.00  1.00 0.57 0.57 0.57
avrora     2.09   15.22 1.01 1.01 1.01 1.01
jython     24.06  5.97  1.03 0.96 0.96 1.02
xalan      8.20   11.00 1.00 0.84 0.84 0.82
h2         259.71 3.90  1.06 1.10 1.10 0.93
""")

_VERIFIEDFT_1 = rows("""
crypt      0.4    112.6 90.97 165.3  109.63 92.14
lufact     0.69   69.68 55.7  117.78 115.08 71.23
moldyn     4.87   29.11 27.77 47.45  32.4   25.26
montecarlo 2.24   8.7   9.84  13.34  7.27   7.32
raytracer  1.85   19.15 19.31 82.15  19.31  13.3
series     119.14 0.01  0.01  0.01   0.01   0.01
sor        0.74   15.29 11.59 19.04  15.86  15.84
sparse     1.28   36.15 26.81 316.85 246.02 25.5
avrora     6.18   1.6   1.37  3.81   1.61   1.56
batik      1.27   3.77  3.83  4.2    3.91   3.89
fop        0.3    10.33 9.96  11.39  10.13  10.19
h2         9.62   7.63  7.21  10.92  8.21   7.92
jython     5.37   8.68  8.29  9.02   8.47   8.5
luindex    0.54   17.01 13.84 33.91  16.53  16.49
lusearch   0.64   19.81 19.5  24.27  20.11  19.89
pmd        0.89   3.44  3.22  5.58   3.41   3.32
sunflow    1.47   30.95 29.52 158.82 152.67 25.38
tomcat     0.68   2.71  2.51  2.26   2.32   2.36
xalan      0.47   12.21 11.2  13.06  11.04  10.88
""")

_SLIMSTATE_2 = rows("""
crypt      0.00000057 0.00000023 0.00000021 0.00000017
raytracer  0.000057   0.000057   0.000034   0.000034
montecarlo 0.0018     0.0018     0.0017     0.0017
lusearch   0.0019     0.0019     0.00064    0.00061
jbb        0.11       0.11       0.092      0.089
batik      0.19       0.11       0.11       0.028
colt       0.20       0.11       0.012      0.0099
xalan      0.27       0.25       0.043      0.041
pmd        0.35       0.31       0.12       0.042
tomcat     0.60       0.54       0.094      0.045
moldyn     0.63       0.63       0.63       0.0021
series     0.63       0.63       0.000014   0.000014
h2         0.64       0.61       0.26       0.21
jython     0.72       0.71       0.31       0.28
sunflow    0.76       0.68       0.42       0.35
mtrt       0.80       0.80       0.27       0.25
eclipse    0.86       0.62       -          0.054
avrora     0.90       0.89       0.38       0.37
luindex    0.91       0.88       0.68       0.45
fop        0.96       0.92       0.21       0.047
lufact     1.00       1.00       0.49       0.41
sor        1.00       1.00       1.00       0.004
sparse     1.00       0.53       -          0.0000041
raja       1.00       1.00       0.54       0.54
""")

# Array elements in millions and as percent of all locations, shadow fraction; then memory: base (MB),
# FT/Base, SS/Base, SS/FT; then time: base (s), FT/Base, SS/Base, SS/FT. The first 15 are array-intensive.
_SLIMSTATE_3 = rows("""
crypt      150.0   100 0.00000057 193.6 27.67 1.00  0.04 0.62   87.71 15.06 0.17
lufact     4.0     100 1.00       32.1  7.00  7.00  1.00 0.81   40.55 36.70 0.91
series     2.0     100 0.63       22.2  3.86  3.04  0.79 218.51 1.03  1.03  1.00
sor        4.0     100 1.0        33.5  4.76  4.76  1.00 0.47   19.13 20.53 1.07
sparse     16.0    100 1.00       100.0 5.53  3.17  0.57 1.49   40.95 39.27 0.96
montecarlo 180.0   98  0.0018     619.1 3.55  1.09  0.31 3.90   5.92  3.09  0.52
lusearch   2,445.8 98  0.0019     1.5   32.25 21.50 0.67 2.26   13.09 7.14  0.55
xalan      102.1   90  0.27       11.3  10.17 8.50  0.84 3.00   6.06  6.56  1.08
eclipse    771.1   87  0.86       87.5  8.29  9.14  1.10 29.83  9.83  10.72 1.09
luindex    2.6     86  0.91       1.3   63.00 61.00 0.97 1.24   10.56 11.18 1.06
batik      6.3     80  0.19       22.7  5.09  4.14  0.81 6.44   2.15  2.23  1.04
tomcat     21.3    76  0.60       15.0  11.20 12.10 1.08 14.88  2.08  2.08  1.00
colt       0.4     76  0.20       0.6   73.05 48.03 0.66 15.98  1.10  1.13  1.02
jbb        35.0    72  0.11       96.0  3.97  3.09  0.78 1.92   11.63 11.48 0.99
avrora     0.7     55  0.90       1.3   23.00 21.43 0.93 4.28   3.69  3.71  1.01
h2         72.8    37  0.64       272.1 4.46  4.79  1.07 12.44  12.58 14.07 1.12
fop        2.6     32  0.96       28.9  6.25  6.20  0.99 2.59   4.72  4.91  1.04
moldyn     0.2     30  0.63       1.4   22.78 21.44 0.94 3.68   15.94 18.54 1.16
mtrt       0.8     30  0.80       16.0  7.61  8.11  1.07 0.44   8.25  9.00  1.09
pmd        6.3     30  0.35       45.3  5.31  5.44  1.02 3.75   4.79  4.55  0.95
jython     27.3    20  0.72       25.6  16.11 11.11 0.69 12.02  6.62  7.06  1.07
sunflow    4.7     1   0.76       15.0  8.07  7.80  0.97 1.65   16.39 17.97 1.10
raytracer  1.0     0   0.000057   1.4   19.00 10.27 0.54 3.06   18.67 19.12 1.02
raja       0.0     0   1.00       1.3   13.60 13.60 1.00 0.25   9.76  10.04 1.03
""")
_ARRAYS, _OBJECTS = tuple(_SLIMSTATE_3)[:15], tuple(_SLIMSTATE_3)[15:]


def _part(table, *columns):
    return {program: tuple(row[at] for at in columns) for program, row in table.items()}


G, A = "geometric", "arithmetic"

TABLES = (
    Table("bigfoot-1", "BigFoot, Table 1: time overhead and check ratio",
          (Column("BF checks", "checks", "bigfoot"), Column("Base (s)", "base seconds"),
           Column("FT", "overhead", "fasttrack"), Column("RC", "overhead", "redcard"),
           Column("SS", "overhead", "slimstate"), Column("SC", "overhead", "slimcard"),
           Column("BF", "overhead", "bigfoot")),
          _part(_BIGFOOT_1, *range(2, 9)),
          (("Mean", (A, "", G, G, G, G, G), figures("0.43 - 7.26 6.00 6.03 5.05 2.47"),
            tuple(_BIGFOOT_1)),)),
    Table("bigfoot-1-ft", "BigFoot, Table 1: time overhead as a part of FastTrack's",
          (Column("RC/FT", "overhead/ft", "redcard"), Column("SS/FT", "overhead/ft", "slimstate"),
           Column("SC/FT", "overhead/ft", "slimcard"), Column("BF/FT", "overhead/ft", "bigfoot")),
          _part(_BIGFOOT_1, *range(9, 13)),
          (("Mean", (G, G, G, G), figures("0.83 0.83 0.70 0.39"), tuple(_BIGFOOT_1)),)),
    Table("bigfoot-1-static", "BigFoot, Table 1: the static analysis, which has nothing of ours beside it",
          (Column("Methods", ""), Column("Seconds per method", "")),
          _part(_BIGFOOT_1, 0, 1),
          (("Mean", ("", A), figures("- 0.16"), tuple(_BIGFOOT_1)),)),
    Table("bigfoot-2", "BigFoot, Table 2: memory, and the part of FastTrack's",
          (Column("Base (MB)", "base megabytes"), Column("FT/Base", "memory", "fasttrack"),
           Column("RC/FT", "memory/ft", "redcard"), Column("SS/FT", "memory/ft", "slimstate"),
           Column("SC/FT", "memory/ft", "slimcard"), Column("BF/FT", "memory/ft", "bigfoot")),
          _BIGFOOT_2,
          (("Geo Mean", ("", G, G, G, G, G), figures("- 6.84 0.99 0.73 0.74 0.72"), tuple(_BIGFOOT_2)),)),
    Table("verifiedft-1", "VerifiedFT, Table 1: time overhead",
          (Column("Base (s)", "base seconds"), Column("FT-Mutex", "overhead"), Column("FT-CAS", "overhead"),
           Column("v1", "overhead", "verifiedft-v1"), Column("v1.5", "overhead", "verifiedft-v1.5"),
           Column("v2", "overhead", "fasttrack")),
          _VERIFIEDFT_1,
          (("Geo Mean", ("", G, G, G, G, G), figures("- 8.87 8.11 15.0 10.8 8.12"),
            tuple(_VERIFIEDFT_1)),)),
    Table("slimstate-2", "SlimState, Table II: shadow locations per array element",
          (Column("SlimState", "fraction"), Column("bits: footprint", "fraction"),
           Column("bits: partition", "fraction"), Column("bits: both", "fraction", "slimstate")),
          _SLIMSTATE_2,
          (("Average", (A, A, A, A), figures("0.56 0.51 0.26 0.13"), tuple(_SLIMSTATE_2)),)),
    Table("slimstate-3-memory", "SlimState, Table III: arrays, and the smallest heap",
          (Column("Elements (M)", ""), Column("% of all", ""), Column("Fraction", "fraction", "slimstate"),
           Column("Base (MB)", "base megabytes"), Column("FT/Base", "memory", "fasttrack"),
           Column("SS/Base", "memory", "slimstate"), Column("SS/FT", "memory/ft", "slimstate")),
          _part(_SLIMSTATE_3, *range(7)),
          tuple((name, ("", "", "", "", G, G, G), figures("- - - - " + printed), programs)
                for name, printed, programs in (
                    ("Geo Mean (Array-Intensive)", "11.1 7.1 0.65", _ARRAYS),
                    ("Geo Mean (Object-Intensive)", "9.8 8.9 0.90", _OBJECTS),
                    ("Overall Geo Mean", "10.6 7.7 0.73", _ARRAYS + _OBJECTS)))),
    Table("slimstate-3-time", "SlimState, Table III: time without a limit on memory",
          (Column("Base (s)", "base seconds"), Column("FT/Base", "slowdown", "fasttrack"),
           Column("SS/Base", "slowdown", "slimstate"), Column("SS/FT", "slowdown/ft", "slimstate")),
          _part(_SLIMSTATE_3, *range(7, 11)),
          tuple((name, ("", G, G, G), figures("- " + printed), programs)
                for name, printed, programs in (
                    ("Geo Mean (Array-Intensive)", "7.9 6.5 0.83", _ARRAYS),
                    ("Geo Mean (Object-Intensive)", "9.7 10.0 1.06", _OBJECTS),
                    ("Overall Geo Mean", "8.5 7.8 0.91", _ARRAYS + _OBJECTS)))),
)
