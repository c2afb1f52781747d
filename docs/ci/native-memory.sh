#!/bin/sh
# Compares the native memory of benchmarks with that of an earlier commit: native-memory.sh COMMIT PACKAGE...
# Run it in the folder of go.mod. Writes comment.md there, for the pull request, and prints all. Exits with 1 if a limit is exceeded,
# with 2 if something could not be compared or no benchmark has recorded anything.
set -euf
base=$1
shift
work=$(mktemp -d)
trap 'git worktree remove --force "$work/tree" 2>/dev/null || true; rm -rf "$work"' EXIT
mkdir "$work/before" "$work/after"
folder=$work/tree/$(git rev-parse --show-prefix)

# A fixed number of iterations makes the sums of both comparable. The linker's flags keep the names of C functions.
bench() {
	out=$1
	shift
	CGOHEAP_BENCH_DIR=$out go test -run '^$' -bench . -benchtime 100x -ldflags='-s=false -w=false' "$@"
}
: >comment.md
git worktree add --quiet --detach "$work/tree" "$base" || exit 2
(cd "$folder" && bench "$work/before" "$@") || exit 2
bench "$work/after" "$@" || exit 2

# A peak depends on when the garbage collector and other threads run, so it has no limit here.
profiles() { (cd "$1" && find . -name '*.pb.gz' ! -name '*.peak.pb.gz' | sed 's|^\./||' | sort); }

# add prints a part, and has it in the comment unless that becomes too large for GitHub, which takes 65,536 characters.
add() {
	cat "$work/part"
	if test $(($(wc -c <"$work/body") + $(wc -c <"$work/part"))) -le 60000; then cat "$work/part" >>"$work/body"; else more=$((more + 1)); fi
}
: >"$work/body"
status=0 within=0 more=0
for name in $(profiles "$work/after"); do
	title=${name%.pb.gz} code=0
	if test -e "$work/before/$name"; then
		cgoheap diff -markdown -fail 'allocated > 2% + 8KiB' -fail 'allocations > 2% + 20' -fail 'in use > 8KiB' -fail 'blocks in use > 20' \
			"$work/before/$name" "$work/after/$name" >"$work/difference" || code=$?
	else
		code=new
	fi
	case $code in
	0) within=$((within + 1)) && continue ;;
	1) { printf '\n## %s\n\n' "$title" && cat "$work/difference"; } >"$work/part" ;;
	new) printf '\nRecorded after, not before: `%s`\n' "$title" >"$work/part" ;;
	*) printf '\nNot compared, as the log says: `%s`\n' "$title" >"$work/part" ;;
	esac
	add
	test $code = new || test $code -le $status || status=$code
done
for name in $(profiles "$work/before"); do
	test -e "$work/after/$name" && continue
	printf '\nRecorded before, not after: `%s`\n' "${name%.pb.gz}" >"$work/part"
	add
done
if test -z "$(profiles "$work/after")"; then
	echo "Nothing was recorded: no benchmark calls nativebench.Report, or CGOHEAP=off is set." >&2
	exit 2
fi
{
	echo '<!-- native-memory.sh -->' # by which the workflow finds its comment
	echo "Native memory: benchmarks that keep their limits: $within."
	cat "$work/body"
	test $more = 0 || printf '\n%s more are in the log.\n' $more
} >comment.md
exit $status
