#!/bin/sh
# Copies an output folder to a bucket (S3 or compatible) with the AWS command line. Files are uploaded before the files
# that name them: feature files and pages, then indexes and manifests, release.json, and current.json last.
#
#   sh upload.sh output s3://boundaries [--endpoint-url https://...]
#
# Keep the bucket private: only the proxy may read it. Run this after each build; existing files are not uploaded again.
set -eu

out=$1
bucket=$2
shift 2

# Uploads the files of all releases whose names match a pattern: pattern, media type, further options.
upload() {
  pattern=$1
  type=$2
  shift 2
  aws s3 sync "$out/releases" "$bucket/releases" --exclude '*' --include "$pattern" --exclude '.*' \
    --content-type "$type" --cache-control 'public, max-age=31536000, immutable' "$@"
}

# Uploaded as gzip files, without Content-Encoding: hosts must not inflate them.
upload '*.gz' application/gzip "$@"
upload '*.idx' application/octet-stream "$@"
upload '*/manifest.json' application/json "$@"
upload '*/checksums.txt' text/plain "$@"
upload '*/release.json' application/json "$@"
aws s3 cp "$out/current.json" "$bucket/current.json" \
  --content-type application/json --cache-control no-cache "$@"
