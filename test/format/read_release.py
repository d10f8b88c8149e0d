"""Prints the features of one level of the current release: a reader written from format/README.md alone.

Usage: read_release.py OUTPUT_FOLDER LEVEL [gid-N=GID ...] [--count | --names]
Example: read_release.py output lv2 gid-0=ESP gid-1=ESP.7_1
"""
import hashlib
import json
import sys
import zlib
from bisect import bisect_left
from itertools import groupby
from pathlib import Path


def expect(condition, message):
    if not condition:
        sys.exit(f"error: {message}")


def versioned(content, name):
    found = json.loads(content)
    expect(found["version"] == 3, f"{name}: format version {found['version']}, expected 3")
    return found


def checked(file, promised):
    content = file.read_bytes()
    found = (len(content), hashlib.sha256(content).hexdigest())
    expect(found == (promised["bytes"], promised["sha256"]), f"{file}: other bytes than release.json promises")
    return content


def view(index, array):
    code, size = {"f64": ("d", 8), "u32": ("I", 4), "u8": ("B", 1)}[array["type"]]
    return index[array["offset"] : array["offset"] + size * array["length"]].cast(code)


def positions_of(gid, start, text, run, first, rank, count):
    """The positions that have a GID, from the arrays of its column."""
    gids = [bytes(text[begin:end]) for begin, end in zip(start, start[1:])]
    number = bisect_left(gids, gid)
    if gids[number : number + 1] != [gid]:
        return set()
    ends = [*rank[run[number] + 1 : run[number + 1]], count[number]]
    return {first[r] + i for r, end in enumerate(ends, run[number]) for i in range(end - rank[r])}


def features_at(positions, folder, per_file, arrays):
    """The texts of the features, each read by its byte range."""
    start, fids = arrays["start"], arrays["fid"]
    for number, chosen in groupby(positions, lambda position: position // per_file):
        with open(folder / "features" / f"{number + 1:06}.geojsonl.gz", "rb") as file:
            for p in chosen:
                file.seek(10 + int(start[p] - start[number * per_file]))
                data = file.read(int(start[p + 1] - start[p]))
                where = f"{folder.name} position {p} (fid {fids[p]:.0f})"
                expect(zlib.crc32(data, arrays["dataCrc"][p]) == arrays["dataCrc"][p + 1], f"{where}: damaged")
                digest = bytes(arrays["digest"][8 * p : 8 * p + 8])
                expect(hashlib.sha256(data).digest()[:8] == digest, f"{where}: another digest")
                text = zlib.decompressobj(wbits=-15).decompress(data)
                expect(zlib.crc32(text, arrays["textCrc"][p]) == arrays["textCrc"][p + 1], f"{where}: another text")
                expect(text.startswith(b'{"type":"Feature","id":%d,' % fids[p]), f"{where}: another feature")
                yield text


def main(output, level, arguments):
    pointer = versioned((output / "current.json").read_bytes(), "current.json")
    current = pointer["release"]
    folder = output / "releases" / current / level
    description = (folder.parent / "release.json").read_bytes()
    release = versioned(description, "release.json")
    digest = hashlib.sha256(description).hexdigest()
    promised = pointer.get("digests", {}).get(current, digest)
    expect(digest == promised, "release.json: other bytes than current.json promises")
    summary = release["levels"][int(level.removeprefix("lv"))]
    if "--names" in arguments:
        names = zlib.decompress(checked(folder / "names.jsonl.gz", summary["names"]), wbits=31)
        expect(len(names) == summary["names"]["textBytes"], f"{level}/names.jsonl.gz: {len(names)} bytes of text")
        return sys.stdout.buffer.write(names)
    manifest = versioned(checked(folder / "manifest.json", summary["manifest"]), f"{level}/manifest.json")
    index = memoryview(checked(folder / "index.bin", summary["index"]))
    arrays = {name: view(index, array) for name, array in manifest["arrays"].items()}
    positions = range(manifest["features"])
    for column, _, gid in (argument.removeprefix("gid-").partition("=") for argument in arguments if "=" in argument):
        tables = (arrays[f"gid{column}.{name}"] for name in ("start", "text", "run", "first", "rank", "count"))
        chosen = positions_of(gid.encode(), *tables)
        positions = [position for position in positions if position in chosen]
    if "--count" in arguments:
        return print(f"{len(positions)} of {manifest['features']}")
    for text in features_at(positions, folder, manifest["featuresPerFile"], arrays):
        sys.stdout.buffer.write(text)


if __name__ == "__main__":
    expect(len(sys.argv) > 2, __doc__)
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
