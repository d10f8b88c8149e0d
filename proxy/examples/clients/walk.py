"""Every unit of a listing, page by page, with Python's standard library alone: one GeoJSON Feature a line.

    TOKEN=... python3 walk.py 'http://127.0.0.1:8080/api/v1/fc/lv1?gid-0=ESP'
"""

import gzip
import json
import os
import re
import sys
from urllib.request import Request, urlopen


def walk(url, token=None):
    """The features of the listing at `url`, of either format, in order of fid. A public service needs no token."""
    while url:
        headers = {"Accept-Encoding": "gzip", **({"Authorization": f"Bearer {token}"} if token else {})}
        with urlopen(Request(url, headers=headers), timeout=60) as answer:
            body = answer.read()
            if answer.headers["Content-Encoding"] == "gzip":
                body = gzip.decompress(body)
            following = re.match(r'<([^>]*)>; rel="next"', answer.headers["Link"] or "")
        if answer.headers["Content-Type"] == "application/geo+json":
            yield from json.loads(body)["features"]
        else:
            yield from map(json.loads, body.splitlines())
        url = following and following[1]


if __name__ == "__main__":
    try:
        for feature in walk(sys.argv[1], os.environ.get("TOKEN")):
            print(json.dumps(feature, ensure_ascii=False))
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has ended, e.g. head. Python flushes standard output at exit: that must not fail as well.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
