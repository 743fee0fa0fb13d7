#!/bin/sh
# Runs the check from a clone of this repository, and installs it there the first time: for GitHub, pre-commit, and by hand.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
if [ ! -d "$root/node_modules/ajv" ]; then
  npm ci --prefix "$root" -w @contract-first/check --omit=dev --ignore-scripts --silent >&2
fi
exec node "$here/bin/contract.js" "$@"
