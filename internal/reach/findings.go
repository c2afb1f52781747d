package reach

import (
	"time"

	"github.com/cgoheap/cgoheap/alloc"
	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/twin"
	"github.com/cgoheap/cgoheap/internal/usage"
)

// Options say what to look for.
type Options struct {
	Kernel    usage.Kernel
	Collected bool            // collect Go's garbage first, and do not take what remains of it in memory for pointers
	Reach     bool            // what points to each block
	Named     bool            // and, where that is in Go's heap, what keeps it there
	Pinned    bool            // what free memory each block pins
	Deadline  time.Duration   // of the copy; 0 means a minute
	Ended     <-chan struct{} // the copy is not needed any more once it is closed; nil if it always is
}

// Findings are what copies of the process have found. They lie in the memory that Look was given.
type Findings struct {
	Blocks *alloc.Blocks
	Report twin.Report
	Time   time.Time // of the instant

	Swept    time.Duration             // how long before the instant Go's last collection but one had ended; 0 if there were no two
	GoData   []account.Range           // where Go's variables with pointers lie; empty if unknown
	Doubted  float64                   // bytes of blocks that few words hold which may be numbers; 0 before ByStack
	InGoHeap func(address uint64) bool // whether an address lies in an arena of Go's heap; nil if it is not known where those are
	Unknown  []string                  // what was looked at as a whole, because its layout is not known, with the reason

	found   []twin.Found    // of each block
	numbers []account.Range // where no pointers are
}

func isLost(f twin.Found) bool { return f.Holder == 0 && f.Root != twin.RootUnknown }

// Unreachable returns a snapshot of the blocks that nothing points to, and that were at least as old as oldest at the instant.
func (f *Findings) Unreachable(r *alloc.Recording, memory *scratch.Memory, oldest time.Duration) (*alloc.Snapshot, error) {
	return r.ClassesIn(memory, f.Blocks, func(i int) int {
		if !f.Lost(i) || f.Blocks.Younger(i, oldest) {
			return -1
		}
		return 0
	})
}

// Lost reports whether nothing points to a block.
func (f *Findings) Lost(i int) bool { return isLost(f.found[i]) }

// InSmallest reports whether all that leads to a block lies in Go's smallest objects, several of which Go keeps as one: the program may have
// forgotten the block.
func (f *Findings) InSmallest(i int) bool { return f.found[i].Root&twin.RootSmallest != 0 }

// Held returns a snapshot in which the blocks of one stack and size that are of one class are a sample: see alloc.ClassOf.
func (f *Findings) Held(r *alloc.Recording, memory *scratch.Memory, class func(i int) int) (*alloc.Snapshot, error) {
	return r.ClassesIn(memory, f.Blocks, class)
}

// Found returns what was found of a block.
func (f *Findings) Found(i int) *twin.Found { return &f.found[i] }

// Pinned returns a snapshot whose values are the free memory that blocks pin.
func (f *Findings) Pinned(r *alloc.Recording, memory *scratch.Memory) (*alloc.Snapshot, error) {
	return r.WeighedIn(memory, f.Blocks, func(i int) uint64 { return f.found[i].Pinned })
}
