package twin

import "time"

// Found is struct twin_found.
type Found struct {
	Holder, RootWord uint64
	Pinned           uint64 // in 1/256 byte
	Goroutine        uint64
	Through          uint32
	Root             Root
}

// Root says what a word lies in: enum twin_root.
type Root uint32

// RootUnknown is TWIN_ROOT_UNKNOWN: nobody looked for the block.
const RootUnknown Root = 9

// RootFinalizer and RootCycle are what only a finalizer or cleanup keeps, which has not run yet, or never can. RootGarbage is what
// nothing keeps.
const (
	RootFinalizer Root = 10
	RootCycle     Root = 11
	RootGarbage   Root = 13
)

// RootInGo is set beside another root if the chain leads from that through Go's heap.
const RootInGo Root = 0x40

// RootSmallest is set beside RootGoHeap if the chain begins in one of Go's smallest objects, several of which Go keeps as one.
const RootSmallest Root = 0x20

// Unread is how many bytes of the program's memory, at most, a copy could not look at. They may hold any block. Of Kept and Denied, pages that
// the program has not touched are not among them, but for secret ones.
type Unread struct {
	Kept    int64 // from copies, by MADV_DONTFORK or MADV_WIPEONFORK
	Denied  int64 // even to the program, as by PROT_NONE, or to the kernel: memfd_secret(2)
	Devices int64 // of devices, where a load may have an effect
}

// Bytes is all but that of devices: programs map gigabytes of those, and keep no addresses of blocks there.
func (u Unread) Bytes() int64 { return u.Kept + u.Denied }

// Report is what a twin says of its work, and what it cost.
type Report struct {
	Scanned        uint64 // bytes that were looked at for pointers
	Own            uint64 // bytes that it mapped for itself
	PinnedBytes    uint64 // free memory on pages that blocks in use lie on as well; 0 if it was not looked for
	PinnedRecorded uint64 // what recorded blocks have of it
	UnknownHeaps   int    // heaps of malloc's that could not be read: their blocks count as held, and hold what they point to
	GoUnknown      bool   // Go's heap was looked at as a whole, with its garbage

	Ran    int           // threads that ran, or may have, while the copy was made: their registers are not known
	Copies int           // how many were made: the figures are of all, the pause of the longest
	Pause  time.Duration // of the call that copied the process
	Took   time.Duration // from then to its end
	Busy   time.Duration // processor time of the copy
	Unread Unread
	Copied int64 // bytes of pages that were copied because the program wrote meanwhile, at most: what the process's faults took
}
