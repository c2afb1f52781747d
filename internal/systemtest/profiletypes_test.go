//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package systemtest

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/victim"
)

const profilesFile = "testdata/profiles.txt"

// Queries of servers name the types of values and the keys of labels, and the values of the label "heap".
func TestProfilesHaveTheTypesAndLabelsOfTheAPI(t *testing.T) {
	c := everything
	c.GoroutineLabels, c.ThreadNames = true, true
	p := start(t, c)
	runtime.GC() // Go's numbers are as of the last one
	since, err := p.Baseline()
	if err != nil {
		t.Fatal(err)
	}
	pprof.Do(context.Background(), pprof.Labels("label-of-the-program", "any"), func(context.Context) {
		t.Cleanup(allocateOfEachKind(t))
		t.Cleanup(allocateForACopy())
		profiletest.Garbage(10)
	})
	held := hold(32 << 20)
	defer runtime.KeepAlive(held)
	runtime.GC()
	time.Sleep(50 * time.Millisecond) // blocks of the last 20 ms have no age yet
	var lines []string
	for _, v := range append(views(), cgoheap.ViewDelta(since), cgoheap.ViewGrowth(since)) {
		title := "view " + v.String()
		if v == cgoheap.ViewDelta(since) {
			title += " since a Baseline"
		}
		s := cgoheap.Selection{View: v}
		lines = append(lines, describe(title, selected(t, p, s))...)
		s.GoHeap = true
		if p.Write(io.Discard, s) == nil { // some views refuse it
			lines = append(lines, describe(title+", with GoHeap", selected(t, p, s))...)
		}
	}
	got := strings.Join(lines, "\n")
	if *update {
		if err := os.WriteFile(profilesFile, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(profilesFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("profiles are not as in %s. If the change is meant, and CHANGELOG.md says so:\n"+
			"	go test ./internal/systemtest -run API -update\n%s", profilesFile, diff)
	}
}

// allocateOfEachKind makes what only some profiles have: blocks that are reported, and memory that is mapped directly.
func allocateOfEachKind(t *testing.T) (undo func()) {
	t.Helper()
	pool := victim.OpenPool(4096)
	address := uintptr(pool)
	cgoheap.Allocated(address, 64, "any")
	block := profiletest.Leak(1 << 20) // now most is in use
	mapped := victim.Map(nil, 1<<20, false)
	clear(unsafe.Slice((*byte)(mapped), 1<<20))
	return func() {
		cgoheap.Freed(address)
		victim.Free(pool)
		victim.Free(block)
		if err := victim.Unmap(mapped, 1<<20); err != nil {
			t.Error(err)
		}
	}
}

// allocateForACopy makes what only a copy of the process sees: blocks that nothing points to, a list of blocks of which each holds the
// next, and free memory beside them.
func allocateForACopy() (undo func()) {
	const blocks, listed, size = 100, 20, 3000
	hidden := make(chan []uintptr)
	go func() { // whose stack nobody looks at once it has ended
		var list []uintptr
		for range blocks {
			list = append(list, ^uintptr(victim.Malloc(size)))
		}
		hidden <- list
	}()
	made := make(chan unsafe.Pointer)
	go func() {
		var first unsafe.Pointer
		for range listed {
			next := victim.Malloc(size)
			*(*unsafe.Pointer)(next) = first
			first = next
		}
		made <- first
	}()
	list := <-hidden
	for i := 0; i < blocks; i += 2 {
		victim.Free(unsafe.Add(nil, ^list[i]))
	}
	first := <-made
	return func() {
		for i := 1; i < blocks; i += 2 {
			victim.Free(unsafe.Add(nil, ^list[i]))
		}
		for first != nil {
			next := *(*unsafe.Pointer)(first)
			victim.Free(first)
			first = next
		}
	}
}

// describe lists a profile's types of values, and its labels.
func describe(title string, p *profile.Profile) []string {
	list := []string{title, "period " + p.PeriodType.Type + " " + p.PeriodType.Unit}
	for _, s := range p.SampleType {
		shown := ""
		if s.Type == p.DefaultSampleType {
			shown = ", shown first"
		}
		list = append(list, "value "+s.Type+" "+s.Unit+shown)
	}
	var labels []string
	for _, s := range p.Sample {
		labels = append(labels, labelsOf(s)...)
	}
	slices.Sort(labels)
	return append(append(list, slices.Compact(labels)...), "")
}

func labelsOf(s *profile.Sample) (list []string) {
	for key, texts := range s.Label {
		line := "label " + key
		if key == "heap" {
			line += " " + strings.Join(texts, " ")
		}
		list = append(list, line)
	}
	for key, units := range s.NumUnit {
		list = append(list, fmt.Sprintf("label %s, a number of %s", key, strings.Join(units, " ")))
	}
	return list
}
