package malloc

import (
	"runtime"
	"time"

	"github.com/cgoheap/cgoheap/internal/account"
)

// Kept is what one allocator keeps.
type Kept struct {
	account.Malloc

	trim     func()        // returns to the kernel what can be returned
	resident func() uint64 // what trim lowers; nil: what is resident of Ranges
}

// Read asks each allocator in the process that can hold memory. It spends about the given processor time, at most, on looking at
// memory; what it could not look at is estimated. Others are ranges of the program's data segment that are not malloc's, ascending.
func Read(within time.Duration, others ...account.Range) []Kept {
	runtime.LockOSThread() // whose time is taken
	defer runtime.UnlockOSThread()
	deadline := processorTime().Add(within)
	var all []Kept
	for _, read := range readers(others) {
		if k, found := read(deadline); found {
			all = append(all, k)
		}
	}
	return append(all, brought()...)
}

// reader asks one allocator; false if it is not in the process.
type reader func(deadline time.Time) (Kept, bool)

// Trim has every allocator return to the kernel what it can, and reports by how many bytes that lowered the resident memory
// in their ranges. An allocator keeps other threads waiting that need it meanwhile: for milliseconds per gigabyte.
func Trim() (given uint64) {
	for _, k := range Read(0) {
		if k.trim == nil {
			continue
		}
		before := residentNow(k)
		k.trim()
		if after := residentNow(k); after < before {
			given += before - after
		}
	}
	return given
}
