#!/usr/bin/env bash
# Builds Parca with its web page: page.sh OUTPUT. The Go module has the page's sources only, and a Parca built from it
# alone serves none. Needs Node.js and npm; about 1 GB in a scratch folder while it runs.
set -euo pipefail

output=$(realpath -m "$1")
cd "$(dirname "$0")"
module=github.com/parca-dev/parca
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

go mod download "$module"
cp -r --no-preserve=mode "$(go list -m -f '{{.Dir}}' "$module")" "$scratch/parca"
cp go.mod go.sum "$scratch"
go mod edit -replace "$module=$scratch/parca" "$scratch/go.mod"

cd "$scratch/parca/ui"
NX_DAEMON=false npm exec --yes --package=pnpm@9.15.9 -- sh -c "
	pnpm install --frozen-lockfile --ignore-scripts --reporter=silent --filter '@parca/web...' &&
	pnpm exec lerna run build --concurrency 1 --loglevel warn"

cd "$OLDPWD"
go build -modfile="$scratch/go.mod" -o "$output" tool
