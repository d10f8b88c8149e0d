"""Prints the features of one level of the current release: a reader written from format/README.md alone.

Usage: read_release.py OUTPUT_FOLDER LEVEL [gid-N=GID ...] [--count | --names]
Example: read_release.py output lv2 gid-0=ESP gid-1=ESP.7_1
"""
import hashlib
import json
import struct
import sys
import zlib
from itertools import groupby
from pathlib import Path


def expect(condition, message):
    if not condition:
        sys.exit(f"error: {message}")


def versioned(content, name):
    found = json.loads(content)
    expect(found["version"] == 2, f"{name}: format version {found['version']}, expected 2")
    return found


def checked(file, sha256):
    content = file.read_bytes()
    expect(hashlib.sha256(content).hexdigest() == sha256, f"{file}: other bytes than release.json promises")
    return content


def gids_of(column):
    """The GID of each position; None where it has none."""
    gids, seen, numbers = [], 0, iter(column["runs"])
    for number in numbers:
        if number > 0:
            gids += [column["gids"][seen]] * number
            seen += 1
        else:
            gids += [column["gids"][-number - 1] if number < 0 else None] * next(numbers)
    return gids


def features_at(positions, folder, manifest, records):
    """The texts of the features, each read by the byte range of its member."""
    fids = [start + i for start, count in zip(*[iter(manifest["fids"])] * 2) for i in range(count)]
    per_file, offsets = manifest["featuresPerFile"], []
    for position in range(len(records)):
        offsets.append(offsets[-1] + records[position - 1][0] if position % per_file else 0)
    for file, chosen in groupby(positions, lambda position: position // per_file):
        with open(folder / "features" / f"{file + 1:06}.geojsonl.gz", "rb") as members:
            for position in chosen:
                length, text_length, crc, digest = records[position]
                members.seek(offsets[position])
                member = members.read(length)
                where = f"{folder.name} position {position} (fid {fids[position]})"
                expect(hashlib.sha256(member).digest()[:8] == digest, f"{where}: the member has another digest")
                text = zlib.decompress(member, wbits=31)
                expect((len(text), zlib.crc32(text)) == (text_length, crc), f"{where}: the text has another sum")
                expect(text.startswith(b'{"type":"Feature","id":%d,' % fids[position]), f"{where}: another feature")
                yield text


def main(output, level, arguments):
    current = versioned((output / "current.json").read_bytes(), "current.json")["release"]
    folder = output / "releases" / current / level
    release = versioned((folder.parent / "release.json").read_bytes(), "release.json")
    summary = release["levels"][int(level.removeprefix("lv"))]
    if "--names" in arguments:
        names = zlib.decompress(checked(folder / "names.jsonl.gz", summary["names"]["sha256"]), wbits=31)
        expect(len(names) == summary["names"]["textBytes"], f"{level}/names.jsonl.gz: {len(names)} bytes of text")
        return sys.stdout.buffer.write(names)
    manifest = versioned(checked(folder / "manifest.json", summary["manifest"]), f"{level}/manifest.json")
    records = list(struct.iter_unpack("<III8s", checked(folder / "features.idx", summary["index"])))
    expect(len(records) == manifest["features"], f"{level}/features.idx: {len(records)} records")
    positions = range(manifest["features"])
    for name, _, gid in (argument.partition("=") for argument in arguments if argument != "--count"):
        gids = gids_of(manifest["columns"][int(name.removeprefix("gid-"))])
        positions = [position for position in positions if gids[position] == gid]
    if "--count" in arguments:
        return print(f"{len(positions)} of {manifest['features']}")
    for text in features_at(positions, folder, manifest, records):
        sys.stdout.buffer.write(text)


if __name__ == "__main__":
    expect(len(sys.argv) > 2, __doc__)
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
