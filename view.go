package cgoheap

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cgoheap/cgoheap/alloc"
	"github.com/cgoheap/cgoheap/internal/report"
)

// View is what a profile shows, with the view's own arguments. The zero value is ViewInUse.
type View struct {
	kind      viewKind
	olderThan time.Duration // of viewAge
	everyAge  bool          // of viewUnreachable: an olderThan of 0 is meant
	within    time.Duration // of viewShortLived
	collect   bool          // of viewUnreachable and viewHeldBy: collect Go's garbage first
	since     *Baseline     // of views that compare; nil if they begin with Start
	delta     bool          // since is required
}

type viewKind uint8

const (
	viewInUse viewKind = iota
	viewAllocated
	viewPeak
	viewAge
	viewShortLived
	viewGrowth
	viewRSS
	viewUnreachable
	viewHeldBy
	viewPinned
	viewDevice
)

// ViewInUse shows the memory in use now, and beside it what was allocated since Start.
func ViewInUse() View { return View{} }

// ViewAllocated has the same values as ViewInUse, but viewers first show what was allocated.
func ViewAllocated() View { return View{kind: viewAllocated} }

// ViewPeak shows the memory in use at the moment, since Start or ResetPeak, when the most was in use.
func ViewPeak() View { return View{kind: viewPeak} }

// ViewAge shows the memory in use by age class. The label "age" is the least age of the class, in seconds. Blocks younger
// than olderThan are left out, to within about 20 ms; 0 leaves out none.
func ViewAge(olderThan time.Duration) View { return View{kind: viewAge, olderThan: olderThan} }

// ViewShortLived shows what was allocated since Start and freed within a time of 100ms, 1s, 10s, 1m, 10m or 1h; 0 means 1s.
func ViewShortLived(within time.Duration) View { return View{kind: viewShortLived, within: within} }

// ViewDelta shows what was allocated since the Baseline, and beside it all memory in use now.
func ViewDelta(since *Baseline) View { return View{delta: true, since: since} }

// ViewGrowth shows how the memory in use has changed since the Baseline. Values may be negative.
func ViewGrowth(since *Baseline) View { return View{kind: viewGrowth, delta: true, since: since} }

// ViewRSS shows all memory that is resident: one profile whose total is RSS. Its values are resident bytes: of blocks in use,
// of Go's own heap, and of memory that was mapped directly, each with its stacks, and for each other line of the Account a
// leaf of its name, such as [malloc: free]. Selection.GoHeap is implied.
func ViewRSS() View { return View{kind: viewRSS} }

// ViewUnreachable shows the blocks in use that nothing in the program's memory was found to point to. A copy of the process
// looks for pointers to each recorded block, from variables, stacks and Go's heap on through other blocks; see docs/reach.md for what
// counts as a pointer, and for those that it cannot see. Blocks younger than olderThan are left out, because a register may hold
// them; 0 means 1s. With collect, Go's garbage is collected before, so that it holds nothing.
func ViewUnreachable(olderThan time.Duration, collect bool) View {
	return View{kind: viewUnreachable, olderThan: olderThan, collect: collect}
}

// ViewHeldBy shows the blocks in use by what holds them: the root of each stack is the first thing that was found to point to the
// block, such as "held by global sessions", "held by Go's heap" or "held by a block allocated in queue_push". The label "root" is what the
// chain of pointers begins with. With collect, Go's garbage is collected before, so that it holds nothing.
func ViewHeldBy(collect bool) View { return View{kind: viewHeldBy, collect: collect} }

// ViewPinned shows the free memory that malloc cannot give back, because blocks in use lie on the same pages: of each page, the
// blocks on it have equal shares. With glibc only.
func ViewPinned() View { return View{kind: viewPinned} }

// ViewDevice shows the memory of devices in use, such as graphics cards, and beside it what was allocated there since Start. It is
// that of the blocks whose kind is "cuda" or "hip", alone or before a space, but for pinned memory of the host; the label "device" says
// where it is. No other view has it, as it is not in RSS.
func ViewDevice() View { return View{kind: viewDevice} }

// viewing is how a view is taken and written.
type viewing struct {
	report.View
	compares bool // it may begin at a Baseline
	take     func(*alloc.Recording, *request) (*alloc.Snapshot, error)
}

var viewings = [...]viewing{
	viewInUse:     {report.InUse, true, takeNow},
	viewAllocated: {report.Allocated, true, takeNow},
	viewPeak: {View: report.Peak,
		take: func(r *alloc.Recording, s *request) (*alloc.Snapshot, error) { return r.PeakIn(s.memory) }},
	viewAge: {View: report.Age, take: func(r *alloc.Recording, s *request) (*alloc.Snapshot, error) {
		return r.AgesIn(s.memory, s.View.olderThan)
	}},
	viewShortLived: {View: report.ShortLived, take: func(r *alloc.Recording, s *request) (*alloc.Snapshot, error) {
		return r.ShortLivedIn(s.memory, s.View.within)
	}},
	viewGrowth:      {report.Growth, true, takeNow},
	viewRSS:         {View: report.RSS, take: takeResident},
	viewUnreachable: {View: report.Unreachable, take: takeUnreachable},
	viewHeldBy:      {View: report.HeldBy, take: takeHeld},
	viewPinned:      {View: report.Pinned, take: takePinned},
	viewDevice: {View: report.Device,
		take: func(r *alloc.Recording, s *request) (*alloc.Snapshot, error) { return r.DeviceIn(s.memory) }},
}

func takeNow(r *alloc.Recording, s *request) (*alloc.Snapshot, error) {
	return r.SnapshotIn(s.memory)
}

// String returns the view's name, which is also the Handler's parameter.
func (v View) String() string { return viewings[v.kind].Name }

// searches reports whether a copy of the process is searched for the view, which may take seconds.
func (v View) searches() bool {
	return v.kind == viewUnreachable || v.kind == viewHeldBy || v.kind == viewPinned
}

func (v View) withDefaults() View {
	if v.kind == viewUnreachable && v.olderThan == 0 && !v.everyAge {
		v.olderThan = time.Second
	}
	if v.kind == viewShortLived && v.within == 0 {
		v.within = time.Second
	}
	return v
}

// leftOut says which blocks a profile of the view leaves out.
func (v View) leftOut() []string {
	switch {
	case v.kind == viewShortLived:
		return []string{report.LivedComment(v.within)}
	case v.olderThan > 0:
		return []string{report.YoungerComment(v.olderThan)}
	}
	return nil
}

func (v View) check() error {
	switch {
	case v.olderThan < 0:
		return invalid("Selection.View", "is age with %v, which is negative", v.olderThan)
	case v.kind == viewShortLived && !slices.Contains(alloc.Lifetimes(), v.within):
		return invalid("Selection.View", "is shortlived with %v, which must be one of %v", v.within, alloc.Lifetimes())
	case v.delta && v.since == nil:
		return invalid("Selection.View", "has a Baseline that is nil")
	}
	return nil
}

// viewNamed returns the kind of view of that name. An error lists all names.
func viewNamed(name string) (viewKind, error) {
	var names []string
	for v := range viewings {
		if viewings[v].Name == name {
			return viewKind(v), nil
		}
		names = append(names, viewings[v].Name)
	}
	return 0, fmt.Errorf("it must be one of %s", strings.Join(names, ", "))
}
