"""The units at many points, looked up here, with Python's standard library alone: from an output folder, here or on a
static host, or from a service.

    python3 points.py output longitude latitude < places.csv > places-with-units.csv
    python3 points.py https://static.example.org/boundaries longitude latitude < places.csv > places-with-units.csv
    TOKEN=... python3 points.py https://boundaries.example.org longitude latitude < places.csv > places-with-units.csv

`units_at` takes columns and gives columns, as pandas has them. Points are plain decimals as text, or numbers.
"""

import csv
import gzip
import json
import os
import re
import struct
import sys
import zlib
from bisect import bisect_right
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

DECIMAL = re.compile(r"(-?)(\d{1,3})(?:\.(\d{1,40}))?", re.ASCII)
EXPONENT = re.compile(r"-?\d{1,20}(?:\.\d{1,40})?[eE][+-]?\d{1,3}", re.ASCII)
MAGIC = b"cells\0\0\0"
HEADER_BYTES = 32


def open_release(source, token=None, levels=range(6)):
    """The levels of the current release of an output folder, a path or an address, or of the service at a base URL."""
    if re.match("https?://", str(source)):
        read = published(source) or service(source, token)
    else:
        read = folder(lambda path: (Path(source) / path).read_bytes())
    names = {level: read(level, "names") for level in levels}
    return [Level(level, read(level, "cells"), text) for level, text in names.items() if text.count(b"\n") > 1]


def folder(file):
    """Reads the files of an output folder, whose bytes `file` gives by their path."""
    release = "releases/" + json.loads(file("current.json"))["release"]

    def read(level, what):
        if what == "cells":
            return file(f"{release}/lv{level}/cells.bin")
        names = file(f"{release}/lv{level}/names.jsonl.gz")
        # A host that sends Content-Encoding may have had it inflated on the way.
        return gzip.decompress(names) if names[:1] == b"\x1f" else names

    return read


def published(url):
    """Reads the output folder at an address; None if there is none: then it is a service."""

    def file(path):
        with urlopen(f"{url.rstrip('/')}/{path}", timeout=60) as answer:
            return answer.read()

    try:
        return folder(file) if file("current.json").lstrip()[:1] == b"{" else None
    except HTTPError:
        return None


def service(url, token):
    """All files are of the release of the first one: names of another one that takes its place meanwhile are an error."""
    releases = set()
    base = re.sub("(/api/v1(/.*)?)?/*$", "", url)

    def read(level, what):
        path = f"names/lv{level}" if what == "names" else f"download/lv{level}.cells?release={quote(*releases)}"
        headers = {"Accept-Encoding": "gzip", **({"Authorization": f"Bearer {token}"} if token else {})}
        with urlopen(Request(f"{base}/api/v1/{path}", headers=headers), timeout=60) as answer:
            body = answer.read()
            releases.add(answer.headers["Boundaries-Release"])
            if len(releases) > 1:
                raise RuntimeError(f"the release was replaced meanwhile, start again: {releases}")
            return gzip.decompress(body) if answer.headers["Content-Encoding"] == "gzip" else body

    return read


def units_at(release, longitudes, latitudes):
    """Columns gid_0, name_0 ... for points: of each level the first unit by fid; None where there is none."""
    columns = {f"{column}_{level.number}": [] for level in release for column in ("gid", "name")}
    for longitude, latitude in zip(longitudes, latitudes):
        point = decimal(longitude), decimal(latitude)
        for level in release:
            positions = level.positions(*point)
            gid, name = level.units[positions[0]] if positions else (None, None)
            columns[f"gid_{level.number}"].append(gid)
            columns[f"name_{level.number}"].append(name)
    return columns


def decimal(value):
    """A plain decimal of a text or a number, which may have an exponent; empty without one."""
    text = (value or "").strip() if value is None or isinstance(value, str) else repr(float(value))
    if not EXPONENT.fullmatch(text):
        return text
    whole, _, fraction = format(Decimal(text), "f").partition(".")
    return f"{whole}.{fraction[:40]}" if fraction else whole


