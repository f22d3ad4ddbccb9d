"""What the programs work on: the same bytes everywhere, generated once and kept."""

import itertools
import random

from debian import CACHE, completed

MIB = 1 << 20


def text(size):
    """A file of that many bytes: words, a few of them often, most of them rarely, as in a language."""
    path = CACHE / "inputs" / f"text-{size}"
    if not path.exists():
        with completed(path) as partial, open(partial, "wb") as file:
            left = size
            for piece in itertools.count():
                file.write(text_piece(piece)[:left])
                left -= MIB
                if left <= 0:
                    break
    return path


def text_piece(number):
    """A MiB of text, another one for each number."""
    generator = random.Random(20)
    words = ["".join(generator.choices("etaoinshrdlucmfw", k=generator.randint(2, 11))) + generator.choice("   .,\n")
             for _ in range(20000)]
    ranks = list(itertools.accumulate(1 / rank for rank in range(1, len(words) + 1)))
    generator = random.Random(number)
    pieces, length = [], 0
    while length < MIB:
        pieces.append("".join(generator.choices(words, cum_weights=ranks, k=10000)))
        length += len(pieces[-1])
    return "".join(pieces).encode()[:MIB]


WIDTH, HEIGHT = 352, 288  # of the clip


def clip(frames):
    """A film in YUV4MPEG2, 25 frames a second: a landscape that passes by, and a tile that bounces before it."""
    path = CACHE / "inputs" / f"clip-{frames}.y4m"
    if not path.exists():
        land, tile = texture(1, 1024, HEIGHT + 64), texture(2, 64, 64)
        with completed(path) as partial, open(partial, "wb") as file:
            file.write(f"YUV4MPEG2 W{WIDTH} H{HEIGHT} F25:1 Ip A1:1 C420jpeg\n".encode())
            for number in range(frames):
                file.write(b"FRAME\n")
                file.write(picture(land, tile, number))
    return path


def picture(land, tile, number):
    """The planes Y, U, V of one frame. Colour follows light, for there is to be some."""
    across, down = number * 3 % (1024 - WIDTH), bounce(number, 64)
    rows = [bytearray(row[across:across + WIDTH]) for row in land[down:down + HEIGHT]]
    left, top = bounce(number * 5, WIDTH - 64), bounce(number * 4, HEIGHT - 64)
    for row, tile_row in zip(rows[top:top + 64], tile):
        row[left:left + 64] = tile_row
    light = b"".join(rows)
    colour = b"".join(row[::2] for row in rows[::2])
    return light + colour + colour[::-1]


def bounce(position, length):
    """Where something is that goes to and fro between 0 and length."""
    position %= 2 * length
    return min(position, 2 * length - position)


def texture(seed, width, height):
    """Rows of noise, smoothed in both directions."""
    generator = random.Random(seed)
    rows = []
    above = bytes(width)
    for _ in range(height):
        noise = generator.randbytes(width)
        left = 128
        row = bytearray(width)
        for x in range(width):
            left = row[x] = (3 * left + 3 * above[x] + 2 * noise[x]) >> 3
        rows.append(row)
        above = row
    return rows
