#!/bin/sh
# Copies the releases that current.json lists to a bucket or a folder with rclone, and current.json last, so that what is
# served is complete at every moment. What is there is not copied again; a copy that was interrupted continues. What was
# copied is compared with checksums.txt before release.json follows.
#
#   sh upload.sh OUTPUT REMOTE [--drop] [--delete]
#   sh upload.sh output s3:boundaries/eu
#
# REMOTE is a place as rclone writes it. A release that is hosted there and not listed here would be gone for its
# clients: that is refused without --drop. --delete then removes the releases that current.json does not list, and the
# changes that are not there.
# In the environment: GRACE, seconds between the new current.json and the removal (10), and every option of rclone, e.g.
# RCLONE_TRANSFERS=32, RCLONE_DRY_RUN=true.
set -eu
# Otherwise rclone asks for a bucket to be created, which needs a further permission.
export RCLONE_S3_NO_CHECK_BUCKET="${RCLONE_S3_NO_CHECK_BUCKET-true}" LC_ALL=C
output=$1 remote=$2
shift 2
drop='' delete=''
for option; do
  case $option in
    --drop) drop=yes ;;
    --delete) delete=yes ;;
    *) echo "$option is no option of upload.sh: --drop, --delete" >&2 && exit 2 ;;
  esac
done

stop() {
  echo "$1" >&2
  exit 1
}

scratch=$(mktemp -d) probe=
trap 'rm -rf "$scratch" ${probe:+"$probe"}' EXIT
trap 'exit 1' HUP INT TERM
# A copy: the file may be replaced meanwhile.
cp "$output/current.json" "$scratch/current.json"
hosted_in() {
  tr -d '\n" ' < "$1" | sed -n 's/.*hosted:\[\([^]]*\)\].*/\1/p' | tr ',' ' '
}
hosted=$(hosted_in "$scratch/current.json")
[ -n "$hosted" ] || stop "$output/current.json lists no release"

# 3, 4, or no text: nothing is there yet.
rclone cat "$remote/current.json" > "$scratch/served" 2> "$scratch/errors" || [ $? = 3 ] || [ $? = 4 ] || stop "$(cat "$scratch/errors")"
served=$(hosted_in "$scratch/served")
[ -n "$served" ] || [ ! -s "$scratch/served" ] ||
  stop "$remote/current.json lists no release: it is not one of the generator; name another place"
dropped=
for id in $served; do
  case " $hosted " in *" $id "*) ;; *) dropped="$dropped $id" ;; esac
done
[ -z "$dropped" ] || [ -n "$drop" ] ||
  stop "$remote hosts$dropped, which $output/current.json does not list: their clients would get 410. Build beside a copy of what is hosted there, or say --drop"

# A file that appears on both sides shows that they are one folder, by whatever names, links or mounts. Where no file can be
# made, none can be removed.
if probe=$(mktemp "$output/releases/.upload.XXXXXX" 2> /dev/null); then
  seen=$(rclone lsf "$remote/releases/${probe##*/}" 2> /dev/null) || :
  rm -f "$probe"
  [ -z "$seen" ] || stop "$remote is the source, $output; name another place"
fi

# By size and MD5, which a listing has: times would need a request for each file.
put() {
  cache=$1
  shift
  rclone "$@" --checksum --copy-links --fast-list --header-upload "Cache-Control: $cache"
}
forever='public, max-age=31536000, immutable'

# MD5 and path of every file of a release but its release.json.
md5_of() {
  rclone md5sum "$@" --fast-list --exclude /release.json | sort
}

for id in $hosted; do
  release=$output/releases/$id there=$remote/releases/$id
  # 3 and 4: there is none yet.
  rclone cat "$there/release.json" > "$scratch/there" 2> "$scratch/errors" || [ $? = 3 ] || [ $? = 4 ] || stop "$(cat "$scratch/errors")"
  # Another release with this id is refused before anything is copied into it; the beginning of this one was cut off.
  head -c "$(wc -c < "$scratch/there")" "$release/release.json" | cmp -s - "$scratch/there" ||
    stop "$there is another release; build this one under another id"
  # Nothing to copy.
  if cmp -s "$release/release.json" "$scratch/there"; then
    ! rclone check "$release" "$there" --copy-links --fast-list 2> /dev/null || continue
    # Of one that was restored a part is here, without words, which each release has: the bucket must have all of it.
    if [ ! -e "$release/lv0/words.bin" ] && rclone check "$release" "$there" --one-way --copy-links --fast-list 2> /dev/null; then
      rclone lsf "$there" -R --files-only --fast-list | sort > "$scratch/names"
      sed 's/^[0-9a-f]*  //' "$release/checksums.txt" | sort | comm -23 - "$scratch/names" > "$scratch/lost"
      [ -s "$scratch/lost" ] || continue
      stop "$there lacks $(head -n 1 "$scratch/lost"), which is not here either: copy the release from where it was built"
    fi
  fi
  # Damage stays here: silence is success. MD5 first: what changes after it is found here or there.
  md5_of "$release" --copy-links > "$scratch/sent"
  (cd "$release" && sha256sum --quiet -c checksums.txt)
  # Not what an earlier attempt has left.
  put "$forever" sync "$release" "$there" --exclude /release.json --exclude /signed.json --exclude '/*.sig'
  # Signed again, they are others.
  put no-cache sync "$release" "$there" --include /signed.json --include '/*.sig'
  case ${RCLONE_DRY_RUN-} in 1 | [tT] | [tT]rue | TRUE) continue ;; esac
  # A listing has the sums; where it has none, or others, SHA-256 of what can be read there decides.
  md5_of "$there" | cmp -s - "$scratch/sent" ||
    rclone checksum sha256 "$release/checksums.txt" "$there" --download --one-way --exclude /release.json ||
    stop "$there is not what checksums.txt says; it is not published: run this again"
  put "$forever" copyto "$release/release.json" "$there/release.json"
  rclone cat "$there/release.json" | sha256sum | grep -q "^$(sed -n 's/  release\.json$//p' "$release/checksums.txt") " ||
    stop "$there/release.json is not what checksums.txt says; nothing is published: remove it there, and run this again"
done
# What became of the units between releases; with other options a pair has another file.
changes() {
  [ ! -d "$output/changes" ] ||
    put no-cache "$1" "$output/changes" "$remote/changes" --include '/*.csv.gz' --include /gone.bin --include '/*.sig'
}
changes copy
rclone copyto "$scratch/current.json" "$remote/current.json" --checksum --header-upload 'Cache-Control: no-cache'

[ -n "$delete" ] || exit 0
old=
for id in $(rclone lsf --dirs-only "$remote/releases"); do
  case " $hosted " in *" ${id%/} "*) ;; *) old="$old ${id%/}" ;; esac
done
# For the responses that are being sent.
[ -z "$old" ] || sleep "${GRACE-10}"
changes sync
for id in $old; do
  # First, so that no release looks complete.
  rclone delete "$remote/releases/$id" --include /release.json
  rclone purge "$remote/releases/$id"
done