class Level:
    """The units of a level: `units` are pairs of GID and name, from these columns of the names, wherever they are."""

    def __init__(self, number, cells, names):
        self.number = number
        header = struct.unpack_from("<8s6I", cells)
        magic, _version, crc, self.precision, features, count, _zero = header
        if magic != MAGIC:
            raise ValueError(f"lv{number}: not a file of cells")
        self.directory = HEADER_BYTES + 20 * count + 8
        if zlib.crc32(cells[16 : self.directory]) != crc:
            raise ValueError(f"lv{number}: the directory of the cells is damaged")
        self.keys = struct.unpack_from(f"<{count}d", cells, HEADER_BYTES)
        self.starts = struct.unpack_from(f"<{count + 1}d", cells, HEADER_BYTES + 8 * count)
        self.crcs = struct.unpack_from(f"<{count}I", cells, HEADER_BYTES + 16 * count + 8)
        self.bytes = cells
        header, *units = (json.loads(line) for line in names.split(b"\n")[:-1])
        gid, name = header.index("gid"), header.index("name")
        self.units = [(unit[gid], unit[name]) for unit in units]
        if len(self.units) != features:
            raise ValueError(f"lv{number}: cells of {features} units, names of {len(self.units)}")
        bits = (360 * 10**self.precision).bit_length()
        self.depth = min(bits, 26)
        self.finest = 2 ** (bits - self.depth)
        self.cell = lru_cache(maxsize=4096)(self.decode)

    def positions(self, longitude, latitude):
        """The positions of the units that contain a point, ascending: plain decimals of degrees. None is at what is no point."""
        east, north = DECIMAL.fullmatch(longitude), DECIMAL.fullmatch(latitude)
        if not east or not north:
            return []
        # Exact integers: `parts` are one unit of length.
        decimals = max(self.precision + 1, len(east[3] or ""), len(north[3] or ""))
        degree, parts = 10**decimals, 10 ** (decimals - self.precision)
        half = parts // 2
        x, y = (int(f"{own[1]}{own[2]}{(own[3] or '').ljust(decimals, '0')}") for own in (east, north))
        x, y = x + 180 * degree, y + 90 * degree
        if not (0 <= x <= 360 * degree and 0 <= y <= 180 * degree):
            return []
        x, y = x % (360 * degree), y - half * (y == 180 * degree)
        column, row = ((value + half) // (self.finest * parts) for value in (x, y))
        key = sum(((column >> bit & 1) | (row >> bit & 1) << 1) << 2 * bit for bit in range(self.depth))
        west, south, units, corner, chains = self.cell(bisect_right(self.keys, key) - 1)
        x, y = x - west * parts, y - south * parts
        inside = corner[:]
        for sides, edges in chains:
            crossings = 0
            for x1, y1, x2, y2 in edges:
                # The way leads from the corner, half a unit south-west of the origin, north or south, then to the point.
                if (x1 >= 0) != (x2 >= 0):
                    edge = (x1 * parts, y1 * parts, x2 * parts, y2 * parts)
                    crossings += is_left(*edge, -half, -half) != is_left(*edge, -half, y)
                if (y1 * parts > y) != (y2 * parts > y):
                    edge = (x1 * parts, y1 * parts, x2 * parts, y2 * parts)
                    crossings += is_left(*edge, -half, y) != is_left(*edge, x, y)
            if crossings % 2:
                for side in sides:
                    inside[side] ^= 1
        return [unit for unit, is_in in zip(units, inside) if is_in]

    def decode(self, cell):
        """Origin of a cell, its units, which contain its corner, and its chains: the units that each bounds, and its edges."""
        key = int(self.keys[cell])
        west = sum((key >> 2 * bit & 1) << bit for bit in range(self.depth)) * self.finest
        south = sum((key >> 2 * bit + 1 & 1) << bit for bit in range(self.depth)) * self.finest
        data = self.bytes[int(self.starts[cell]) : int(self.starts[cell + 1])]
        if zlib.crc32(data) != self.crcs[cell]:
            raise ValueError(f"lv{self.number}: cell {cell} is damaged")
        units, corner, chains = [], [], []
        if not data:
            return west, south, units, corner, chains
        numbers = varints(data)
        position = x1 = y1 = 0
        for _ in range(next(numbers)):
            code = next(numbers)
            position += code >> 1
            units.append(position)
            corner.append(code & 1)
        for code in numbers:
            sides = [next(numbers) for _ in range(code % 4 or next(numbers))]
            x1, y1 = x1 + signed(numbers), y1 + signed(numbers)
            edges = []
            for _ in range(code // 4):
                x2, y2 = x1 + signed(numbers), y1 + signed(numbers)
                edges.append((x1, y1, x2, y2))
                x1, y1 = x2, y2
            chains.append((sides, edges))
        return west, south, units, corner, chains


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


def main(source, longitude, latitude):
    release = open_release(source, os.environ.get("TOKEN"))
    table = csv.reader(sys.stdin)
    header = next(table)
    rows = list(table)
    columns = units_at(release, *([row[header.index(name)] for row in rows] for name in (longitude, latitude)))
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow([*header, *columns])
    out.writerows([*row, *units] for row, units in zip(rows, zip(*columns.values())))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
