package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

// inUse returns the file of a profile in which functions have values: blocks, and bytes.
func inUse(t *testing.T, values map[string][2]int64, change func(p *profile.Profile)) string {
	t.Helper()
	return written(t, func(p *profile.Profile) {
		p.SampleType = []*profile.ValueType{{Type: "inuse_objects", Unit: "count"}, {Type: "inuse_space", Unit: "bytes"}}
		p.Function, p.Location, p.Sample = nil, nil, nil
		for name, v := range values {
			f := &profile.Function{ID: uint64(len(p.Function) + 1), Name: name}
			l := &profile.Location{ID: f.ID, Line: []profile.Line{{Function: f}}}
			p.Function, p.Location = append(p.Function, f), append(p.Location, l)
			p.Sample = append(p.Sample, &profile.Sample{Location: []*profile.Location{l}, Value: v[:]})
		}
		if change != nil {
			change(p)
		}
	})
}

func TestADifferenceAddsUp(t *testing.T) {
	a := inUse(t, map[string][2]int64{"grows": {1, 1 << 20}, "shrinks": {2, 3 << 20}, "stays": {1, 5 << 10}, "ends\x1b": {1, 1 << 10}}, nil)
	b := inUse(t, map[string][2]int64{"grows": {3, 5 << 20}, "shrinks": {1, 1 << 20}, "stays": {1, 5 << 10}, "begins": {1, 2 << 10}}, func(p *profile.Profile) { p.Period = 4096 })
	code, out, trouble := ranWith(t, "", "diff", a, b, "-n", "3")
	want := `    before      after      change  ± (95 %)    inuse_space of A and B
     1 MiB      5 MiB      +4 MiB  ± 0 B       grows
     3 MiB      1 MiB      -2 MiB  ± 0 B       shrinks
       0 B      2 KiB      +2 KiB  ± 4.87 KiB  begins
     1 KiB        0 B      -1 KiB  ± 0 B       1 line more
     5 KiB      5 KiB         0 B  ± 0 B       where nothing changed
  4.01 MiB   6.01 MiB      +2 MiB  ± 7.89 KiB  total
the sampling intervals are 1 and 4096: the values are right on average with each, and only their errors differ
`
	if got := strings.NewReplacer(a, "A", b, "B").Replace(out); code != exitGood || got != want {
		t.Errorf("exit code %d, %q, got\n%s\nwant\n%s", code, trouble, got, want)
	}
	code, out, trouble = ranWith(t, "", "diff", "-json", "-sample", "inuse_objects", "-stacks", a, b)
	var d difference
	if err := json.Unmarshal([]byte(out), &d); err != nil || code != exitGood || strings.Contains(out, "\x1b") {
		t.Fatalf("exit code %d, %v, %q, %q", code, err, out, trouble)
	}
	var sum int64
	for _, r := range d.Rows {
		sum += r.Change
		if r.Change != r.After-r.Before || len(r.Stack) != 1 {
			t.Errorf("%+v", r)
		}
	}
	if len(d.Rows) != 4 || d.Rows[0].Name != "grows" || d.Before != 5 || d.After != 6 || sum != 1 || d.Change != 1 || d.Unit != "count" {
		t.Errorf("%+v", d)
	}
}

func TestADifferenceIsAProfile(t *testing.T) {
	a, b := inUse(t, map[string][2]int64{"f": {1, 10}, "g": {1, 7}}, nil), inUse(t, map[string][2]int64{"f": {3, 50}, "g": {1, 7}}, nil)
	to := filepath.Join(t.TempDir(), "d.pb.gz")
	text, err := os.ReadFile(b)
	if err != nil {
		t.Fatal(err)
	}
	if code, _, trouble := ranWith(t, string(text), "diff", "-o", to, a, "-"); code != exitGood {
		t.Fatal(code, trouble)
	}
	if code, out, trouble := ranWith(t, "", "check", to); code != exitGood {
		t.Error(code, out, trouble)
	}
	f, err := os.Open(to)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := profile.Parse(f)
	if err != nil || len(p.Sample) != 1 || p.Sample[0].Value[0] != 2 || p.Sample[0].Value[1] != 40 {
		t.Errorf("%v, %v", err, p)
	}
	if code, _, trouble := ranWith(t, "", "diff", a, to); code != exitUnreadable || !strings.Contains(trouble, "the views are unknown and difference") {
		t.Error(code, trouble)
	}
	if code, _, trouble := ranWith(t, "", "diff", "-o", to, a, b); code != exitUnreadable || !strings.Contains(trouble, "file exists") {
		t.Error(code, trouble)
	}
}

