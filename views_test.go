//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgoheap

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/internal/victim"
)

var update = flag.Bool("update", false, "write the golden files")

// The parts of a scene that has something for each view.

//go:noinline
func leak(size uintptr) unsafe.Pointer { return victim.Malloc(size) }

//go:noinline
func cache(size uintptr) unsafe.Pointer { return victim.Malloc(size) }

//go:noinline
func young(size uintptr) unsafe.Pointer { return victim.Malloc(size) }

//go:noinline
func spike(size uintptr) { victim.Free(victim.Malloc(size)) }

//go:noinline
func garbage(size uintptr) { victim.Free(victim.Malloc(size)) }

// play plays the scene and returns the moment in its middle.
func play(t *testing.T, p *Profiler) *Moment {
	t.Helper()
	var kept []unsafe.Pointer
	t.Cleanup(func() {
		for _, block := range kept {
			victim.Free(block)
		}
	})
	kept = append(kept, leak(100), cache(4000), cache(4000))
	given := cache(4000)
	spike(1 << 20)
	for range 5 {
		garbage(50)
	}
	time.Sleep(1100 * time.Millisecond)
	middle, err := p.Moment()
	if err != nil {
		t.Fatal(err)
	}
	kept = append(kept, leak(100), leak(700), young(60))
	victim.Free(given)
	garbage(50)
	time.Sleep(50 * time.Millisecond)
	return middle
}

// actors are the functions of the scene.
var actors = map[string]bool{"leak": true, "cache": true, "young": true, "spike": true, "garbage": true}

// readable prints what the scene did to a profile: who, what values, what labels, in the order of the profile.
func readable(p *profile.Profile) string {
	var b strings.Builder
	for _, v := range p.SampleType {
		fmt.Fprintf(&b, "%s/%s ", v.Type, v.Unit)
	}
	fmt.Fprintf(&b, "default %s, covers time: %t\n", p.DefaultSampleType, p.DurationNanos > 0)
	for _, s := range p.Sample {
		if actor := acting(s); actor != "" {
			fmt.Fprintf(&b, "%8d %-8s %s\n", s.Value, actor, labels(s))
		}
	}
	return b.String()
}

func acting(s *profile.Sample) string {
	for _, name := range functions(s) {
		if actor := strings.TrimPrefix(name, "github.com/cgoheap/cgoheap."); actors[actor] {
			return actor
		}
	}
	return ""
}

func labels(s *profile.Sample) string {
	var list []string
	for _, key := range []string{"age", "bytes"} {
		for i, n := range s.NumLabel[key] {
			list = append(list, fmt.Sprintf("%s=%d %s", key, n, s.NumUnit[key][i]))
		}
	}
	for _, key := range []string{"heap"} {
		for _, text := range s.Label[key] {
			list = append(list, key+"="+text)
		}
	}
	return strings.Join(list, ", ")
}

// selected reads back what a selection gives.
func selected(t *testing.T, p *Profiler, s Selection) *profile.Profile {
	t.Helper()
	var written bytes.Buffer
	if err := p.Write(&written, s); err != nil {
		t.Fatal(err)
	}
	return parse(t, &written)
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "views", name+".golden")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("not as in %s (-update writes it):\n%s", path, diff)
	}
}

func TestViews(t *testing.T) {
	p := start(t, everything)
	middle := play(t, p)
	for name, s := range map[string]Selection{
		"inuse":           {},
		"allocated":       {View: Allocated},
		"peak":            {View: Peak},
		"age":             {View: Age},
		"age-older":       {View: Age, OlderThan: time.Second},
		"shortlived":      {View: ShortLived},
		"shortlived-10s":  {View: ShortLived, Within: 10 * time.Second},
		"growth":          {View: Growth, Since: middle},
		"delta":           {Since: middle},
		"delta-allocated": {View: Allocated, Since: middle},
	} {
		t.Run(name, func(t *testing.T) { golden(t, name, readable(selected(t, p, s))) })
	}
}

