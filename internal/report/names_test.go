package report

import (
	"io"
	"slices"
	"testing"

	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/pprof"
	"github.com/cgoheap/cgoheap/stack"
	"github.com/cgoheap/cgoheap/symbolize"
)

// While a module is named, its debug data is in memory on top of all names that were made before, and a library with two
// addresses can have the most debug data.
func TestTheModuleWithMostNamesIsNamedLast(t *testing.T) {
	var named []stack.ModuleID
	r := Report{
		Header: pprof.Header{SampleBytes: 1},
		Module: func(id stack.ModuleID) *mappings.Module {
			named = append(named, id)
			return nil
		},
		Names: symbolize.New(symbolize.Options{}),
	}
	for id, frames := range map[stack.ModuleID]int{1: 5, 2: 1, 3: 900, 4: 2, 5: 1} {
		for i := range frames {
			twice := []stack.Frame{stack.NewFrame(id, uint64(i)), stack.NewFrame(id, uint64(i))}
			r.Samples = append(r.Samples, stack.Sample{Frames: twice, Values: stack.Values{AllocObjects: 1, AllocBytes: 8}})
		}
	}
	if err := r.Write(io.Discard); err != nil {
		t.Fatal(err)
	}
	if want := []stack.ModuleID{2, 5, 4, 1, 3}; !slices.Equal(named, want) {
		t.Errorf("modules were named in the order %v, want %v", named, want)
	}
}
