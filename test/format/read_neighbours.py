"""Prints the neighbours of each unit of a level: written from format/README.md alone.

Usage: read_neighbours.py NEIGHBOURS_BIN; prints for each position a line of [position, tenths of a metre] pairs
"""
import json
import struct
import sys


def expect(condition, message):
    if not condition:
        sys.exit(f"error: {message}")


def neighbours_of(content):
    """For each position the positions of its neighbours with the lengths of the borders."""
    expect(content[:8] == b"touches\0" and len(content) >= 24, "does not begin like a file of neighbours")
    version, features, count, _ = struct.unpack_from("<4I", content, 8)
    expect(version == 7, f"format version {version}, expected 7")
    expect(len(content) == 24 + 4 * (features + 1) + 8 * count, "another length")
    numbers = struct.unpack(f"<{features + 1 + 2 * count}I", content[24:])
    start, others, lengths = numbers[: features + 1], numbers[features + 1 :][:count], numbers[features + 1 + count :]
    expect(start[0] == 0 and start[-1] == count and list(start) == sorted(start), "start does not ascend")
    units = [dict(zip(others[a:b], lengths[a:b])) for a, b in zip(start, start[1:])]
    for position, own in enumerate(units):
        a, b = start[position : position + 2]
        expect(list(others[a:b]) == sorted(own), f"the neighbours of position {position} do not ascend")
        for other, length in own.items():
            symmetric = other != position and other < features and units[other].get(position) == length
            expect(symmetric, f"the border of positions {position} and {other} has one side")
    return units


if __name__ == "__main__":
    expect(len(sys.argv) == 2, __doc__)
    with open(sys.argv[1], "rb") as file:
        for own in neighbours_of(file.read()):
            print(json.dumps([list(pair) for pair in own.items()]))
