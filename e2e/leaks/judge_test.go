package main

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/e2e/leaks/truth"
)

// sampleOf returns a sample of blocks of 1000 bytes each, whose stack has these functions, the innermost first.
func sampleOf(blocks int64, functions ...string) *profile.Sample {
	s := &profile.Sample{Value: []int64{blocks, 1000 * blocks}}
	for _, name := range functions {
		s.Location = append(s.Location, &profile.Location{Line: []profile.Line{{Function: &profile.Function{Name: name}}}})
	}
	return s
}

func profileOf(samples ...*profile.Sample) *profile.Profile { return &profile.Profile{Sample: samples} }

// perfect returns what a perfect view shows of a case with 1000 blocks lost, as many kept and hidden, and some elsewhere.
func perfect() *observed {
	return &observed{
		truth: []truth.Row{{Function: "lost_a", Sentence: "lost", Blocks: 1000, Bytes: 1e6}, {Function: "kept_b", Holder: "global b", Blocks: 1000, Bytes: 1e6},
			{Function: "hidden_c"}, {Function: "freed_d"}},
		inUse: profileOf(sampleOf(1000, "malloc", "lost_a", "main"), sampleOf(600, "(anonymous namespace)::kept_b(int)"), sampleOf(400, "kept_b"),
			sampleOf(50, "hidden_c"), sampleOf(10, "other")),
		unreachable: profileOf(sampleOf(1000, "lost_a", "main"), sampleOf(50, "hidden_c")),
		heldBy:      profileOf(sampleOf(1000, "kept_b", "held by global b"), sampleOf(10, "other", "held by a mapping")),
		suspects: []cgoheap.Suspect{
			{Stack: []string{"malloc", "lost_a"}, Sentence: "`lost_a`: 1 MiB in use, no pointer found to 100 %: lost, or its pointers are hidden"},
			{Stack: []string{"kept_b"}, Sentence: "`kept_b` for `lost_a`: 1 MiB in use, reachable from global `b`; `cut` may cut them into smaller ones, and which of those are lost is not known"},
		},
	}
}

func TestAPerfectViewHasNoFaults(t *testing.T) {
	v := judge("case", perfect(), perfect(), map[string]amount{"lost_a": {500, 5e5}, "kept_b": {500, 5e5}})
	if len(v.faults) > 0 {
		t.Errorf("%q", v.faults)
	}
	want := score{truth: amount{1000, 1e6}, recorded: amount{1000, 1e6}, found: amount{1000, 1e6}}
	if v.whole != want || v.sampled != want {
		t.Errorf("%+v and %+v, want %+v", v.whole, v.sampled, want)
	}
	if p, r := v.sanitizer.precision(inBytes), v.sanitizer.recall(inBlocks); p != 0.5 || r != 0.5 {
		t.Errorf("LeakSanitizer has precision %v and recall %v, want 0.5", p, r)
	}
	if diff := cmp.Diff([]untold{{"hidden_c", amount{50, 5e4}, amount{50, 5e4}, amount{}}}, v.untold, cmp.AllowUnexported(untold{}, amount{})); diff != "" {
		t.Error(diff)
	}
}

func TestFaultsAreFound(t *testing.T) {
	for _, c := range []struct {
		want  string
		spoil func(whole, sampled *observed)
	}{
		{"recorded whole, recall is 74.90 % of bytes", func(w, _ *observed) { w.unreachable = profileOf(sampleOf(749, "lost_a")) }},
		{"recorded whole, 5000 bytes in 5 blocks are said to be unreachable, and are not lost", func(w, _ *observed) { w.add(sampleOf(5, "malloc", "kept_b")) }},
		{"11000 bytes in 11 blocks of elsewhere are said to be unreachable, as x < y", func(w, _ *observed) { w.add(sampleOf(11, "x", "y")) }},
		{"of lost_a, 74.90 % are said", func(_, s *observed) { s.unreachable = profileOf(sampleOf(749, "lost_a")) }},
		{"at 64 KiB, precision is 94.97 %", func(_, s *observed) { s.add(sampleOf(53, "freed_d")) }},
		{"at 64 KiB, recall is 74.90 %", func(_, s *observed) { s.unreachable = profileOf(sampleOf(749, "lost_a")) }},
		{"lost_a has 999000 bytes in 1000 blocks in use, recorded are 1000000", func(w, _ *observed) { w.truth[0].Bytes = 999000 }},
		{"freed_d has 0 bytes in 0 blocks in use, recorded are 5000", func(w, _ *observed) { w.inUse.Sample = append(w.inUse.Sample, sampleOf(5, "freed_d")) }},
		{"lost_e has nothing in use", func(w, _ *observed) { w.truth = append(w.truth, truth.Row{Function: "lost_e"}) }},
		{`kept_b: 94.00 % are held by "global b"; of all, 940000 bytes held by global b, 60000 bytes held by Go's heap`, func(w, _ *observed) {
			w.heldBy = profileOf(sampleOf(940, "kept_b", "held by global b"), sampleOf(60, "kept_b", "held by Go's heap"))
		}},
		{"two suspects are called `kept_b` for `lost_a`", func(w, _ *observed) { w.suspects = append(w.suspects, w.suspects[1]) }},
		{"of kept_b it is said: `b`: lost", func(w, _ *observed) { w.tell("kept_b", "`b`: lost, or its pointers are hidden") }},
		{"without proof: `a`: lost", func(w, _ *observed) { w.tell("lost_a", "`a`: lost") }},
		{"seen once: `a`: a leak", func(w, _ *observed) { w.tell("lost_a", "`a`: a leak, or its pointers are hidden") }},
		{`of lost_a, "lost" is expected: `, func(w, _ *observed) { w.tell("lost_a", "`a`: reachable") }},
		{"lost_a is among no suspects", func(w, _ *observed) { w.suspects = w.suspects[1:] }},
		{"no clone", func(_, s *observed) { s.refused = errors.New("no clone") }},
	} {
		whole, sampled := perfect(), perfect()
		c.spoil(whole, sampled)
		v := judge("case", whole, sampled, nil)
		if !slices.ContainsFunc(v.faults, func(f string) bool { return strings.Contains(f, c.want) }) {
			t.Errorf("%q, want one with %q", v.faults, c.want)
		}
	}
}

