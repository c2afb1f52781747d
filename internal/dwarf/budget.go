package dwarf

import (
	"errors"
	"sync/atomic"
)

// ErrTooBig reports that a search gave up at its limit of work.
var ErrTooBig = errors.New("dwarf: debug data exceeds the search's limit")

// stepLimit bounds the time of a search, whatever the file says: a step is an entry, a range, a row of a line table, a
// byte of a string or what else takes some 10 ns. So it bounds the memory for strings too. A search for addresses in
// every unit of a program with a gigabyte of debug data takes a quarter of this. Beyond the limit, results depend on the
// order in which goroutines read the file; below it they do not.
const stepLimit = 1 << 29

// The cost of reading: how many bytes to look at, or to copy, are a step, and how many steps a system call is.
const (
	stepBytes = 1 << 6
	fillSteps = 1 << 6
)

// budget counts the steps of one goroutine of a search, and passes them on to the count of all.
type budget struct {
	steps int
	spent bool // the limit was reached when the steps were last passed on
	all   *atomic.Int64
}

// budgetShare is how many steps a goroutine takes before the others see them.
const budgetShare = 1 << 12

// spend counts steps and reports whether the search may go on; with a nil budget it always may. Callers may ignore the
// result on the way: an exhausted budget stays exhausted.
func (b *budget) spend(steps int) bool {
	if b == nil {
		return true
	}
	if b.steps += steps; b.steps < budgetShare {
		return !b.spent
	}
	b.spent = b.all.Add(int64(b.steps)) > stepLimit
	b.steps = 0
	return !b.spent
}

func (b *budget) exhausted() bool { return b.all.Load() > stepLimit }
