"""Prints the features of one level of the current release: a reader written from format/README.md alone.

Usage: read_release.py OUTPUT_FOLDER LEVEL [gid-N=GID ...] [geometry=NAME] [words=TEXT] [--count | --names]
Example: read_release.py output lv2 gid-0=ESP gid-1=ESP.7_1 geometry=low
"""
import hashlib
import json
import re
import sys
import unicodedata
import zlib
from bisect import bisect_left
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from pathlib import Path


def expect(condition, message):
    if not condition:
        sys.exit(f"error: {message}")


def versioned(content, name):
    found = json.loads(content)
    expect(found["version"] == 7, f"{name}: format version {found['version']}, expected 7")
    return found


def checked(file, promised):
    content = file.read_bytes()
    found = (len(content), hashlib.sha256(content).hexdigest())
    expect(found == (promised["bytes"], promised["sha256"]), f"{file}: other bytes than release.json promises")
    return content


def view(index, array):
    code, size = {"f64": ("d", 8), "i32": ("i", 4), "u32": ("I", 4), "u8": ("B", 1)}[array["type"]]
    return index[array["offset"] : array["offset"] + size * array["length"]].cast(code)


def positions_of(gid, start, text, run, first, rank, count):
    """The positions that have a GID, from the arrays of its column."""
    gids = [bytes(text[begin:end]) for begin, end in zip(start, start[1:])]
    number = bisect_left(gids, gid)
    if gids[number : number + 1] != [gid]:
        return set()
    ends = [*rank[run[number] + 1 : run[number + 1]], count[number]]
    return {first[r] + i for r, end in enumerate(ends, run[number]) for i in range(end - rank[r])}


APOSTROPHES = re.compile("['`\u02b9-\u02bf\u02c8\u02ee\u2018-\u201b\u2032\ua78b\ua78c\uff07]")
LETTERS = str.maketrans({**dict(zip("ßæœþ", ("ss", "ae", "oe", "th"))), **dict(zip("øđðłħıŋŧəς", "oddlhintaσ"))})


def folded(text):
    """A text as names are compared."""
    plain = unicodedata.normalize("NFKD", text)
    lower = "".join(letter for letter in plain if unicodedata.category(letter)[0] != "M").lower().translate(LETTERS)
    lower = APOSTROPHES.sub(" ", lower)
    return " ".join("".join(letter if unicodedata.category(letter)[0] in "LN" else " " for letter in lower).split())


def named(content, features, text):
    """The positions of the features with a name that has a word which begins with a text, from words.bin."""
    expect(content[:8] == b"words\0\0\0", "words.bin: other first bytes")
    version, count, names, keys, size, _ = memoryview(content)[8:32].cast("I")
    expect((version, count) == (7, features), f"words.bin: version {version}, of {count} features")
    arrays = memoryview(content)[32 : len(content) - size].cast("I")
    ends = [0, names + 1, 2 * names + 1, 2 * names + 1 + keys, 2 * names + 1 + 2 * keys]
    expect(ends[-1] == len(arrays), "words.bin: another length")
    start, unit, key, name = (arrays[begin:end] for begin, end in zip(ends, ends[1:]))
    lines = content[len(content) - size :]
    words = [lines[key[i] : start[name[i] + 1] - 1] for i in range(keys)]
    expect(words == sorted(words), "words.bin: keys do not ascend")
    wanted = folded(text).encode()
    first = bisect_left(words, wanted)
    found = set()
    for i in range(first, keys):
        if not words[i].startswith(wanted):
            break
        found.add(unit[name[i]])
    return found


def box_of(text):
    """The box that the index has of a feature."""
    bbox = json.loads(text, parse_float=Decimal).get("bbox")
    if bbox is None:
        return [0, 1, 0, 0]
    most = 2**31 - 1
    roundings = (ROUND_FLOOR, ROUND_FLOOR, ROUND_CEILING, ROUND_CEILING)
    scaled = (int((10**7 * Decimal(side)).to_integral_value(rounding)) for side, rounding in zip(bbox, roundings))
    return [max(-most, min(side, most)) for side in scaled]


def check_parts(parts, boxes):
    """Each feature with parts has 2 to 16 of them, which lie in its box. @param boxes, parts arrays of the index"""
    expect(len(parts) % 5 == 0, "part: not 5 numbers a part")
    positions = list(parts[0::5])
    expect(positions == sorted(positions), "part: positions do not ascend")
    expect(all(2 <= positions.count(p) <= 16 for p in set(positions)), "part: other than 2 to 16 of a feature")
    turn = 3600000000
    for at, position in enumerate(positions):
        (west, south, east, north), box = parts[5 * at + 1 : 5 * at + 5], boxes[4 * position : 4 * position + 4]
        width, full = east - west + turn * (west > east), box[2] - box[0] + turn * (box[0] > box[2])
        is_within = full == turn or (west - box[0]) % turn + width <= full
        expect(is_within and box[1] <= south <= north <= box[3], f"part {at}: beyond the box of position {position}")