func (o *observed) add(s *profile.Sample) { o.unreachable.Sample = append(o.unreachable.Sample, s) }

func (o *observed) tell(function, sentence string) {
	o.suspects = append(o.suspects, cgoheap.Suspect{Stack: []string{function}, Sentence: sentence, Bytes: 1 << 20})
}

// More than there is to find is not found.
func TestMoreThanTheTruthIsWrong(t *testing.T) {
	a := map[string]amount{"lost_a": {100, 1000}}
	s := scoreOf(a, a, map[string]amount{"lost_a": {150, 1500}})
	if p := s.precision(inBytes); math.Abs(p-2.0/3) > 1e-9 || s.recall(inBlocks) != 1 {
		t.Errorf("precision %v and recall %v, want 2/3 and 1", p, s.recall(inBlocks))
	}
}

func TestLeakSanitizersReportIsSummedByFunction(t *testing.T) {
	report := `=================================================================
==1==ERROR: LeakSanitizer: detected memory leaks

Direct leak of 3000 byte(s) in 3 object(s) allocated from:
    #0 0x7f4833013545 in __interceptor_malloc ../../../../src/libsanitizer/lsan/lsan_interceptors.cpp:75
    #1 0x5602bfcaf156 in lost_x /tmp/a.c:4
    #2 0x5602bfcaf156 in kept_y /tmp/a.c:9

Indirect leak of 500 byte(s) in 1 object(s) allocated from:
    #0 0x7f4833013545 in operator new[](unsigned long) x.cpp:75
    #1 0x5602bfcaf156 in (anonymous namespace)::lost_x(unsigned long) /tmp/a.c:4

Indirect leak of 70 byte(s) in 7 object(s) allocated from:
    #0 0x7f4833013545 in strdup (/lib/libc.so+0x1)

SUMMARY: LeakSanitizer: 3570 byte(s) leaked in 11 allocation(s).
`
	got, err := leaks([]byte(report))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]amount{"lost_x": {4, 3500}, elsewhere: {7, 70}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(amount{})); diff != "" {
		t.Error(diff)
	}
	if _, err := leaks([]byte("==1==LeakSanitizer has encountered a fatal error.\n")); err == nil {
		t.Error("a sanitizer that failed found no leaks")
	}
}

func TestTheTableHasEachCaseAndTheSums(t *testing.T) {
	v := judge("case", perfect(), perfect(), map[string]amount{"lost_a": {500, 5e5}, "kept_b": {500, 5e5}})
	var out strings.Builder
	printTables(&out, []*verdict{v, judge("of_go", perfect(), perfect(), nil)})
	for _, want := range []string{
		"| case | 1.0 | 100.00 % | 100.00 % | 100.00 % | 100.00 % | 100.00 % | 50.00 % | 50.00 % |",
		"| of_go | 1.0 | 100.00 % | 100.00 % | 100.00 % | 100.00 % | 100.00 % | | |",
		"| all, bytes | 2.0 |",
		"| case: hidden_c | 0.1 | 100.00 % | 0.00 % |",
	} {
		if got := strings.Join(strings.Fields(out.String()), " "); !strings.Contains(got, want) {
			t.Errorf("%q is not in the table:\n%s", want, out.String())
		}
	}
}
