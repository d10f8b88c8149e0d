"""Prints the positions of the units that contain each point: written from format/README.md alone.

Usage: read_cells.py CELLS_BIN < points, one "longitude,latitude" a line
"""
import json
import struct
import sys
import zlib
from bisect import bisect_right
from fractions import Fraction


def expect(condition, message):
    if not condition:
        sys.exit(f"error: {message}")


def directory_of(file):
    """The precision, and the arrays key, start and crc."""
    header = file.read(32)
    expect(len(header) == 32 and header[:8] == b"cells\0\0\0", "does not begin like a file of cells")
    version, crc, precision, _, count = struct.unpack_from("<5I", header, 8)
    expect(version == 5, f"format version {version}, expected 5")
    rest = file.read(20 * count + 8)
    expect(zlib.crc32(header[16:] + rest) == crc, "the directory is damaged")
    numbers = struct.unpack(f"<{2 * count + 1}d{count}I", rest)
    return precision, numbers[:count], numbers[count : 2 * count + 1], numbers[2 * count + 1 :]


def varints(data):
    value = shift = 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield value
            value = shift = 0


def signed(numbers):
    number = next(numbers)
    return -(number + 1) // 2 if number % 2 else number // 2


def is_left(x1, y1, x2, y2, x, y):
    """Is a point left of a line? On it, it counts as a little farther east, and far less farther north."""
    area = (x2 - x1) * (y - y1) - (y2 - y1) * (x - x1)
    return area > 0 if area else y2 < y1 if y1 != y2 else x2 > x1


def units_at(directory, file, longitude, latitude):
    """The positions of the units that contain a point."""
    precision, keys, starts, crcs = directory
    half = Fraction(1, 2)
    unit = 10**precision
    x = (Fraction(longitude) + 180) % 360 * unit
    y = (Fraction(latitude) + 90) * unit
    if y == 180 * unit:
        y -= half
    bits = (360 * unit).bit_length()
    depth = min(bits, 26)
    finest = 2 ** (bits - depth)
    column, row = int((x + half) // finest), int((y + half) // finest)
    sought = sum(((column >> b & 1) | (row >> b & 1) << 1) << 2 * b for b in range(depth))
    cell = bisect_right(keys, sought) - 1
    key, begin, end = int(keys[cell]), *map(int, starts[cell : cell + 2])
    west = sum((key >> 2 * b & 1) << b for b in range(depth)) * finest
    south = sum((key >> 2 * b + 1 & 1) << b for b in range(depth)) * finest
    file.seek(begin)
    data = file.read(end - begin)
    expect(len(data) == end - begin and zlib.crc32(data) == crcs[cell], f"cell {cell} is damaged")
    if not data:
        return []
    numbers = varints(data)
    units, inside, position = [], [], 0
    for _ in range(next(numbers)):
        code = next(numbers)
        position += code >> 1
        units.append(position)
        inside.append(code & 1)
    corner, turn, point = (-half, -half), (-half, y - south), (x - west, y - south)
    x1 = y1 = 0
    for code in numbers:
        sides = [next(numbers) for _ in range(code % 4 or next(numbers))]
        x1, y1 = x1 + signed(numbers), y1 + signed(numbers)
        for _ in range(code // 4):
            edge = (x1, y1, x1 + signed(numbers), y1 + signed(numbers))
            x1, y1 = edge[2:]
            crossings = 0
            if (edge[0] > corner[0]) != (edge[2] > corner[0]):
                crossings += is_left(*edge, *corner) != is_left(*edge, *turn)
            if (edge[1] > point[1]) != (edge[3] > point[1]):
                crossings += is_left(*edge, *turn) != is_left(*edge, *point)
            if crossings % 2:
                for side in sides:
                    inside[side] ^= 1
    return [unit for unit, is_in in zip(units, inside) if is_in]


def main(path):
    with open(path, "rb") as file:
        directory = directory_of(file)
        for line in sys.stdin:
            print(json.dumps(units_at(directory, file, *line.strip().split(","))))


if __name__ == "__main__":
    expect(len(sys.argv) == 2, __doc__)
    main(sys.argv[1])
