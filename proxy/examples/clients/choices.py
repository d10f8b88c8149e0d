"""Choices of an XLSForm, as KoboToolbox and ODK take them, from the names of some levels.

    TOKEN=$TOKEN python3 proxy/examples/clients/choices.py http://127.0.0.1:8080 lv0 lv1 lv2 > choices.csv

A public service needs no token.
"""

import csv
import json
import os
import sys
import urllib.request


def names_of(service, level):
    """The units of a level: a dictionary for each."""
    token = os.environ.get('TOKEN')
    headers = {'Authorization': f'Bearer {token}'} if token else {}
    request = urllib.request.Request(f'{service}/api/v1/names/{level}', headers=headers)
    with urllib.request.urlopen(request) as answer:
        columns, *rows = map(json.loads, answer)
    return [dict(zip(columns, row)) for row in rows]


def choices_of(level, units):
    """Rows of the sheet `choices`, by name. A unit without a GID is left out: nothing could be stored."""
    seen = set()
    for unit in sorted(units, key=lambda unit: unit['name'] or unit['gid'] or ''):
        gid, name = unit['gid'], unit['name']
        if gid is None:
            continue
        if any(letter.isspace() for letter in gid):
            sys.exit(f'{level}: the GID "{gid}" ({name}) has a space, which no choice may have.')
        if gid in seen:
            sys.exit(f'{level}: several units have the GID "{gid}" ({name}), and a choice may be in a list once.')
        seen.add(gid)
        yield [level, gid, name or gid, unit['parent'] or '']


if __name__ == '__main__':
    service, *levels = sys.argv[1:]
    rows = [row for level in levels for row in choices_of(level, names_of(service, level))]
    csv.writer(sys.stdout, lineterminator='\n').writerows([['list_name', 'name', 'label', 'parent'], *rows])
