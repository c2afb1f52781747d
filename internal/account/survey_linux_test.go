package account

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/usage"
)

// The slow road: smaps, line by line.
func TestASurveyOfAProgramWhoseMemoryIsKnown(t *testing.T) {
	const n = 2048
	f := tempFile(t, n)
	tables, blocks := mapped(t, -1, n, unix.MAP_PRIVATE|unix.MAP_ANON), mapped(t, -1, n, unix.MAP_PRIVATE|unix.MAP_ANON)
	calls, unseen := mapped(t, -1, n, unix.MAP_PRIVATE|unix.MAP_ANON), mapped(t, -1, n, unix.MAP_PRIVATE|unix.MAP_ANON)
	mapped(t, int(f.Fd()), n, unix.MAP_SHARED)
	mapped(t, -1, n, unix.MAP_SHARED|unix.MAP_ANON)
	known := steady(t)
	base := take(t, nil)
	_ = unseen
	touched := rangeOf(blocks)
	s := Sources{
		Tables: func() []Range { return []Range{rangeOf(tables)} },
		Malloc: []Malloc{{HasResidency: true, ShareRead: 1, FreeResident: uint64(page), Ranges: []Range{touched}}},
		Mapped: []Mapped{{Range: rangeOf(calls)}},
		Blocks: []Block{{Range: Range{touched.Start, touched.Start + 100*uint64(page)}}},
	}
	a := take(t, &s)
	got, before := residentOf(a), residentOf(base)
	half := n / 2 * page
	if got[Tables] != half || got[MappedBy] != half {
		t.Errorf("%s: %d, %s: %d, want %d", Tables, got[Tables], MappedBy, got[MappedBy], half)
	}
	if got[Free] != page || got[Native] != 50*page || got[Unrecorded] != half-51*page {
		t.Errorf("malloc: %d, %d, %d", got[Free], got[Native], got[Unrecorded])
	}
	if files, shared := got[Files], got[Shared]; files < half || shared != half {
		t.Errorf("%s: %d, %s: %d, want at least %d", Files, files, Shared, shared, half)
	}
	if who := before[CallerUnknown] - got[CallerUnknown]; who < 3*half-half/2 || got[CallerUnknown] < half {
		t.Errorf("%s: %d, and %d with what claimed nothing", CallerUnknown, got[CallerUnknown], before[CallerUnknown])
	}
	// Where a span is not yet filled, its last pages are not resident, which lowers the line of the objects.
	const unfilled = 4 << 20
	if got[GoObjects] < known-unfilled || before[GoObjects] < known-unfilled {
		t.Errorf("%s: %d, of which %d are known", GoObjects, got[GoObjects], known)
	}
}

// steady has the process's resident memory change by less than a hundredth until the test ends: nothing is collected, and objects of as
// many bytes as it returns are there.
func steady(t *testing.T) (objects int64) {
	percent := debug.SetGCPercent(-1)
	ballast := bytes.Repeat([]byte{1}, 128<<20)
	t.Cleanup(func() { runtime.KeepAlive(ballast); debug.SetGCPercent(percent) })
	debug.FreeOSMemory() // otherwise Go may count memory as free that no earlier test has touched, and objects lack as much
	return int64(len(ballast))
}

func TestWhatIsMappedCountsForItsLine(t *testing.T) {
	const n = 100
	f := tempFile(t, n)
	list := []Mapped{{Range: rangeOf(mapped(t, -1, n, unix.MAP_PRIVATE|unix.MAP_ANON))}, {Range: rangeOf(mapped(t, int(f.Fd()), n, unix.MAP_PRIVATE))},
		{Range: rangeOf(mapped(t, -1, n, unix.MAP_SHARED|unix.MAP_ANON))}, {Range: rangeOf(mapped(t, -1, n, unix.MAP_PRIVATE|unix.MAP_ANON)), Kind: Go}}
	half := Size{Resident: n / 2 * page}
	var memory scratch.Memory
	defer memory.Free()
	v := Take(usage.Running, &Sources{Mapped: list}, &memory)
	for i, want := range []ByLine{{Anonymous: half}, {Files: half}, {Shared: half}, {}} {
		if v.Mapped[i] != want {
			t.Errorf("%d: %+v, want %+v", i, v.Mapped[i], want)
		}
	}
	if got := residentOf(v.Account(Recorded{})); got[GoOther] != half.Resident || got[MappedBy] != half.Resident {
		t.Errorf("%+v", got)
	}
	unfit := func(i int, shared, inode bool) bool {
		if shared != (i == 2) || inode != (i == 1 || i == 2) {
			t.Errorf("%d: shared is %v, and has an inode is %v", i, shared, inode)
		}
		return false
	}
	v = Take(usage.Running, &Sources{Mapped: list, Fits: unfit}, &memory)
	if got := residentOf(v.Account(Recorded{})); got[GoOther] != 0 || got[MappedBy] != 0 || v.Mapped[0] != (ByLine{}) {
		t.Errorf("calls that cannot have mapped what is there: %+v, %+v", got, v.Mapped)
	}
}

