#!/bin/sh
# Compares what is recorded of CUDA's devices with what the driver says, on a machine with a card: PASS, or what differs.
#
#	check.sh [FOLDER]
#
# It builds with go what it runs, or takes it from FOLDER, where another machine built it: check.sh -build FOLDER. It asks
# PyTorch too, if python3 has it. It has been run here against a stand-in for the driver, cgo/testdata/cuda, of which nothing but
# the calls is real: LD_LIBRARY_PATH=FOLDER-OF-THE-STAND-IN e2e/device/check.sh. No card was at hand. What it runs ends within
# five minutes: the limits below are less in all.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=
if [ "${1-}" = -build ]; then
	build=1
	shift
fi
folder=${1-}
if [ -z "$folder" ]; then
	folder=$(mktemp -d)
	trap 'rm -rf "$folder"' EXIT
fi
if [ ! -x "$folder/device" ]; then
	mkdir -p "$folder"
	folder=$(cd "$folder" && pwd)
	(cd "$here/.." && go build -o "$folder/device" ./device && go build -buildmode=c-shared -o "$folder/libdevice.so" ./device)
	(cd "$here/../.." && go build -o "$folder/cgoheap" ./cmd/cgoheap)
	(cd "$folder" && XDG_CACHE_HOME="$folder/cache" ./cgoheap run -device -o made.pb.gz true && rm made.pb.gz) # makes its library
fi
[ -z "$build" ] || exit 0

status=0
timeout -k 5 80 "$folder/device" || status=1

# In a program of another's: the library is preloaded, so its hooks come first.
if command -v python3 >/dev/null; then
	LD_PRELOAD="$folder/libdevice.so" timeout -k 5 120 python3 "$here/check.py" "$folder/libdevice.so" || status=1
	# The same, without a line of Go in it.
	held=$(mktemp -d)
	XDG_CACHE_HOME="$folder/cache" timeout -k 5 80 "$folder/cgoheap" run -device -json -o "$held/p.pb.gz" python3 "$here/held.py" >"$held/out" 2>"$held/err" || status=1
	python3 - "$held/out" "$held/err" <<'END' || status=1
import json, sys
used, lines = int(open(sys.argv[1]).read()), open(sys.argv[2]).read().splitlines()
recorded = json.loads(lines[-1])["devices"]["inuse_bytes"]
print(f"cgoheap run: {used} bytes by the driver, {recorded} recorded" + ("" if used == recorded else ": these differ"))
sys.exit(used != recorded)
END
	rm -r "$held"
else
	echo "left out: python3 is not here"
fi
[ $status = 0 ] && echo PASS || echo FAIL
exit $status
