"""Carries a table of figures from the units of one release to those of another, by shares of area.

    python3 carry.py CHANGES.csv LEVEL FIGURES.csv > CARRIED.csv

CHANGES.csv is what the service sends of a pair of releases, LEVEL is such as lv2. FIGURES.csv has commas or semicolons, a
header, GIDs of the old release in its first column, and numbers in the others: counts, such as inhabitants, no rates. Each
figure goes to the units that took the place of its own, by the share of its area that each has, as if it were spread
evenly; sums stay what they are, and a row that is only passed on keeps its text. A figure that is empty stays empty, and
so does every sum that it would be part of. At its end the program says how many rows it has carried, how many it has passed
unchanged because no change names them, and which units have no successor. It exits with 1 and writes nothing if no row
could be carried: then the first column probably has other codes. Python's standard library alone.
"""

import csv
import decimal
import math
import sys
from collections import defaultdict
from decimal import Decimal

# A sum is written with as many digits as a double has. It is made with more.
DIGITS = decimal.Context(prec=17)


class TableError(Exception):
    """What is wrong with a table, and where."""


def successors(changes, level):
    """By GID of the old release the GIDs of the new one, each with its part of the figures: 1 in all."""
    shares = defaultdict(dict)
    for row in csv.DictReader(changes):
        if row['level'] == level and row['from_gid']:
            own = shares[row['from_gid']]
            if row['to_gid']:
                own[row['to_gid']] = own.get(row['to_gid'], 0) + Decimal(row['share_of_from'])
    parts = {}
    for gid, own in shares.items():
        # What lies in no unit, and slivers that have no row, are divided among the others.
        whole = sum(own.values())
        parts[gid] = {to: share / whole for to, share in own.items()} if whole > 0 else {}
    return parts


def figure(text, column, line):
    """A number, or None for an empty text."""
    if text.strip() == '':
        return None
    try:
        number = Decimal(text)
        is_number = math.isfinite(float(number))
    except (decimal.InvalidOperation, ValueError):
        is_number = False
    if not is_number:
        raise TableError(f'line {line}, column {column}: {text!r} is no number; leave out columns of text')
    return number


def rows_of(figures):
    """The header, the delimiter, and an iterator of the GID of each row and its figures, as texts and as numbers."""
    first = figures.readline()
    delimiter = ';' if first.count(';') > first.count(',') else ','
    header = next(csv.reader([first], delimiter=delimiter), [])
    if len(header) < 2:
        raise TableError('line 1: expected a header with a column of GIDs and one of figures')
    if header[0].strip() == '':
        raise TableError('line 1: the first column has no name; pandas leaves out its index with to_csv(index=False)')

    def rows():
        reader = csv.reader(figures, delimiter=delimiter)
        for row in reader:
            line = reader.line_num + 1
            if not row:
                continue
            if len(row) != len(header):
                raise TableError(f'line {line}: {len(row)} columns, expected {len(header)}')
            yield row[0], row[1:], [figure(text, column, line) for text, column in zip(row[1:], header[1:])]

    return header, delimiter, rows()


def carry(rows, columns, parts):
    """The sums by GID of the new release, the texts of those that are one whole row, and the numbers of rows that were
    carried and passed, and the GIDs without a successor."""
    sums = defaultdict(lambda: [Decimal(0)] * columns)
    whole = {}
    carried, passed, lost = 0, 0, []
    for gid, texts, values in rows:
        own = parts.get(gid)
        if own is None:
            # A unit without a row stayed the same.
            passed += 1
            own = {gid: 1}
        elif own:
            carried += 1
        else:
            lost.append(gid)
        for to, part in own.items():
            if part == 1 and to not in sums:
                whole[to] = texts
            else:
                whole.pop(to, None)
            total = sums[to]
            for column, value in enumerate(values):
                is_unknown = value is None or total[column] is None
                total[column] = None if is_unknown else total[column] + value * part
    return sums, whole, carried, passed, lost


def written(value):
    """A sum as text, without an exponent."""
    return '' if value is None else format(value.normalize(DIGITS), 'f')


def main(changes_file, level, figures_file):
    with open(changes_file, encoding='utf-8', newline='') as changes:
        parts = successors(changes, level)
    with open(figures_file, encoding='utf-8-sig', newline='') as figures:
        try:
            header, delimiter, rows = rows_of(figures)
            sums, whole, carried, passed, lost = carry(rows, len(header) - 1, parts)
        except (TableError, csv.Error) as error:
            sys.exit(f'{figures_file}: {error}')
    if carried == 0 and not lost:
        sys.exit(
            f'{figures_file}: no row of {passed} has a GID that changed at {level}, so there is nothing to carry; '
            f'does its first column, {header[0]}, have the GIDs of the old release?'
        )
    writer = csv.writer(sys.stdout, delimiter=delimiter, lineterminator='\n')
    writer.writerow(header)
    for gid in sorted(sums):
        writer.writerow([gid, *whole.get(gid, map(written, sums[gid]))])
    print(f'carried: {carried}; passed unchanged, as no change names them: {passed}', file=sys.stderr)
    if lost:
        print('no successor:', ', '.join(lost), file=sys.stderr)
    empty = sum(value is None for values in sums.values() for value in values)
    if empty:
        print(f'figures that are empty, or sums of such: {empty}', file=sys.stderr)


if __name__ == '__main__':
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
