package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"
)

// ofHeaps gives the functions whose names begin with "go" the label of Go's heap, and the others that of native memory.
func ofHeaps(view string) func(p *profile.Profile) {
	return func(p *profile.Profile) {
		p.Comments = []string{"cgoheap: native memory " + view}
		for _, s := range p.Sample {
			heap := "native"
			if strings.HasPrefix(strings.TrimPrefix(s.Location[0].Line[0].Function.Name, "["), "go") {
				heap = "go"
			}
			s.Label = map[string][]string{"heap": {heap}}
		}
	}
}

func TestTheHeapThatOneProfileLacksIsNoDifference(t *testing.T) {
	const inuse = "in use, and allocated since 2026-11-25 10:00:00 UTC, every allocation"
	native := inUse(t, map[string][2]int64{"f": {1, 1 << 20}}, func(p *profile.Profile) { p.Comments = []string{"cgoheap: native memory " + inuse} })
	both := inUse(t, map[string][2]int64{"f": {1, 3 << 20}, "goes": {9, 40 << 20}}, ofHeaps(inuse))
	empty := inUse(t, map[string][2]int64{"f": {1, 3 << 20}}, ofHeaps(inuse))
	for _, c := range []struct{ a, b, total, note string }{
		{native, both, "     1 MiB      3 MiB      +2 MiB  total", "only the second one has Go's own heap, 40 MiB: it is left out"},
		{both, native, "     3 MiB      1 MiB      -2 MiB  total", "only the first one has Go's own heap, 40 MiB: it is left out"},
		{empty, both, "     3 MiB     43 MiB     +40 MiB  total", ""}, // Go's heap grew from nothing that was sampled
	} {
		code, out, trouble := ranWith(t, "", "diff", c.a, c.b)
		if code != exitGood || !strings.HasSuffix(out, c.total+"\n"+strings.TrimLeft(c.note+"\n", "\n")) {
			t.Errorf("exit code %d, %s, %q, want %s, %s", code, out, trouble, c.total, c.note)
		}
	}
	to := filepath.Join(t.TempDir(), "d.pb.gz")
	if code, _, trouble := ranWith(t, "", "diff", "-o", to, native, both); code != exitGood {
		t.Fatal(code, trouble)
	}
	f, err := os.Open(to)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := profile.Parse(f)
	if err != nil || len(p.Sample) != 1 || p.Sample[0].Value[1] != 2<<20 || !strings.Contains(strings.Join(p.Comments, "\n"), "\ncgoheap: only the second one has Go's own heap") {
		t.Errorf("%v, %v", err, p)
	}
}

func TestStacksOfResidentGoMemoryThatOneProfileLacksAreNoted(t *testing.T) {
	const rss = "resident, and beside it everything else that is resident in the process, recorded since 2026-11-25 10:00:00 UTC, every allocation"
	lines := inUse(t, map[string][2]int64{"[go: heap in use]": {0, 4 << 20}, "f": {1, 1 << 20}}, ofHeaps(rss))
	stacks := inUse(t, map[string][2]int64{"[go: heap in use]": {0, 1 << 20}, "goes": {9, 3 << 20}, "f": {1, 1 << 20}}, ofHeaps(rss))
	const note = "only the second one has the stacks of Go's heap: in the other it is in the lines of Go that have no stacks\n"
	if code, out, trouble := ranWith(t, "", "diff", lines, stacks); code != exitGood || !strings.HasSuffix(out, "     5 MiB      5 MiB         0 B  total\n"+note) {
		t.Errorf("exit code %d, %s, %q", code, out, trouble)
	}
	if code, out, trouble := ranWith(t, "", "diff", stacks, stacks); code != exitGood || strings.Contains(out, "only") {
		t.Errorf("exit code %d, %s, %q", code, out, trouble)
	}
}

func TestWhatTwoProfilesCoverIsNoted(t *testing.T) {
	one := map[string][2]int64{"f": {1, 1}}
	of := func(change func(p *profile.Profile)) string {
		return inUse(t, one, func(p *profile.Profile) {
			p.SampleType[0].Type, p.SampleType[1].Type = "alloc_objects", "alloc_space"
			p.Comments = []string{"cgoheap: native memory in use, and (shown first) allocated since 2026-11-25 10:00:00 UTC, every allocation"}
			p.TimeNanos = time.Date(2026, 11, 25, 10, 2, 0, 0, time.UTC).UnixNano()
			change(p)
		})
	}
	later := func(lasted time.Duration) string {
		return of(func(p *profile.Profile) {
			p.Comments[0] = strings.Replace(p.Comments[0], "25 10:00:00", "26 12:34:56", 1)
			p.TimeNanos = time.Date(2026, 11, 26, 12, 34, 56, 0, time.UTC).Add(lasted).UnixNano()
		})
	}
	whole := of(func(*profile.Profile) {})
	for says, other := range map[string]string{
		"the second one has only its largest samples": of(func(p *profile.Profile) {
			p.Comments = append(p.Comments, "cgoheap: other: 5 samples beyond the bound of the profile, added up")
		}),
		"the programs are unknown and another\n":                                      of(func(p *profile.Profile) { p.Mapping = []*profile.Mapping{{ID: 1, File: "/bin/another"}} }),
		"the first one covers 0s, and the second one 30s":                             of(func(p *profile.Profile) { p.DurationNanos = 30e9 }),
		"the first one has what was allocated in 2m0s, and the second one in 2m14s\n": later(134 * time.Second),
		"the first one has what was allocated in 2m0s, and the second one in 0s\n":    later(0),
	} {
		if code, out, trouble := ranWith(t, "", "diff", whole, other); code != exitGood || !strings.Contains(out, "\n"+says) {
			t.Errorf("%s: exit code %d, %s, %q", says, code, out, trouble)
		}
	}
	for _, other := range []string{whole, later(2 * time.Minute), later(110 * time.Second)} {
		if code, out, trouble := ranWith(t, "", "diff", whole, other); code != exitGood || !strings.HasSuffix(out, " total\n") {
			t.Errorf("exit code %d, %s, %q", code, out, trouble)
		}
	}
}
