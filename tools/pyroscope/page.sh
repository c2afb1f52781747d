#!/usr/bin/env bash
# Builds Pyroscope with its web page: page.sh OUTPUT. The Go module has the page's sources only. Needs Node.js and npm.
#
# The page's own lock file is not used: it pins @grafana/flamegraph 12.4.2, here it is 13.0.1, and one of its packages comes
# from GitHub. The files in folder page are in their place; what they leave out the page never shows.
set -euo pipefail

output=$(realpath -m "$1")
cd "$(dirname "$0")"
module=github.com/grafana/pyroscope
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

go mod download "$module"
cp -r --no-preserve=mode "$(go list -m -f '{{.Dir}}' "$module")" "$scratch/pyroscope"
cp go.mod go.sum "$scratch"
go mod edit -replace "$module=$scratch/pyroscope" "$scratch/go.mod"

rm "$scratch/pyroscope/ui/yarn.lock"
cp page/* "$scratch/pyroscope/ui"
cd "$scratch/pyroscope/ui"
npm install --legacy-peer-deps --ignore-scripts --no-audit --no-fund --loglevel=error
patch --silent -p1 -d node_modules/react-custom-scrollbars-2 <.yarn/patches/react-custom-scrollbars-2-*.patch # the page's own
npm exec -- vite build --config page.config.js --logLevel error

cd "$OLDPWD"
CGO_ENABLED=0 go build -modfile="$scratch/go.mod" -tags embedassets -o "$output" tool