def features_at(positions, folder, per_file, arrays, fids, boxes):
    """The texts of the features, each read by its byte range. @param arrays of the geometry in the folder"""
    in_files = "features", "geojsonl.gz", 10, arrays["start"], arrays["dataCrc"]
    alone = "alone", "bin", 0, arrays["alone.start"], arrays["alone.crc"]
    for p in positions:
        first = p - p % per_file
        part, ending, head, start, crc = alone if alone[3][p] < alone[3][p + 1] else in_files
        with open(folder / part / f"{p // per_file + 1:06}.{ending}", "rb") as file:
            file.seek(head + int(start[p] - start[first]))
            data = file.read(int(start[p + 1] - start[p]))
        where = f"{folder} position {p} (fid {fids[p]:.0f})"
        expect(zlib.crc32(data, crc[p]) == crc[p + 1], f"{where}: damaged")
        digest = bytes(arrays["digest"][8 * p : 8 * p + 8])
        expect(hashlib.sha256(data).digest()[:8] == digest, f"{where}: another digest")
        text = zlib.decompressobj(wbits=-15).decompress(data)
        expect(zlib.crc32(text, arrays["textCrc"][p]) == arrays["textCrc"][p + 1], f"{where}: another text")
        comma = zlib.crc32(text[:-1] + b",", arrays["textCrc.fc"][p])
        expect(comma == arrays["textCrc.fc"][p + 1], f"{where}: another text with a comma")
        expect(text.startswith(b'{"type":"Feature","id":%d,' % fids[p]), f"{where}: another feature")
        expect(box_of(text) == list(boxes[4 * p : 4 * p + 4]), f"{where}: another box")
        yield text


def main(output, level, arguments):
    pointer = versioned((output / "current.json").read_bytes(), "current.json")
    current = pointer["release"]
    folder = output / "releases" / current / level
    description = (folder.parent / "release.json").read_bytes()
    release = versioned(description, "release.json")
    promised = pointer["digests"][current]
    expect(hashlib.sha256(description).hexdigest() == promised, "release.json: other bytes than current.json promises")
    summary = release["levels"][int(level.removeprefix("lv"))]
    filters = dict(argument.split("=", 1) for argument in arguments if "=" in argument)
    geometry = filters.pop("geometry", "full")
    expect(geometry in release["geometries"], f"geometry {geometry}: not one of {', '.join(release['geometries'])}")
    if "--names" in arguments:
        names = zlib.decompress(checked(folder / "names.jsonl.gz", summary["names"]), wbits=31)
        expect(len(names) == summary["names"]["textBytes"], f"{level}/names.jsonl.gz: {len(names)} bytes of text")
        return sys.stdout.buffer.write(names)
    manifest = versioned(checked(folder / "manifest.json", summary["manifest"]), f"{level}/manifest.json")
    index = memoryview(checked(folder / "index.bin", summary["index"]))
    arrays = {name: view(index, array) for name, array in manifest["arrays"].items()}
    check_parts(arrays["part"], arrays["box"])
    positions = range(manifest["features"])
    if "words" in filters:
        chosen = named(checked(folder / "words.bin", summary["words"]), len(positions), filters.pop("words"))
        positions = sorted(chosen)
    for column, gid in ((name.removeprefix("gid-"), gid) for name, gid in filters.items()):
        tables = (arrays[f"gid{column}.{name}"] for name in ("start", "text", "run", "first", "rank", "count"))
        chosen = positions_of(gid.encode(), *tables)
        positions = [position for position in positions if position in chosen]
    if "--count" in arguments:
        return print(f"{len(positions)} of {manifest['features']}")
    fids, boxes = arrays["fid"], arrays["box"]
    if geometry != "full":
        folder /= geometry
        index = memoryview(checked(folder / "index.bin", summary["geometries"][geometry]["index"]))
        arrays = {name: view(index, array) for name, array in manifest["geometries"][geometry]["arrays"].items()}
    for text in features_at(positions, folder, manifest["featuresPerFile"], arrays, fids, boxes):
        sys.stdout.buffer.write(text)


if __name__ == "__main__":
    expect(len(sys.argv) > 2, __doc__)
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
