#!/bin/sh
# Publishes the next release, or verifies the one that is served, unattended. A release is built, verified, made current,
# copied to a bucket if there is one, and old ones are pruned. Whatever fails, the release before is still served; run
# again with the same id, which is the date unless `release=` names one, it goes on where it has failed.
#
#   release.sh SETTINGS            publishes
#   release.sh SETTINGS verify     verifies what is served, in the bucket if there is one
#
# SETTINGS is a file of a shell, see release.conf. Exit codes: 2 a mistake in the call or the settings, 10 build, 11 verify,
# 12 activate, 13 upload, 14 prune, 75 another run has not ended.
set -eu
export LC_ALL=C

stop() {
  code=$1
  shift
  echo "release.sh: $*" >&2
  exit "$code"
}

[ $# -ge 1 ] && [ $# -le 2 ] || stop 2 'usage: release.sh SETTINGS [verify]'
[ -r "$1" ] || stop 2 "$1 cannot be read"
command=${2-publish}
case $command in publish | verify) ;; *) stop 2 "$command is no command: verify, or nothing to publish" ;; esac

output='' config='' generator=boundaries-generator keep=3 remote='' upload='' metrics='' release='' verify_options=''
# shellcheck source=release.conf
. "$1"
[ -n "$output" ] || stop 2 "$1 does not say output="
[ "$command" = verify ] || [ -r "$config" ] || stop 2 "$1: config=$config cannot be read"
[ -z "$remote" ] || [ -r "$upload" ] || stop 2 "$1: upload=$upload cannot be read, which copies to $remote"
case $keep in '' | *[!0-9]* | 0) stop 2 "$1: keep=$keep is no number of releases" ;; esac

# One run at a time: the settings are the lock.
exec 9< "$1"
flock --nonblock 9 || stop 75 'another run has not ended'

# Metrics for the textfile collector of the node exporter, replaced as a whole: it reads at any time.
write_metrics() {
  [ -n "$metrics" ] || return 0
  cat > "$metrics/boundaries-$command.prom.new"
  mv "$metrics/boundaries-$command.prom.new" "$metrics/boundaries-$command.prom"
}
metric() {
  printf '# HELP boundaries_%s %s\n# TYPE boundaries_%s gauge\nboundaries_%s%s %s\n' "$1" "$2" "$1" "$1" "$3" "$4"
}

# Of current.json: the release that is current, and the digest of its release.json.
current() {
  sed -n 's/^ *"release": *"\([^"]*\)".*/\1/p' "$output/current.json" 2> /dev/null | head -n 1
}

report() {
  status=$?
  trap - EXIT
  id=$(current) verified=0
  if [ "$command" = publish ]; then
    {
      metric release_run_exit_code 'How the last run of release.sh ended: 0, or the step that failed' '' "$status"
      metric release_run_timestamp_seconds 'When it ended, in seconds since 1970' '' "$(date +%s)"
      if [ -n "$id" ]; then
        digest=$(sha256sum < "$output/releases/$id/release.json") || digest=unknown
        metric published_info 'The release that was published last: always 1' \
          "{release=\"$id\",digest=\"${digest%% *}\"}" 1
      fi
    } | write_metrics
  else
    [ "$status" != 0 ] || verified=$(date +%s)
    [ "$verified" != 0 ] || [ -z "$metrics" ] ||
      verified=$(sed -n 's/^boundaries_verify_timestamp_seconds //p' "$metrics/boundaries-verify.prom" 2> /dev/null) ||
      verified=0
    {
      metric verify_exit_code 'How the last check of what is served ended: 0, or 11 with a fault' '' "$status"
      metric verify_timestamp_seconds 'When it last found no fault, in seconds since 1970' '' "${verified:-0}"
    } | write_metrics
  fi
  exit "$status"
}
trap report EXIT
trap 'exit 1' HUP INT TERM

if [ "$command" = verify ]; then
  id=$(current)
  [ -n "$id" ] || stop 11 "$output/current.json names no release"
  # shellcheck disable=SC2086
  $generator verify --out "$output" --quiet $verify_options || stop 11 "release $id in $output is not what was built"
  [ -z "$remote" ] ||
    rclone checksum sha256 "$output/releases/$id/checksums.txt" "$remote/releases/$id" --download --one-way ||
    stop 11 "release $id in $remote is not what was built: remove its damaged files, and run upload.sh"
  echo "release $id is what was built"
  exit 0
fi

id=${release:-$(date +%Y-%m-%d)}
if [ -e "$output/releases/$id/release.json" ]; then
  echo "release $id is built already"
else
  # shellcheck disable=SC2086
  $generator build --config "$config" --out "$output" --release "$id" --no-activate --quiet ||
    stop 10 "release $id is not built; $(current) is still served"
fi
# shellcheck disable=SC2086
$generator verify --out "$output" --release "$id" --quiet $verify_options ||
  stop 11 "release $id is damaged; $(current) is still served. Remove it and run this again: $generator remove $id --out $output"
[ "$(current)" = "$id" ] || $generator activate "$id" --out "$output" --quiet ||
  stop 12 "release $id is not current; $(current) is still served"
[ -z "$remote" ] || sh "$upload" "$output" "$remote" || stop 13 "release $id is not copied to $remote: run this again"
$generator prune --keep "$keep" --out "$output" --quiet || stop 14 "release $id is served, but older ones are not removed"
# What was pruned here is the only difference now.
[ -z "$remote" ] || sh "$upload" "$output" "$remote" --drop --delete ||
  stop 14 "release $id is served, but older ones are not removed from $remote"
echo "release $id is published"
