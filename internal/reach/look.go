//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package reach

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/cgoheap/cgoheap/alloc"
	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/background"
	"github.com/cgoheap/cgoheap/internal/gospans"
	"github.com/cgoheap/cgoheap/internal/malloc"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/twin"
	"github.com/cgoheap/cgoheap/internal/usage"
)

// Options say what to look for.
type Options struct {
	Kernel    usage.Kernel
	Collected bool          // collect Go's garbage first, and do not take what remains of it in memory for pointers
	Reach     bool          // what points to each block
	Pinned    bool          // what free memory each block pins
	Deadline  time.Duration // of the copy; 0 means a minute
}

// Findings are what a copy of the process has found. Free must be called.
type Findings struct {
	Blocks *alloc.Blocks
	Report twin.Report
	Time   time.Time // of the instant

	Unknown []string // what was looked at as a whole, because its layout is not known, with the reason

	twin *cgo.Twin
}

// Look makes a copy of the process and has it look for what points to the recorded blocks of malloc's in use. memory holds the blocks.
func Look(r *alloc.Recording, memory *scratch.Memory, o Options) (*Findings, error) {
	f := new(Findings)
	a := twin.Ask{TwinTask: cgo.TwinTask{Reach: o.Reach, Pinned: o.Pinned}, Kernel: o.Kernel, Deadline: o.Deadline, Stacks: r.Stacks}
	var err error
	if a.Malloc, err = malloc.ForTwin(r.Breaks()...); err != nil {
		if o.Pinned {
			return nil, fmt.Errorf("what blocks pin is known with glibc's malloc only: %w", err)
		}
		f.Unknown = append(f.Unknown, "malloc's heaps, with free blocks and those that were not recorded: "+err.Error())
	}
	if a.Go, err = gospans.Find(); err != nil {
		f.Unknown = append(f.Unknown, "Go's heap, with its garbage: "+err.Error())
	}
	if o.Collected {
		runtime.GC()
		runtime.GC() // what finalizers of the first collection have let go
	}
	// The addresses of blocks pass through the stacks of goroutines that have ended when the copy is made.
	background.Apart("listing blocks", func() { f.Blocks, err = r.BlocksIn(memory) })
	if err == nil {
		err = f.look(r, &a)
	}
	if err != nil {
		f.Free()
		return nil, err
	}
	return f, nil
}

func (f *Findings) look(r *alloc.Recording, a *twin.Ask) (err error) {
	stacks := r.Stacks()
	a.StackRoom = len(stacks) + len(stacks)/8 + 64
	for _, t := range r.Tables() {
		a.Apart = append(a.Apart, cgo.TwinRange(t))
	}
	slices.SortFunc(a.Apart, func(x, y cgo.TwinRange) int { return cmp.Compare(x.Start, y.Start) })
	if f.twin, err = twin.New(a, f.Blocks.Len()); err != nil {
		return err
	}
	background.Apart("listing blocks for a copy", func() {
		for i := range f.twin.Blocks {
			f.twin.Blocks[i].At, f.twin.Blocks[i].Size = f.Blocks.At(i)
		}
	})
	f.Time = time.Now()
	f.Report, err = twin.Look(f.twin, a)
	if f.Report.GoUnknown && a.Go != (gospans.Layout{}) {
		f.Unknown = append(f.Unknown, "Go's heap, with its garbage: at that moment it was not as expected")
	}
	if n := f.Report.UnknownHeaps; n > 0 {
		f.Unknown = append(f.Unknown, fmt.Sprintf("%d of malloc's heaps, with free blocks: at that moment their chunks did not follow one another", n))
	}
	return err
}

// Free frees the memory of what was found.
func (f *Findings) Free() {
	if f.twin != nil {
		_ = f.twin.Free() // the kernel unmaps what it has mapped
		f.twin = nil
	}
}

// Unreachable returns a snapshot of the blocks that nothing points to.
func (f *Findings) Unreachable(r *alloc.Recording, memory *scratch.Memory, oldest time.Duration) (*alloc.Snapshot, error) {
	return r.ClassesIn(memory, f.Blocks, oldest, func(i int) int {
		if f.twin.Found[i].Holder != 0 {
			return -1
		}
		return 0
	})
}

// Held returns a snapshot in which the blocks of one stack and size that are of one class are a sample: see alloc.ClassOf.
func (f *Findings) Held(r *alloc.Recording, memory *scratch.Memory, class func(i int) int) (*alloc.Snapshot, error) {
	return r.ClassesIn(memory, f.Blocks, 0, class)
}

// Found returns what was found of a block.
func (f *Findings) Found(i int) *cgo.TwinFound { return &f.twin.Found[i] }

// Pinned returns a snapshot whose values are the free memory that blocks pin.
func (f *Findings) Pinned(r *alloc.Recording, memory *scratch.Memory) (*alloc.Snapshot, error) {
	return r.WeighedIn(memory, f.Blocks, func(i int) uint64 { return f.twin.Found[i].Pinned })
}
