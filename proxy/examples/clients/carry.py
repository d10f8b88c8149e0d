"""Carries a table of figures from the units of one release to those of another, by shares of area.

    python3 carry.py CHANGES.csv LEVEL FIGURES.csv > CARRIED.csv

CHANGES.csv is what the service sends of a pair of releases, LEVEL is such as lv2. FIGURES.csv has a header, GIDs of the
old release in its first column, and numbers in the others: counts, such as inhabitants, no rates. Each figure goes to the
units that took the place of its own, by the share of its area that each has, as if it were spread evenly; sums stay what
they are. Units without a successor are left out and named. Python's standard library alone.
"""

import csv
import sys
from collections import defaultdict


def successors(changes, level):
    """By GID of the old release the GIDs of the new one, each with its part of the figures: 1 in all."""
    shares = defaultdict(dict)
    for row in csv.DictReader(changes):
        if row['level'] == level and row['from_gid']:
            own = shares[row['from_gid']]
            if row['to_gid']:
                own[row['to_gid']] = own.get(row['to_gid'], 0) + float(row['share_of_from'])
    parts = {}
    for gid, own in shares.items():
        # What lies in no unit, and slivers that have no row, are divided among the others.
        whole = sum(own.values())
        parts[gid] = {to: share / whole for to, share in own.items()} if whole > 0 else {}
    return parts


def carry(figures, parts):
    """The header, the sums by GID of the new release, and the GIDs that have no successor."""
    rows = csv.reader(figures)
    header = next(rows)
    sums = defaultdict(lambda: [0.0] * (len(header) - 1))
    lost = []
    for gid, *values in rows:
        # A unit without a row stayed the same.
        own = parts.get(gid, {gid: 1})
        if not own:
            lost.append(gid)
        for to, part in own.items():
            for column, value in enumerate(values):
                sums[to][column] += float(value or 0) * part
    return header, sums, lost


def main(changes_file, level, figures_file):
    with open(changes_file, encoding='utf-8', newline='') as changes:
        parts = successors(changes, level)
    with open(figures_file, encoding='utf-8-sig', newline='') as figures:
        header, sums, lost = carry(figures, parts)
    writer = csv.writer(sys.stdout, lineterminator='\n')
    writer.writerow(header)
    for gid in sorted(sums):
        writer.writerow([gid, *(format(value, '.10g') for value in sums[gid])])
    if lost:
        print('no successor:', ', '.join(lost), file=sys.stderr)


if __name__ == '__main__':
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
