#!/bin/sh
# Copies an output folder into a bucket (S3 or compatible) with the AWS command line, so that whoever reads meanwhile
# never meets a pointer to what is not there yet: pages, then what names them, and current.json last of all.
#
#   sh upload.sh output s3://boundaries [--endpoint-url https://...]
#
# Keep the bucket private: nobody but the proxy may read it. Run it again after each build; what is there stays.
set -eu

out=$1
bucket=$2
shift 2

forever='public, max-age=31536000, immutable'
# Pages are stored as files that happen to be gzip, without a Content-Encoding: hosts must not inflate them.
aws s3 sync "$out/releases" "$bucket/releases" --exclude '*' --include '*.gz' --exclude '.*' \
  --content-type application/gzip --cache-control "$forever" "$@"
aws s3 sync "$out/releases" "$bucket/releases" --exclude '*.gz' --exclude '.*' \
  --content-type application/json --cache-control "$forever" "$@"
aws s3 cp "$out/current.json" "$bucket/current.json" \
  --content-type application/json --cache-control no-cache "$@"
