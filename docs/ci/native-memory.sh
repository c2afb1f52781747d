#!/bin/sh
# Compares the native memory of benchmarks with that of an earlier commit: native-memory.sh COMMIT PACKAGE...
# Writes comment.md, for the pull request. Exits with 1 if a limit is exceeded, with 2 if something could not be compared.
set -eu
base=$1
shift
work=$(mktemp -d)
trap 'git worktree remove --force "$work/tree" 2>/dev/null || true; rm -rf "$work"' EXIT

# A fixed number of iterations makes the sums of both comparable. The linker's flags keep the names of C functions.
bench() {
	out=$1
	shift
	CGOHEAP_BENCH_DIR=$out go test -run '^$' -bench . -benchtime 100x -ldflags='-s=false -w=false' "$@"
}
: >comment.md
git worktree add --quiet --detach "$work/tree" "$base" || exit 2
(cd "$work/tree" && bench "$work/before" "$@") || exit 2
bench "$work/after" "$@" || exit 2

# compare adds a benchmark's profile to the comment. One that only one commit has is not compared.
status=0
compare() {
	test -e "$work/before/$name" || return 0
	printf '\n## %s\n\n' "${name%.pb.gz}" >>comment.md
	cgoheap diff -markdown "$@" "$work/before/$name" "$work/after/$name" >>comment.md || { code=$?; test $code -le $status || status=$code; }
}
for file in $(find "$work/after" -name '*.pb.gz' | sort); do
	name=${file#"$work/after/"}
	case $name in
	*.peak.pb.gz) compare -fail 'peak > 5%' ;;
	*) compare -fail 'allocated > 2%' -fail 'allocations > 2%' -fail 'in use > 4KiB' ;;
	esac
done
test -s comment.md || echo "Native memory: no benchmark of both commits calls nativebench.Report." >comment.md
cat comment.md
exit $status
