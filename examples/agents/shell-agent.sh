#!/bin/sh
# A small agent: carries out a plan, one shell command per line, and repeats each until it succeeds. It logs what
# it does as JSON lines. When Holter sends a nudge, it gives the step up and continues with the next.
#
#   shell-agent.sh --log FILE [--pause SECONDS] PLAN
#
# The log:
#   {"event":"started","agent":"shell-agent","plan":"plan.txt"}
#   {"event":"call","id":"812-1","command":"make test"}
#   {"event":"result","id":"812-1","exit":2,"output":"…"}
#   {"event":"said","text":"I give up: make test"}
#   {"event":"done","exit":1}
set -u

usage() {
  echo "usage: shell-agent.sh --log FILE [--pause SECONDS] PLAN" >&2
  exit 2
}

log_file= pause=1
while [ $# -gt 1 ]; do
  case $1 in
    --log) log_file=$2 ;;
    --pause) pause=$2 ;;
    *) usage ;;
  esac
  shift 2
done
plan=${1:-}
[ -n "$log_file" ] && [ -r "$plan" ] || usage

# A text as a JSON string.
quote() {
  printf '%s' "$1" | LC_ALL=C tr -d '\000-\010\013-\037' | sed 's/\\/\\\\/g; s/"/\\"/g; s/	/\\t/g' |
    awk 'BEGIN { printf "\"" } { printf "%s%s", (NR > 1 ? "\\n" : ""), $0 } END { printf "\"" }'
}
log() { printf '%s\n' "$1" >>"$log_file"; }

# True if Holter sent a nudge. The file is emptied to confirm that it was read.
is_nudged() {
  [ -s "${HOLTER_NUDGE_FILE:-/dev/null}" ] || return 1
  : >"$HOLTER_NUDGE_FILE"
}

log "{\"event\":\"started\",\"agent\":\"shell-agent\",\"plan\":$(quote "$plan")}"
calls=0 exit_code=0
while IFS= read -r command || [ -n "$command" ]; do
  while :; do
    calls=$((calls + 1))
    id="$$-$calls"
    log "{\"event\":\"call\",\"id\":\"$id\",\"command\":$(quote "$command")}"
    output=$(sh -c "$command" 2>&1 </dev/null)
    code=$?
    log "{\"event\":\"result\",\"id\":\"$id\",\"exit\":$code,\"output\":$(quote "$output")}"
    [ "$code" -ne 0 ] || break
    if is_nudged; then
      log "{\"event\":\"said\",\"text\":$(quote "I give up: $command")}"
      exit_code=1
      break
    fi
    sleep "$pause"
  done
done <"$plan"
log "{\"event\":\"done\",\"exit\":$exit_code}"
exit "$exit_code"