// take makes an account whose recorded blocks are those of the sources.
func take(t *testing.T, s *Sources) *Account {
	t.Helper()
	var memory scratch.Memory
	defer memory.Free()
	if s == nil {
		s = &Sources{}
	}
	before := rollup(t)
	v := Take(usage.Running, s, &memory)
	after := rollup(t)
	var r Recorded
	for _, b := range s.Blocks {
		r.plus(b.Size)
	}
	a := v.Account(r)
	if a.Err != nil {
		t.Error(a.Err)
	}
	a.addsUp(t, before, after)
	return a
}

// addsUp compares the sum of the lines with what the kernel counted before and after.
func (a *Account) addsUp(t *testing.T, before, after int64) {
	t.Helper()
	if sum := a.RSS.Resident; sum < min(before, after)/100*99 || sum > max(before, after)/100*101 {
		t.Errorf("the lines add up to %d, the kernel counts %d before and %d after: %+v", sum, before, after, a.Lines)
	}
}

// rollup returns Rss of smaps_rollup.
func rollup(t *testing.T) int64 {
	t.Helper()
	text, err := os.ReadFile("/proc/self/smaps_rollup")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); fields[0] == "Rss:" {
			kib, err := strconv.ParseInt(fields[1], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return kib << 10
		}
	}
	t.Fatal("smaps_rollup has no Rss")
	return 0
}

// With maps, and without pagemap, anonymous memory is still counted.
func TestAProcWithoutPagemap(t *testing.T) {
	b := mapped(t, -1, 1000, unix.MAP_PRIVATE|unix.MAP_ANON)
	proc := statm(t, "10000000 9000000 0\n") // more than the race detector maps
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(proc, "self/maps"), maps, 0o600); err != nil {
		t.Fatal(err)
	}
	var memory scratch.Memory
	defer memory.Free()
	v := Take(usage.Kernel{Proc: proc}, &Sources{Tables: func() []Range { return []Range{rangeOf(b)} }}, &memory)
	a := v.Account(Recorded{})
	if got := residentOf(a); got[Tables] != 500*page || a.RSS.Resident != 9000000*page || got[Unexplained] == 0 {
		t.Errorf("%+v", a)
	}
	unread := 0
	for _, l := range a.Lines {
		if l.Err != nil {
			unread++
		}
	}
	if unread != 5 || !errors.Is(a.Err, fs.ErrNotExist) {
		t.Errorf("%d lines are not readable: %v", unread, a.Err)
	}
}

func TestArenasAreKnownByTheirSpans(t *testing.T) {
	own := make([]byte, 1<<20)
	at := rangeOf(own)
	if !inArena(Range{at.Start &^ (arenaBytes - 1), at.Limit}) {
		t.Error("an object of Go's heap is in no arena")
	}
	other := rangeOf(mapped(t, -1, 1000, unix.MAP_PRIVATE|unix.MAP_ANON))
	if inArena(other) {
		t.Error("memory that the program mapped is in an arena")
	}
	runtime.KeepAlive(own)
}

// A hundred thousand mappings must not take memory for each.
func TestMemoryOfASurveyIsBounded(t *testing.T) {
	var text strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&text, "%x-%x r--p 00000000 00:00 0 \n", 0x1000_0000_0000+i*0x2000, 0x1000_0000_0000+i*0x2000+0x1000)
	}
	maps := mapsFile(t, text.String())
	allocated := testing.AllocsPerRun(3, func() {
		for _, err := range areas(maps) {
			if err != nil {
				t.Fatal(err)
			}
		}
	})
	if allocated > 50 {
		t.Errorf("%v allocations", allocated)
	}
}
