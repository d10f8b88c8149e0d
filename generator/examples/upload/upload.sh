#!/bin/sh
# Copies the releases that current.json lists to a bucket with rclone, and current.json last, so that what is served is
# complete at every moment. What the bucket has is not copied again; a copy that was interrupted continues.
#
#   sh upload.sh OUTPUT REMOTE [--delete]
#   sh upload.sh output s3:boundaries/eu
#
# REMOTE is a place as rclone writes it. --delete then removes the releases that current.json does not list.
# In the environment: GRACE, seconds between the new current.json and the removal (10), and every option of rclone, e.g.
# RCLONE_TRANSFERS=32, RCLONE_DRY_RUN=true.
set -eu
# Otherwise rclone asks for a bucket to be created, which needs a further permission.
export RCLONE_S3_NO_CHECK_BUCKET="${RCLONE_S3_NO_CHECK_BUCKET-true}"
output=$1 remote=$2 delete=${3-}

# A copy: the file may be replaced meanwhile.
current=$(mktemp) there_already=$(mktemp)
trap 'rm -f "$current" "$there_already"' EXIT
cp "$output/current.json" "$current"
hosted=$(tr -d '\n" ' < "$current" | sed -n 's/.*hosted:\[\([^]]*\)\].*/\1/p' | tr ',' ' ')
[ -n "$hosted" ] || {
  echo "$output/current.json lists no release" >&2
  exit 1
}

# By size and MD5, which a listing has: times would need a request for each file. What is there is never overwritten.
copy() {
  rclone "$@" --checksum --immutable --fast-list --header-upload 'Cache-Control: public, max-age=31536000, immutable'
}

for id in $hosted; do
  release=$output/releases/$id there=$remote/releases/$id
  # Damage stays here: silence is success.
  (cd "$release" && sha256sum --quiet -c checksums.txt)
  # Another release with this id is refused before anything is copied into it.
  rclone cat "$there/release.json" > "$there_already" 2> /dev/null || :
  if [ -s "$there_already" ] && ! cmp -s "$there_already" "$release/release.json"; then
    echo "$there is another release; build this one under another id" >&2
    exit 1
  fi
  copy copy "$release" "$there" --exclude /release.json
  copy copyto "$release/release.json" "$there/release.json"
done
rclone copyto "$current" "$remote/current.json" --checksum --header-upload 'Cache-Control: no-cache'

[ "$delete" = --delete ] || exit 0
old=
for id in $(rclone lsf --dirs-only "$remote/releases"); do
  case " $hosted " in *" ${id%/} "*) ;; *) old="$old ${id%/}" ;; esac
done
# For the responses that are being sent.
[ -z "$old" ] || sleep "${GRACE-10}"
for id in $old; do
  # First, so that no release looks complete.
  rclone delete "$remote/releases/$id" --include /release.json
  rclone purge "$remote/releases/$id"
done
