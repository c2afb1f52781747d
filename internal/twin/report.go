package twin

import (
	"time"

	"github.com/cgoheap/cgoheap/cgo"
)

// Report is what a twin cost.
type Report struct {
	cgo.TwinReport
	Ran    int           // threads that ran, or may have, while the copy was made: their registers are not known
	Copies int           // how many were made: the figures are of all, the pause of the longest
	Pause  time.Duration // of the call that copied the process
	Took   time.Duration // from then to its end
	Busy   time.Duration // processor time of the copy
	Copied int64         // bytes of pages that were copied because the program wrote meanwhile, at most: what the process's faults took
}
