"""Prints the positions of the units that contain each point, or have a point in each box: written from
format/README.md alone.

Usage: read_cells.py CELLS_BIN < points or boxes, one "longitude,latitude" or "west,south,east,north" a line
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
    expect(version == 7, f"format version {version}, expected 7")
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


def grid_of(precision):
    """Units of length in a degree, bits of a column, and units along a smallest cell."""
    unit = 10**precision
    bits = (360 * unit).bit_length()
    depth = min(bits, 26)
    return unit, depth, 2 ** (bits - depth)


def column_of(x, finest):
    """The column, or the row, of a smallest cell."""
    return int((x + Fraction(1, 2)) // finest)


def interleaved(column, row, depth):
    return sum(((column >> b & 1) | (row >> b & 1) << 1) << 2 * b for b in range(depth))


def cell_at(directory, file, cell):
    """The units of a cell: positions, whether they contain the corner, and its edges, each with indexes of units."""
    precision, keys, starts, crcs = directory
    _, depth, finest = grid_of(precision)
    key, begin, end = int(keys[cell]), *map(int, starts[cell : cell + 2])
    x1 = sum((key >> 2 * b & 1) << b for b in range(depth)) * finest
    y1 = sum((key >> 2 * b + 1 & 1) << b for b in range(depth)) * finest
    file.seek(begin)
    data = file.read(end - begin)
    expect(len(data) == end - begin and zlib.crc32(data) == crcs[cell], f"cell {cell} is damaged")
    corner = (x1 - Fraction(1, 2), y1 - Fraction(1, 2))
    units, inside, edges, position = [], [], [], 0
    numbers = varints(data)
    for _ in range(next(numbers, 0)):
        code = next(numbers)
        position += code >> 1
        units.append(position)
        inside.append(code & 1)
    for code in numbers:
        sides = [next(numbers) for _ in range(code % 4 or next(numbers))]
        x1, y1 = x1 + signed(numbers), y1 + signed(numbers)
        for _ in range(code // 4):
            x2, y2 = x1 + signed(numbers), y1 + signed(numbers)
            edges.append(((x1, y1, x2, y2), sides))
            x1, y1 = x2, y2
    return corner, units, inside, edges


def units_at(directory, file, longitude, latitude):
    """The positions of the units that contain a point."""
    precision, keys, _, _ = directory
    unit, depth, finest = grid_of(precision)
    x = (Fraction(longitude) + 180) % 360 * unit
    y = (Fraction(latitude) + 90) * unit
    if y == 180 * unit:
        y -= Fraction(1, 2)
    sought = interleaved(column_of(x, finest), column_of(y, finest), depth)
    corner, units, inside, edges = cell_at(directory, file, bisect_right(keys, sought) - 1)
    turn, point = (corner[0], y), (x, y)
    for edge, sides in edges:
        crossings = 0
        if (edge[0] > corner[0]) != (edge[2] > corner[0]):
            crossings += is_left(*edge, *corner) != is_left(*edge, *turn)
        if (edge[1] > point[1]) != (edge[3] > point[1]):
            crossings += is_left(*edge, *turn) != is_left(*edge, *point)
        if crossings % 2:
            for side in sides:
                inside[side] ^= 1
    return [unit for unit, is_in in zip(units, inside) if is_in]


def meets(edge, rectangle):
    """Has an edge a point in a rectangle?"""
    west, south, east, north = rectangle
    x1, y1, x2, y2 = edge
    if max(x1, x2) < west or min(x1, x2) > east or max(y1, y2) < south or min(y1, y2) > north:
        return False
    corners = ((x, y) for x in (west, east) for y in (south, north))
    areas = [(x2 - x1) * (y - y1) - (y2 - y1) * (x - x1) for x, y in corners]
    return not (min(areas) > 0 or max(areas) < 0)


def cells_meeting(directory, rectangle):
    """The numbers of the cells that have a smallest cell which a rectangle meets."""
    precision, keys, _, _ = directory
    _, depth, finest = grid_of(precision)
    first_column, first_row, last_column, last_row = (column_of(value, finest) for value in rectangle)
    found, quarters = set(), [(0, 0, depth)]
    while quarters:
        column, row, bits = quarters.pop()
        last = 2**bits - 1
        if column > last_column or column + last < first_column or row > last_row or row + last < first_row:
            continue
        key = interleaved(column, row, depth)
        cell, end = (bisect_right(keys, place) - 1 for place in (key, key + 4**bits - 1))
        if cell == end:
            found.add(cell)
        else:
            half = 2 ** (bits - 1)
            quarters += [(column + x, row + y, bits - 1) for x in (0, half) for y in (0, half)]
    return sorted(found)


def units_in(directory, file, west, south, east, north):
    """The positions of the units that have a point in a box."""
    unit = 10 ** directory[0]
    full = 360 * unit
    x1, x2 = ((Fraction(side) + 180) * unit for side in (west, east))
    y1, y2 = ((Fraction(side) + 90) * unit for side in (south, north))
    spans = [(x1, x2)] if x1 <= x2 else [(x1, full), (0, x2)]
    spans += [(full, full)] * (0 in (x1, x2)) + [(0, 0)] * (full in (x1, x2))
    found = set(units_at(directory, file, west, south))
    for begin, end in spans:
        rectangle = (begin, y1, end, y2)
        for cell in cells_meeting(directory, rectangle):
            _, units, _, edges = cell_at(directory, file, cell)
            found.update(units[side] for edge, sides in edges if meets(edge, rectangle) for side in sides)
    return sorted(found)


def main(path):
    with open(path, "rb") as file:
        directory = directory_of(file)
        for line in sys.stdin:
            numbers = line.strip().split(",")
            print(json.dumps((units_at if len(numbers) == 2 else units_in)(directory, file, *numbers)))


if __name__ == "__main__":
    expect(len(sys.argv) == 2, __doc__)
    main(sys.argv[1])
