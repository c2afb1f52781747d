package account

import (
	"bytes"
	"errors"
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

// known is what the sources of a program know: memory of each kind, of which one page in two is touched.
type known struct {
	Sources
	half, recorded int64 // the latter of malloc's
}

const ballast = 1 << 20 // of Go's heap

func knownSources(t *testing.T) known {
	t.Helper()
	const n = 100
	k := known{half: n / 2 * page}
	objects := bytes.Repeat([]byte{1}, 2*ballast)
	t.Cleanup(func() { runtime.KeepAlive(objects) })
	debug.FreeOSMemory() // as in TestASurveyOfAProgramWhoseMemoryIsKnown
	anonymous := func() Range { return rangeOf(mapped(t, -1, n, unix.MAP_PRIVATE|unix.MAP_ANON)) }
	file, shared := rangeOf(mapped(t, int(tempFile(t, n).Fd()), n, unix.MAP_PRIVATE)), rangeOf(mapped(t, -1, n, unix.MAP_SHARED|unix.MAP_ANON))
	tables, heap, large, byCall, stack := anonymous(), anonymous(), anonymous(), anonymous(), anonymous()
	k.Tables = func() []Range { return []Range{tables} }
	k.Malloc = []Malloc{{HasResidency: true, ShareRead: 1, InUse: uint64(k.half), FreeResident: 3 * uint64(page), Ranges: []Range{heap}}}
	k.Blocks = []Block{{Range: large}}
	k.Mapped = []Mapped{{Range: byCall}, {Range: file}, {Range: shared}}
	k.Fits = func(i int, shared, inode bool) bool { return shared == (i == 2) && inode == (i > 0) }
	k.Stacks = []Stack{{Range: stack, Thread: 1}}
	return k
}

// account makes the account in a /proc, in which 10 pages of the heap are recorded besides the large block.
func (k *known) account(t *testing.T, proc string) *Account {
	t.Helper()
	var memory scratch.Memory
	defer memory.Free()
	v := Take(usage.Kernel{Proc: proc}, &k.Sources, &memory)
	r := Recorded{Size: Size{Resident: 10 * page}}
	r.plus(k.Blocks[0].Size)
	k.recorded = r.Resident
	return v.Account(r)
}

// lines compares lines that are known without /proc, and looks for a reason in the others. It returns the sum of all.
func (k *known) lines(t *testing.T, a *Account, reason error) (sum int64) {
	t.Helper()
	got := residentOf(a)
	for name, want := range map[string]int64{Tables: k.half, MappedBy: k.half, Stacks: k.half, Native: k.recorded, Free: 3 * page,
		Unrecorded: k.half - 13*page} {
		if got[name] != want {
			t.Errorf("%s: %d, want %d", name, got[name], want)
		}
	}
	if k.recorded != 10*page+k.half || got[GoObjects] < ballast || got[GoStacks] == 0 || got[GoOther] == 0 {
		t.Errorf("%+v", got)
	}
	unread := make(map[string]bool)
	for _, l := range a.Lines {
		sum += l.Resident
		unread[l.Name] = errors.Is(l.Err, reason)
	}
	for _, name := range []string{Code, Data, Written, Files, Shared, CallerUnknown} {
		if !unread[name] || got[name] != 0 {
			t.Errorf("%s: %d bytes, and no reason", name, got[name])
		}
	}
	if a.RSS.Resident != sum || !errors.Is(a.Err, reason) {
		t.Errorf("RSS %d, the lines add up to %d: %v", a.RSS.Resident, sum, a.Err)
	}
	return sum
}

// Without any file of the kernel's, what needs none stands.
func TestAProcWithoutFilesSaysSo(t *testing.T) {
	k := knownSources(t)
	a := k.account(t, t.TempDir())
	k.lines(t, a, fs.ErrNotExist)
	if text := a.Err.Error(); !strings.Contains(text, "maps") || !strings.Contains(text, "RSS is the sum of what is known: ") {
		t.Error(text)
	}
}

// A list without a mapping is no list.
func TestAnEmptyListOfMappingsSaysSo(t *testing.T) {
	k := knownSources(t)
	for _, name := range []string{"maps", "smaps"} {
		proc := statm(t, "9000000 8000000 0\n")
		for _, empty := range []string{"maps", name} {
			if err := os.WriteFile(filepath.Join(proc, "self", empty), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		a := k.account(t, proc)
		if k.lines(t, a, errEmpty); a.RSS.Resident != 8000000*page || residentOf(a)[Unexplained] == 0 {
			t.Errorf("RSS %d: %+v", a.RSS.Resident, a.Lines)
		}
	}
}

// Without mincore, figures of the owners remain. Large blocks count as resident.
func TestWithoutListAndMincoreFiguresStand(t *testing.T) {
	k := knownSources(t)
	k.Malloc[0].HasResidency, k.Malloc[0].HasFigures, k.Malloc[0].Free = false, true, uint64(7*page)
	v := Survey{malloc: k.Malloc, maps: fs.ErrNotExist, whole: fs.ErrNotExist, blind: unix.EPERM, golang: goMemory{objects: 40, stacks: 30, free: 20, unused: 5}, goOther: 3}
	a := v.Account(Recorded{Size: Size{Resident: 10 * page}, Bytes: 10 * page})
	want := map[string]int64{GoObjects: 40, GoStacks: 30, GoFree: 25, GoOther: 3, Native: 10 * page, Unrecorded: k.half - 10*page, Free: 7 * page}
	for name := range sentences {
		if got := residentOf(a)[name]; got != want[name] {
			t.Errorf("%s: %d, want %d", name, got, want[name])
		}
	}
	if !errors.Is(a.Err, unix.EPERM) || !errors.Is(a.Err, fs.ErrNotExist) {
		t.Error(a.Err)
	}
}

// A claim of which a part was unmapped by a call that nobody saw counts as far as it is mapped.
func TestAClaimWithHolesWithoutList(t *testing.T) {
	const n = 64
	b := mapped(t, -1, n, unix.MAP_PRIVATE|unix.MAP_ANON)
	whole := rangeOf(b)
	for i := range b {
		b[i] = 1
	}
	part := func(at, pages int64) (start, bytes uintptr) {
		return uintptr(whole.Start) + uintptr(at*page), uintptr(pages * page)
	}
	for _, hole := range [][2]int64{{0, 3}, {17, 1}, {40, 20}} {
		start, bytes := part(hole[0], hole[1])
		// Nobody can map memory there unnoticed by the kernel, but memory without access would count as mapped.
		if _, _, errno := unix.Syscall(unix.SYS_MUNMAP, start, bytes, 0); errno != 0 {
			t.Fatal(errno)
		}
		defer unix.Syscall6(unix.SYS_MMAP, start, bytes, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_FIXED, ^uintptr(0), 0)
	}
	var memory scratch.Memory
	defer memory.Free()
	v := Take(usage.Kernel{Proc: t.TempDir()}, &Sources{Mapped: []Mapped{{Range: whole}}}, &memory)
	if got, want := v.Mapped[0].Anonymous.Resident, (n-24)*page; got != want {
		t.Errorf("%d bytes, want %d", got, want)
	}
}

// A sum that is far from the kernel's figure is never silent.
func TestTheSumIsComparedWithTheKernels(t *testing.T) {
	for about, c := range map[string]struct {
		sum, statm, rollup int64 // MiB; no smaps_rollup if 0
		doubted, explained bool
	}{
		"as the kernel says":                      {1000, 1000, 0, false, false},
		"memory comes and goes":                   {1240, 1000, 0, false, false},
		"the kernel's figure lags behind":         {1000, 700, 1001, false, false},
		"pages are counted twice":                 {2000, 1000, 1000, true, false},
		"twice, where nobody knows it exactly":    {2000, 1000, 0, true, false},
		"pages are not seen":                      {500, 1000, 1000, true, true},
		"a small process whose figure is unknown": {20, 0, 0, false, false},
	} {
		proc := t.TempDir()
		if c.statm > 0 {
			proc = statm(t, "9000000 "+strconv.FormatInt(c.statm<<20/page, 10)+" 0\n")
		}
		if c.rollup > 0 {
			text := "0-1 ---p 0 00:00 0 [rollup]\nRss:  " + strconv.FormatInt(c.rollup<<10, 10) + " kB\n"
			if err := os.WriteFile(filepath.Join(proc, "self/smaps_rollup"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		v := Survey{kernel: usage.Kernel{Proc: proc}}
		v.found[nobody][anonymous].Resident = c.sum << 20
		v.readRSS()
		v.readRSS()
		a := v.Account(Recorded{})
		if got := residentOf(a)[Unexplained]; (a.Err != nil) != c.doubted || (got != 0) != c.explained || c.explained && a.RSS.Resident != c.statm<<20 {
			t.Errorf("%s: %v, %d unexplained, RSS %d", about, a.Err, got, a.RSS.Resident)
		}
	}
}