func TestWhatCannotBeComparedSaysWhy(t *testing.T) {
	one := map[string][2]int64{"f": {1, 1}}
	comment := func(c string) func(*profile.Profile) { return func(p *profile.Profile) { p.Comments = []string{c} } }
	inuse := []string{"cgoheap: native memory in use, and allocated since 2026-11-25 10:00:00 UTC, every allocation"}
	a := inUse(t, one, comment(inuse[0]))
	for says, b := range map[string]string{
		"the views are inuse and age":     inUse(t, one, comment("cgoheap: native memory in use by age, recorded since 2026-11-25 10:00:00 UTC, every allocation")),
		"the views are inuse and unknown": inUse(t, one, nil),
		"one leaves out nothing, the other blocks that are younger than 1h0m0s": inUse(t, one, func(p *profile.Profile) {
			p.Comments = append(slices.Clone(inuse), "cgoheap: left out are blocks that are younger than 1h0m0s")
		}),
		"the sample types are inuse_objects (count), inuse_space (bytes) and inuse_objects (count), alloc_space (bytes)": inUse(t, one, func(p *profile.Profile) { p.SampleType[1].Type = "alloc_space" }),
		"samples are taken by space (bytes) and by cpu (nanoseconds)":                                                    inUse(t, one, func(p *profile.Profile) { p.PeriodType = &profile.ValueType{Type: "cpu", Unit: "nanoseconds"} }),
	} {
		if code, out, trouble := ranWith(t, "", "diff", a, b); code != exitUnreadable || out != "" || !strings.Contains(trouble, says) {
			t.Errorf("%s: exit code %d, %q, %q", says, code, out, trouble)
		}
	}
	if code, _, trouble := ranWith(t, "", "diff", "-sample", "x", a, a); code != exitUnreadable || !strings.Contains(trouble, `-sample is "x": it must be one of inuse_objects`) {
		t.Error(code, trouble)
	}
}

func TestADifferenceKnowsWhichProfileIsTheLaterOne(t *testing.T) {
	at := func(second int64) string {
		return inUse(t, map[string][2]int64{"f": {1, second}}, func(p *profile.Profile) { p.TimeNanos = second * 1e9 })
	}
	early, late := at(100), at(130)
	const note = "the first one is the later one"
	for _, c := range []struct {
		a, b           string
		noted          bool
		time, duration int64
	}{{early, late, false, 130e9, 30e9}, {late, early, true, 100e9, 0}} {
		code, out, trouble := ranWith(t, "", "diff", c.a, c.b)
		if code != exitGood || strings.Contains(out, note) != c.noted {
			t.Errorf("exit code %d, %s, %q", code, out, trouble)
		}
		to := filepath.Join(t.TempDir(), "d.pb.gz")
		if code, _, trouble := ranWith(t, "", "diff", "-o", to, c.a, c.b); code != exitGood {
			t.Fatal(code, trouble)
		}
		f, err := os.Open(to)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if p, err := profile.Parse(f); err != nil || p.TimeNanos != c.time || p.DurationNanos != c.duration {
			t.Errorf("%v: at %d, %d long, want %d and %d", err, p.TimeNanos, p.DurationNanos, c.time, c.duration)
		}
	}
}

