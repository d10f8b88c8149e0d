#!/bin/sh
# Every unit of a listing, page by page, with curl: one GeoJSON Feature a line on standard output.
#
#   TOKEN=... sh walk.sh 'http://127.0.0.1:8080/api/v1/geojsonl/lv1?gid-0=ESP' > regions.geojsonl
set -eu

url=$1
headers=$(mktemp)
page=$(mktemp)
trap 'rm -f "$headers" "$page"' EXIT

while [ -n "$url" ]; do
  # The token comes by standard input: arguments can be seen by every user of the machine. A public service needs none.
  # The page goes to a file, which curl empties before it tries again: what an error says is not among the data.
  printf '%s' "${TOKEN:+Authorization: Bearer $TOKEN}" |
    curl --silent --show-error --fail-with-body --compressed --retry 3 --header @- --dump-header "$headers" \
      --output "$page" "$url" || {
    status=$?
    [ $status -ne 22 ] || cat "$page" >&2
    exit $status
  }
  cat "$page"
  url=$(sed -n 's/^[Ll]ink: <\(.*\)>; rel="next".*/\1/p' "$headers")
done
