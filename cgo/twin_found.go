package cgo

// TwinFound is struct twin_found.
type TwinFound struct {
	Holder, RootWord uint64
	Pinned           uint64 // in 1/256 byte
	Goroutine        uint64
	Through          uint32
	Root             TwinRoot
}

// TwinRoot says what a word lies in: enum twin_root.
type TwinRoot uint32

// TwinRootUnknown is TWIN_ROOT_UNKNOWN: nobody looked for the block.
const TwinRootUnknown TwinRoot = 9

// TwinRootFinalizer and TwinRootCycle are what only a finalizer or cleanup keeps, which has not run yet, or never can. TwinRootGarbage is what
// nothing keeps.
const (
	TwinRootFinalizer TwinRoot = 10
	TwinRootCycle     TwinRoot = 11
	TwinRootGarbage   TwinRoot = 13
)

// TwinRootInGo is set beside another root if the chain leads from that through Go's heap.
const TwinRootInGo TwinRoot = 0x40

// TwinRootSmallest is set beside TwinRootGoHeap if the chain begins in one of Go's smallest objects, several of which Go keeps as one.
const TwinRootSmallest TwinRoot = 0x20

// TwinReport is what a twin says of its work.
type TwinReport struct {
	Scanned          uint64 // bytes that were looked at for pointers
	Own              uint64 // bytes that it mapped for itself
	Chunks, Followed uint64 // blocks in glibc's heaps, and how many blocks something points to
	PinnedBytes      uint64 // free memory on pages that blocks in use lie on as well; 0 if it was not looked for
	PinnedRecorded   uint64 // what recorded blocks have of it
	UnknownHeaps     int    // heaps of malloc's that could not be read: their blocks count as held, and hold what they point to
	GoUnknown        bool   // Go's heap was looked at as a whole, with its garbage
}