func TestAFrameWithoutANameIsAPlaceInItsFile(t *testing.T) {
	unnamed := func(bytes int64) string {
		return inUse(t, map[string][2]int64{"": {1, bytes}}, func(p *profile.Profile) {
			m := &profile.Mapping{ID: 1, Start: 0x7000, Limit: 0x9000, Offset: 0x300, File: "/usr/lib/libsome.so"}
			p.Mapping, p.Function, p.Location[0].Line = []*profile.Mapping{m}, nil, nil
			p.Location[0].Mapping, p.Location[0].Address = m, 0x7040
		})
	}
	if code, out, trouble := ranWith(t, "", "diff", "-stacks", unnamed(1), unnamed(2)); code != exitGood || !strings.Contains(out, "libsome.so+0x340\n") {
		t.Errorf("exit code %d, %s, %q", code, out, trouble)
	}
}

// Two dumps of one recording share sampled blocks, so the error of their difference is not known.
func TestADifferenceWithinARecordingHasNoError(t *testing.T) {
	since := func(when string) func(p *profile.Profile) {
		return func(p *profile.Profile) {
			p.Period, p.Comments = 4096, []string{"cgoheap: native memory in use, and allocated since " + when + ", one sample per 4096 bytes on average"}
		}
	}
	file := func(bytes int64, when string) string {
		return inUse(t, map[string][2]int64{"f": {10, bytes}}, since(when))
	}
	a := file(1<<10, "2026-01-02 03:04:05 UTC")
	for when, one := range map[string]bool{"2026-01-02 03:04:05 UTC": true, "2026-01-02 03:04:06 UTC": false} {
		code, out, trouble := ranWith(t, "", "diff", a, file(2<<10, when))
		if code != exitGood || strings.Contains(out, "both are of one recording") != one || strings.Contains(out, "± (95 %)") == one {
			t.Errorf("%d, %q, since %s:\n%s", code, trouble, when, out)
		}
	}
}

// What cgoheap run -json writes stands for the profile that it names.
func TestASummaryIsComparedByItsProfile(t *testing.T) {
	a, b := inUse(t, map[string][2]int64{"f": {1, 1 << 20}}, nil), inUse(t, map[string][2]int64{"f": {1, 3 << 20}}, nil)
	write := func(path, file string) string {
		t.Helper()
		text, err := json.Marshal(summary{Program: "/bin/program", File: file})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("{what the program wrote\n"+string(text)+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Chdir(filepath.Dir(b))
	text, err := os.ReadFile(write(filepath.Join(t.TempDir(), "standard input"), a))
	if err != nil {
		t.Fatal(err)
	}
	for about, names := range map[string][2]string{
		"beside it":  {a, write(filepath.Join(filepath.Dir(b), "b.json"), filepath.Base(b))},
		"from here":  {a, write(filepath.Join(t.TempDir(), "b.json"), filepath.Base(b))},
		"by a path":  {write(filepath.Join(t.TempDir(), "a.json"), a), write(filepath.Join(t.TempDir(), "b.json"), b)},
		"from input": {"-", b},
	} {
		if code, out, trouble := ranWith(t, string(text), "diff", names[0], names[1]); code != exitGood || !strings.Contains(out, "     1 MiB      3 MiB      +2 MiB  total\n") {
			t.Errorf("%s: exit code %d, %s, %q", about, code, out, trouble)
		}
	}
	notes := filepath.Join(t.TempDir(), "notes")
	if err := os.WriteFile(notes, []byte(`{"program": "/bin/program"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for says, name := range map[string]string{
		"the profile that it names, gone.pb.gz, is neither beside it nor at that path: open gone.pb.gz: no such file": write(filepath.Join(t.TempDir(), "gone.json"), "gone.pb.gz"),
		"which the summary ":        write(filepath.Join(t.TempDir(), "wrong.json"), notes),
		"not a profile in pprof's ": notes,
	} {
		if code, out, trouble := ranWith(t, "", "diff", a, name); code != exitUnreadable || out != "" || !strings.Contains(trouble, name) || !strings.Contains(trouble, says) {
			t.Errorf("%s: exit code %d, %s, %q", says, code, out, trouble)
		}
	}
}
