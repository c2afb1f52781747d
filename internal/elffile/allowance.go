package elffile

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"
)

// ErrAllowance reports that a section was not decompressed because the Allowance is used up.
var ErrAllowance = errors.New("decompressed sections take more memory than is allowed")

// Allowance is how many bytes of decompressed sections may be in memory at a time, of all files that share it.
type Allowance struct{ left atomic.Int64 }

// NewAllowance makes an Allowance of the given number of bytes.
func NewAllowance(bytes int64) *Allowance {
	a := &Allowance{}
	a.left.Store(bytes)
	return a
}

// Left returns how many bytes may still be decompressed. A nil Allowance has no bound.
func (a *Allowance) Left() int64 {
	if a == nil {
		return math.MaxInt64
	}
	return max(0, a.left.Load())
}

// Share bounds what the File decompresses from now on, until it is closed. A nil Allowance has no bound.
func (f *File) Share(a *Allowance) { f.allowance = a }

// Charge takes bytes from the Allowance that the File shares, until the File is closed: for what its caller decompressed for it.
func (f *File) Charge(bytes uint64) error { return f.take(bytes) }

func (f *File) take(bytes uint64) error {
	if f.allowance == nil {
		return nil
	}
	if f.allowance.left.Add(-int64(bytes)) < 0 {
		f.allowance.left.Add(int64(bytes))
		return fmt.Errorf("%w: %d bytes", ErrAllowance, bytes)
	}
	f.taken.Add(int64(bytes))
	return nil
}

func (f *File) giveBack() {
	if f.allowance != nil {
		f.allowance.left.Add(f.taken.Swap(0))
	}
}
