#!/usr/bin/env bash
# Run one long step with a one-line progress display: tools/step.sh LABEL COMMAND [ARG...]
# The command's output is shown only when it fails.
set -euo pipefail

label=$1
shift
log=$(mktemp)
trap 'rm -f "$log"' EXIT

"$@" >"$log" 2>&1 &
pid=$!
trap 'kill "$pid" 2>/dev/null || true; exit 130' INT TERM
SECONDS=0
if [ -t 1 ]; then
    while kill -0 "$pid" 2>/dev/null; do
        printf '\r%s … %d s ' "$label" "$SECONDS"
        sleep 1
    done
    printf '\r'
fi
printf '%s … ' "$label"
if wait "$pid"; then
    printf 'done in %d s\n' "$SECONDS"
else
    status=$?
    printf 'FAILED after %d s\n' "$SECONDS"
    tail -n 40 "$log"
    exit "$status"
fi
