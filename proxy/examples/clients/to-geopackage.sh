#!/bin/sh
# Every unit of a listing into a GeoPackage, with curl and GDAL's ogr2ogr. fids stay what they are.
#
#   TOKEN=... sh to-geopackage.sh 'http://127.0.0.1:8080/api/v1/geojsonl/lv3?gid-0=ESP' municipalities.gpkg
set -eu

url=$1
file=$2
case $url in
  */geojsonl/*) ;;
  *)
    echo "$url: not a geojsonl URL; use .../api/v1/geojsonl/LEVEL" >&2
    exit 2
    ;;
esac
layer=$(basename "$file" .gpkg)
lines=$(mktemp)
trap 'rm -f "$lines"' EXIT

sh "$(dirname "$0")/walk.sh" "$url" > "$lines"
ogr2ogr -f GPKG "$file" "GeoJSONSeq:$lines" -nln "$layer" -nlt PROMOTE_TO_MULTI -preserve_fid
