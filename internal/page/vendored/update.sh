#!/bin/sh
# Fetches uPlot, at the version given or at the one in use, and takes the files that the page needs. Only who changes the version
# runs it; it needs npm.
set -eu
cd "$(dirname "$0")"
version=${1:-$(sed -n '1s|.*(v\([0-9.]*\)).*|\1|p' uPlot.iife.min.js)}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
(cd "$folder" && npm pack --silent "uplot@$version" >/dev/null && tar xzf uplot-*.tgz)
cp "$folder/package/dist/uPlot.iife.min.js" "$folder/package/dist/uPlot.min.css" "$folder/package/LICENSE" .