func TestPeakIsForgottenOnDemand(t *testing.T) {
	p := start(t, everything)
	spike(1 << 20)
	peak := selected(t, p, Selection{View: Peak})
	if got := values(through(peak, "spike")); got[1] != 1<<20 {
		t.Errorf("at the peak: %v", got)
	}
	if !hasComment(peak, "the highest moment was at 20") {
		t.Errorf("%q", peak.Comments)
	}
	if err := p.ResetPeak(); err != nil {
		t.Fatal(err)
	}
	if found := through(selected(t, p, Selection{View: Peak}), "spike"); len(found) != 0 {
		t.Errorf("after the reset: %v", values(found))
	}
}

func TestDeltasThatFollowEachOtherAddUp(t *testing.T) {
	p := start(t, everything)
	m, err := p.Moment()
	if err != nil {
		t.Fatal(err)
	}
	var sum int64
	for n := range 5 {
		for range n {
			garbage(50)
		}
		delta := selected(t, p, Selection{Since: m, Advance: true})
		got := values(through(delta, "garbage"))[0]
		if got != int64(n) {
			t.Errorf("delta %d has %d blocks", n, got)
		}
		sum += got
	}
	if all := values(through(take(t, p), "garbage"))[0]; all != sum {
		t.Errorf("the deltas have %d blocks, and all together are %d", sum, all)
	}
}

type closedWriter struct{}

func (closedWriter) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestDeltaThatWasNotWrittenIsNotLost(t *testing.T) {
	p := start(t, everything)
	m, err := p.Moment()
	if err != nil {
		t.Fatal(err)
	}
	garbage(50)
	if err := p.Write(closedWriter{}, Selection{Since: m, Advance: true}); err == nil {
		t.Fatal("no error")
	}
	if got := values(through(selected(t, p, Selection{Since: m, Advance: true}), "garbage"))[0]; got != 1 {
		t.Errorf("%d blocks", got)
	}
}

func TestSelectionsThatMakeNoSense(t *testing.T) {
	p := start(t, everything)
	m, err := p.Moment()
	if err != nil {
		t.Fatal(err)
	}
	for want, s := range map[string]Selection{
		"Selection.View is View(99)":                       {View: 99},
		"OlderThan is -1s":                                 {View: Age, OlderThan: -time.Second},
		"OlderThan is 1s; it is for the view age":          {OlderThan: time.Second},
		"Within is 1s; it is for the view shortlived":      {View: Peak, Within: time.Second},
		"Within is 2s; it must be one of [100ms 1s":        {View: ShortLived, Within: 2 * time.Second},
		"Since does not go with the view peak":             {View: Peak, Since: m},
		"Selection.Since is needed by the view growth":     {View: Growth},
		"Selection.Since is needed by Advance":             {Advance: true},
		"GoHeap does not go with the view age":             {View: Age, GoHeap: true},
		"MaxSamples is -1":                                 {MaxSamples: -1},
		"MaxBytes is -2":                                   {MaxBytes: -2},
		"MaxBytes is 10, and a profile without samples is": {MaxBytes: 10},
	} {
		var written bytes.Buffer
		if err := p.Write(&written, s); err == nil || !strings.Contains(err.Error(), want) || written.Len() > 0 {
			t.Errorf("%+v: %d bytes and the error %v, want %q", s, written.Len(), err, want)
		}
	}
}

// Profiles that are taken at once and advance one moment must not step back in time.
func TestMomentThatManyAdvance(t *testing.T) {
	p := start(t, everything)
	m, err := p.Moment()
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				leak(1)
				var written bytes.Buffer
				if err := p.Write(&written, Selection{View: Growth, Since: m, Advance: true}); err != nil {
					t.Error(err)
					return
				}
				onlyGrew(t, parse(t, &written))
			}
		})
	}
	all.Wait()
}

func onlyGrew(t *testing.T, growth *profile.Profile) {
	if growth.DurationNanos < 0 {
		t.Errorf("a profile of %d ns", growth.DurationNanos)
	}
	for _, s := range through(growth, "leak") {
		if s.Value[1] < 0 {
			t.Errorf("what only grows changed by %d bytes", s.Value[1])
		}
	}
}
