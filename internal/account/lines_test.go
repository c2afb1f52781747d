package account

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/internal/usage"
)

var page = int64(os.Getpagesize())

// statm makes a /proc with this file.
func statm(t *testing.T, text string) (proc string) {
	t.Helper()
	proc = t.TempDir()
	if err := os.Mkdir(filepath.Join(proc, "self"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(proc, "self/statm"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return proc
}

// Each cell of what was found has a size that no sum of others has.
func TestEveryPageIsOnOneLine(t *testing.T) {
	for h := range holders {
		for n := range natures {
			var v Survey
			v.found[h][n] = Size{Resident: 1 << 20, Swapped: 1 << 10}
			v.golang = goMemory{objects: 1000, stacks: 100, free: 10, unused: 7}
			for _, malloc := range [][]Malloc{nil, {{HasFigures: true, InUse: 5000}}, {{HasResidency: true, ShareRead: 1, FreeResident: 3000}}} {
				v.malloc = malloc
				for _, r := range []Recorded{{}, {Size: Size{Resident: 4000}, Bytes: 4000, Overhead: 500}, {Size: Size{Resident: 9 << 20}, Overhead: 1}} {
					a := v.Account(r)
					if want := (Size{1 << 20, 1 << 10}); a.RSS != want {
						t.Errorf("holder %d, nature %d, %+v, %+v: the lines add up to %+v: %+v", h, n, malloc, r, a.RSS, a.Lines)
					}
					for _, l := range a.Lines {
						if l.Resident < 0 || l.Swapped < 0 || l.Sentence == "" {
							t.Errorf("holder %d, nature %d: %+v", h, n, l)
						}
					}
				}
			}
		}
	}
}

// resident returns the lines' resident bytes, by name.
func residentOf(a *Account) map[string]int64 {
	m := make(map[string]int64)
	for _, l := range a.Lines {
		m[l.Name] = l.Resident
	}
	return m
}

func TestMemoryOfMallocIsDivided(t *testing.T) {
	for about, c := range map[string]struct {
		memory, unknown int64
		malloc          []Malloc
		recorded        Recorded
		want            map[string]int64
	}{
		"without figures, the rest is one line": {1000, 0, nil, Recorded{Size: Size{Resident: 300}, Overhead: 50},
			map[string]int64{Native: 300, Overhead: 50, FreeOrNot: 650}},
		"the allocator knows what is free and resident": {1000, 0, []Malloc{{HasResidency: true, ShareRead: 1, FreeResident: 500}},
			Recorded{Size: Size{Resident: 300}, Overhead: 50}, map[string]int64{Native: 300, Overhead: 50, Unrecorded: 150, Free: 500}},
		"two allocators": {1000, 0, []Malloc{{HasResidency: true, ShareRead: 1, FreeResident: 200}, {HasResidency: true, FreeResident: 300}},
			Recorded{Size: Size{Resident: 300}}, map[string]int64{Native: 300, Unrecorded: 200, Free: 500}},
		"of which one does not know": {1000, 0, []Malloc{{HasResidency: true, ShareRead: 1, FreeResident: 200}, {}},
			Recorded{Size: Size{Resident: 300}}, map[string]int64{Native: 300, FreeOrNot: 700}},
		"the allocator knows what is in use": {1000, 0, []Malloc{{HasFigures: true, InUse: 400}},
			Recorded{Size: Size{Resident: 300}, Bytes: 300, Overhead: 50}, map[string]int64{Native: 300, Overhead: 50, Unrecorded: 50, Free: 600}},
		"what was never touched is in use and not resident": {1000, 0, []Malloc{{HasFigures: true, InUse: 5400}},
			Recorded{Size: Size{Resident: 300}, Bytes: 5300, Overhead: 50}, map[string]int64{Native: 300, Overhead: 50, Unrecorded: 50, Free: 600}},
		"an estimate beyond what is in use is cut down": {1000, 0, []Malloc{{HasResidency: true, ShareRead: 1, FreeResident: 500}},
			Recorded{Size: Size{Resident: 900}, Overhead: 100}, map[string]int64{Native: 450, Overhead: 50, Free: 500}},
		"what is recorded exactly stands, and what is free is cut down": {1000, 0, []Malloc{{HasResidency: true, ShareRead: 1, FreeResident: 500}},
			Recorded{Exact: true, Size: Size{Resident: 600}, Overhead: 100}, map[string]int64{Native: 600, Overhead: 100, Free: 300}},
		"recorded blocks in ranges that nobody knew": {0, 1000, nil, Recorded{Size: Size{Resident: 300}, Overhead: 50},
			map[string]int64{Native: 300, Overhead: 50, CallerUnknown: 650}},
		"a part of it was read: what is recorded is known everywhere, and the rest is estimated": {1000, 0,
			[]Malloc{{HasResidency: true, ShareRead: 0.1, FreeResident: 100, Read: []Range{{0, 100}}, InUseRead: 60,
				ByArena: []Arena{{FreeResident: 60}, {FreeResident: 40}}}},
			Recorded{Exact: true, Size: Size{Resident: 300}, Overhead: 50, InRead: 50}, map[string]int64{Native: 300, Overhead: 50, Unrecorded: 100, Free: 550}},
		"the shares of its arenas add up": {1000, 0, []Malloc{{HasResidency: true, ShareRead: 0.1, FreeResident: 70, Read: []Range{{0, 100}}, InUseRead: 50,
			ByArena: []Arena{{FreeResident: 10}, {FreeResident: 20}, {FreeResident: 40}}}},
			Recorded{Exact: true, Size: Size{Resident: 300}, Overhead: 50, InRead: 50}, map[string]int64{Native: 300, Overhead: 50, Free: 650}},
		"of which nothing was free": {1000, 0, []Malloc{{HasResidency: true, ShareRead: 0.1, Read: []Range{{0, 100}}, InUseRead: 50}},
			Recorded{Exact: true, Size: Size{Resident: 300}, Overhead: 50, InRead: 50}, map[string]int64{Native: 300, Overhead: 50, Free: 650}},
		"samples may miss as much as that": {1000, 0, []Malloc{{HasResidency: true, ShareRead: 0.1, FreeResident: 100, Read: []Range{{0, 100}}, InUseRead: 70,
			ByArena: []Arena{{FreeResident: 100}}}},
			Recorded{Size: Size{Resident: 300}, Overhead: 50, InRead: 50, Interval: 2}, map[string]int64{Native: 300, Overhead: 50, Free: 650}},
		"another allocator counts": {1000, 0, []Malloc{{HasResidency: true, ShareRead: 1, FreeResident: 150},
			{HasResidency: true, ShareRead: 0.1, FreeResident: 100, Read: []Range{{0, 100}}, InUseRead: 50, ByArena: []Arena{{FreeResident: 100}}}},
			Recorded{Exact: true, Size: Size{Resident: 300}, Overhead: 50, InRead: 50}, map[string]int64{Native: 300, Free: 700}},
		"more free than there is": {100, 0, []Malloc{{HasResidency: true, ShareRead: 1, FreeResident: 500}}, Recorded{}, map[string]int64{Free: 100}},
	} {
		t.Run(about, func(t *testing.T) {
			v := Survey{malloc: c.malloc}
			v.found[allocator][anonymous].Resident = c.memory
			v.found[nobody][anonymous].Resident = c.unknown
			a := v.Account(c.recorded)
			got := residentOf(a)
			if free := a.Malloc; len(free) == 1 && len(free[0].Read) > 0 && int64(free[0].FreeResident) != got[Free] {
				t.Errorf("%d are free by its own figures", free[0].FreeResident)
			}
			for name := range sentences {
				if got[name] != c.want[name] {
					t.Errorf("%s: %d, want %d", name, got[name], c.want[name])
				}
			}
		})
	}
}

// Where not all was read, what is free is what the sampled blocks leave of malloc's memory.
func TestWhatIsFreeIsAsUncertainAsWhatIsInUse(t *testing.T) {
	for want, read := range map[int64][]Range{0: nil, 70: {{0, 100}}} {
		v := Survey{malloc: []Malloc{{HasResidency: true, ShareRead: 0.1, FreeResident: 100, Read: read, InUseRead: 50, ByArena: []Arena{{FreeResident: 100}}}}}
		v.found[allocator][anonymous].Resident = 1000
		a := v.Account(Recorded{Size: Size{Resident: 300}, InRead: 50, Interval: 2, Error: 70})
		for _, l := range a.Lines {
			if l.Name == Free && l.Error != want {
				t.Errorf("%v: %+v, want ± %d", read, l, want)
			}
		}
	}
}

// A block that the program reported lies in memory of its own, unless it lies in a block that malloc has mapped.
func TestReportedBlocksTakeNothingOfMallocs(t *testing.T) {
	reported := []Block{
		{Range: Range{Start: 5000, Limit: 5100}, Size: Size{Resident: 100}, Times: 2},
		{Range: Range{Start: 7000, Limit: 7100}, Size: Size{Resident: 100}, Times: 1},
	}
	given := func(_ []Range, _ []Block) ([]Range, uint64) { return []Range{{Start: 6000, Limit: 8000}}, 0 }
	for about, c := range map[string]struct {
		malloc   Malloc
		recorded int64
		want     map[string]int64
	}{
		"in memory of its own":   {Malloc{}, 100 + 200 + 100, map[string]int64{Native: 400, Free: 900, CallerUnknown: 2700}},
		"in a block of malloc's": {Malloc{Apart: given}, 100 + 200 + 100, map[string]int64{Native: 400, Free: 900, Unrecorded: 1900, CallerUnknown: 800}},
	} {
		c.malloc.HasResidency, c.malloc.ShareRead, c.malloc.FreeResident = true, 1, 900
		v := Survey{malloc: []Malloc{c.malloc}, reported: blocks{list: reported}}
		v.found[allocator][anonymous].Resident = 1000
		v.found[nobody][anonymous].Resident = 3000
		v.unclaimed.runs = []run{{Range{5000, 8000}, resident}}
		got := residentOf(v.Account(Recorded{Size: Size{Resident: c.recorded}, Bytes: c.recorded}))
		for name := range sentences {
			if got[name] != c.want[name] {
				t.Errorf("%s: %s: %d, want %d", about, name, got[name], c.want[name])
			}
		}
	}
}

func TestMemoryOfGoIsDivided(t *testing.T) {
	for about, c := range map[string]struct {
		resident                          int64
		of                                goMemory
		objects, stacks, unused, returned int64
	}{
		"as it counts":                             {100, goMemory{70, 10, 5, 15, 3}, 70, 10, 20, 0},
		"what it returned is resident again":       {150, goMemory{70, 10, 5, 15, 3}, 70, 10, 70, 50},
		"places that were never taken":             {98, goMemory{70, 10, 5, 15, 3}, 70, 10, 18, 0},
		"a large object that was never touched":    {100, goMemory{1070, 10, 5, 15, 3}, 76, 10, 14, 0},
		"free spans that were never touched":       {83, goMemory{70, 10, 5, 3, 9}, 70, 10, 3, 0},
		"free spans of a small program":            {80, goMemory{5, 10, 90, 3, 40}, 5, 10, 65, 0},
		"as many places to take as there are":      {86, goMemory{70, 10, 5, 15, 99}, 70, 10, 6, 0},
		"less than its stacks and its free memory": {12, goMemory{70, 10, 5, 15, 3}, 0, 10, 2, 0},
		"nothing": {0, goMemory{70, 10, 5, 15, 3}, 0, 0, 0, 0},
	} {
		objects, stacks, free, returned := c.of.divide(c.resident)
		if objects != c.objects || stacks != c.stacks || free != c.unused || returned != c.returned {
			t.Errorf("%s: %d, %d, %d, %d", about, objects, stacks, free, returned)
		}
	}
}

// debug.FreeOSMemory is of no use for what the kernel has been given already, as with GODEBUG=madvdontneed=0.
func TestGosFreeMemoryThatWasReturnedIsSaidToBe(t *testing.T) {
	for returned, want := range map[int64]string{
		leastReturned - 1: sentences[GoFree],
		leastReturned:     sentences[GoFree] + "; 1048576 bytes of it were, and are resident still, or again: the kernel takes such memory once it lacks some",
	} {
		v := Survey{golang: goMemory{objects: 4 << 20, free: 2 << 20}}
		v.found[goArena][anonymous].Resident = 6<<20 + returned
		var a Account
		v.golangLines(&a)
		for _, l := range a.Lines {
			if l.Name == GoFree && (l.Sentence != want || l.Resident != 2<<20+returned) {
				t.Errorf("of %d bytes that were returned it says %q", returned, l.Sentence)
			}
		}
	}
}

func TestWhatCouldNotBeReadIsUnexplained(t *testing.T) {
	refused := errors.New("refused")
	v := Survey{whole: refused, kernel: usage.Kernel{Proc: statm(t, "100 50 0\n")}}
	v.found[nobody][anonymous].Resident = 10 * page
	a := v.Account(Recorded{})
	got := residentOf(a)
	if a.RSS.Resident != 50*page || got[Unexplained] != 40*page || got[CallerUnknown] != 10*page || !errors.Is(a.Err, refused) {
		t.Errorf("%+v", a)
	}
	for _, l := range a.Lines {
		if of := l.Name == Files || l.Name == Code; of != errors.Is(l.Err, refused) && l.Name != Data && l.Name != Written && l.Name != Shared {
			t.Errorf("%s: %v", l.Name, l.Err)
		}
	}
}

// docs/account.md explains each line to a person.
func TestDocsHaveEachLine(t *testing.T) {
	text, err := os.ReadFile("../../docs/account.md")
	if err != nil {
		t.Fatal(err)
	}
	for name := range sentences {
		if !bytes.Contains(text, []byte("\n| "+name+" | ")) {
			t.Errorf("docs/account.md has no line %q", name)
		}
	}
	for _, p := range (usage.Kernel{Proc: t.TempDir()}).OutsideRSS() {
		if !bytes.Contains(text, []byte("\n| "+p.Name+" | ")) {
			t.Errorf("docs/account.md has no line %q", p.Name)
		}
	}
}

// Where headers and rounding have no line of their own, another line's sentence says that it has them.
func TestTheRestSaysThatTheRuleOfRoundingIsUnknown(t *testing.T) {
	rule := func(size uint64) uint64 { return size + 1 }
	for about, c := range map[string]struct {
		malloc []Malloc
		says   bool
	}{
		"one allocator with a rule": {[]Malloc{{Rounded: rule}}, false},
		"one without":               {[]Malloc{{}}, true},
		"two":                       {[]Malloc{{Rounded: rule}, {Rounded: rule}}, true},
		"two with figures":          {[]Malloc{{HasResidency: true, ShareRead: 1}, {HasResidency: true, ShareRead: 1}}, true},
	} {
		v := Survey{malloc: c.malloc}
		v.found[allocator][anonymous].Resident = 1000
		for _, l := range v.Account(Recorded{}).Lines {
			if says := strings.Contains(l.Sentence, "rule"); says != (c.says && l.Name != Free) {
				t.Errorf("%s: %+v", about, l)
			}
		}
	}
}
