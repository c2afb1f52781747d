package twin

import (
	"time"

	"github.com/cgoheap/cgoheap/cgo"
)

// Unread is how many bytes of the program's memory, at most, a copy could not look at. They may hold any block. Of Kept and Denied, pages that
// the program has not touched are not among them, but for secret ones.
type Unread struct {
	Kept    int64 // from copies, by MADV_DONTFORK or MADV_WIPEONFORK
	Denied  int64 // even to the program, as by PROT_NONE, or to the kernel: memfd_secret(2)
	Devices int64 // of devices, where a load may have an effect
}

// Bytes is all but that of devices: programs map gigabytes of those, and keep no addresses of blocks there.
func (u Unread) Bytes() int64 { return u.Kept + u.Denied }

// Report is what a twin cost.
type Report struct {
	cgo.TwinReport
	Ran    int           // threads that ran, or may have, while the copy was made: their registers are not known
	Copies int           // how many were made: the figures are of all, the pause of the longest
	Pause  time.Duration // of the call that copied the process
	Took   time.Duration // from then to its end
	Busy   time.Duration // processor time of the copy
	Unread Unread
	Copied int64 // bytes of pages that were copied because the program wrote meanwhile, at most: what the process's faults took
}
