package dwarf

import (
	"errors"
	"sync/atomic"
)

// ErrTooBig says that a search gave up because it had read as much as one may.
var ErrTooBig = errors.New("dwarf: debug data exceeds the search's limit")

// stepLimit bounds the time of a search, whatever the file says: a step is an entry, a range, a row of a line table, a
// byte of a string or what else takes some 10 ns. So it bounds the memory for strings too. A search for addresses in
// every unit of a program with a gigabyte of debug data takes a quarter of this. What of a file is read before the limit
// is reached depends on the goroutines that read it; below the limit nothing does.
const stepLimit = 1 << 29

// What reading costs: to look at so many bytes, or to copy them, is a step, and to ask the system for some is so many.
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

// spend counts steps and reports whether the search may go on. Without a budget it may. Who spends something on the way
// need not look: once it may not go on, it may never.
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
