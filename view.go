package cgoheap

import (
	"fmt"

	"github.com/cgoheap/cgoheap/alloc"
	"github.com/cgoheap/cgoheap/pprof"
)

// View is what a profile shows.
type View uint8

// The views. Their names as parameters of the Handler are in quotes.
const (
	InUse      View = iota // "inuse": what is in use now, and beside it what was allocated since Start
	Allocated              // "allocated": the same values, of which viewers show what was allocated first
	Peak                   // "peak": what was in use at the highest moment since Start or ResetPeak
	Age                    // "age": what is in use, with the label "age": the least age of its class, in seconds
	ShortLived             // "shortlived": what was allocated since Start and freed soon after
	Growth                 // "growth": what is in use now less what was at an earlier Moment, of either sign
)

// viewing is how a view is taken and written.
type viewing struct {
	name        string
	about       string // ends the sentence that begins with "native memory"
	columns     pprof.Columns
	defaultType string
	compares    bool // it may begin at a Moment
	take        func(*alloc.Recording, *Selection) (*alloc.Snapshot, error)
}

var viewings = [...]viewing{
	InUse: {name: "inuse", about: "in use, and allocated since", compares: true, take: takeNow},
	Allocated: {name: "allocated", about: "in use, and (shown first) allocated since", compares: true, take: takeNow,
		defaultType: "alloc_space"},
	Peak: {name: "peak", about: "in use at the highest moment, recorded since", columns: pprof.InuseColumns,
		take: func(r *alloc.Recording, s *Selection) (*alloc.Snapshot, error) { return r.PeakIn(s.memory) }},
	Age: {name: "age", about: "in use by age, recorded since", columns: pprof.InuseColumns,
		take: func(r *alloc.Recording, s *Selection) (*alloc.Snapshot, error) {
			return r.AgesIn(s.memory, s.OlderThan)
		}},
	ShortLived: {name: "shortlived", about: "freed soon after it was allocated, recorded since", columns: pprof.AllocatedColumns,
		take: func(r *alloc.Recording, s *Selection) (*alloc.Snapshot, error) {
			return r.ShortLivedIn(s.memory, s.Within)
		}},
	Growth: {name: "growth", about: "in use now less that of an earlier moment, compared since", columns: pprof.InuseColumns,
		compares: true, take: takeNow},
}

func takeNow(r *alloc.Recording, s *Selection) (*alloc.Snapshot, error) {
	return r.SnapshotIn(s.memory)
}

// String is the view's name.
func (v View) String() string {
	if int(v) >= len(viewings) {
		return fmt.Sprintf("View(%d)", uint8(v))
	}
	return viewings[v].name
}

// viewNamed is the view of that name.
func viewNamed(name string) (View, error) {
	for v := range viewings {
		if viewings[v].name == name {
			return View(v), nil
		}
	}
	return 0, fmt.Errorf("there is no view %q", name)
}
