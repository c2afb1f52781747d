package gospans

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/cgoheap/cgoheap/internal/peek"
)

const (
	gBytes         = 480 // that the fields of a g lie in
	leastG         = 256 // a g is larger
	mostGoroutines = 1 << 26
)

// Bounds of the size of a g's stack. Source: runtime/stack.go, stackalloc.
const (
	leastStack = 2 << 10
	mostStack  = 1 << 31
)

// statuses of a g: runtime/runtime2.go. scanning is set while the collector scans the stack.
const (
	inCall   = 3
	waiting  = 4
	dead     = 6
	scanning = 0x1000
)

// findGoroutines finds the list of goroutines, and the fields of a g. What looks like the list is it if more goroutines, which are begun
// after it was found, are in it too and have all that a g has.
func (l *Layout) findGoroutines() error {
	trials, err := begin()
	if err != nil {
		return err
	}
	defer trials.end()
	return l.findGoroutinesBy(trials)
}

func (l *Layout) findGoroutinesBy(trials *trials) error {
	err := errors.New("nothing in the Go runtime's data is a list of goroutines")
	search(func(at uint64, piece []byte) bool {
		for i := 0; i+sliceBytes <= len(piece); i += 8 {
			if !l.locate(sliceIn(piece[i:]), trials) {
				continue
			}
			l.Goroutines = at + uint64(i)
			if err = l.proveGoroutines(); err == nil {
				return true
			}
		}
		return false
	})
	return err
}

// proveGoroutines finds the fields of a g by goroutines that are in the list.
func (l *Layout) proveGoroutines() error {
	trials, err := begin()
	if err != nil {
		return err
	}
	defer trials.end()
	header := make([]byte, sliceBytes)
	if peek.Copy(header, l.Goroutines) != len(header) || !l.locate(sliceIn(header), trials) {
		return errors.New("what looks like the list of goroutines has none that was just begun")
	}
	return l.findFields(trials)
}

// mayHoldGoroutines looks at the first elements only.
func (l *Layout) mayHoldGoroutines(list slice) bool {
	if !list.plausible(mostGoroutines) || list.size < 3 || l.arena(list.at) == 0 {
		return false
	}
	words := list.words(3)
	for _, g := range words {
		if g == 0 || g%8 != 0 || l.arena(g) == 0 {
			return false
		}
	}
	return words != nil
}

// locate finds the g of each trial among the elements of a list, by an address in its stack, and reports whether each has one, of its own.
func (l *Layout) locate(list slice, trials *trials) bool {
	if !l.mayHoldGoroutines(list) {
		return false
	}
	all := list.words(list.size)
	const bounds = 16
	b := make([]byte, bounds*len(all))
	if all == nil || peek.Each(b, bounds, all) != len(all) {
		return false
	}
	found := 0
	for _, t := range trials.all {
		t.g = 0
	}
	for i, g := range all {
		lo, hi := wide(b[bounds*i:]), wide(b[bounds*i+8:])
		for _, t := range trials.all {
			if lo <= t.local && t.local < hi && mayBeStack(lo, hi) && l.mayBeG(g) {
				t.g, t.lo, t.hi = g, lo, hi
				found++
			}
		}
	}
	return found == len(trials.all) && trials.apart()
}

// mayBeStack reports whether bounds are as those of a goroutine's stack: the size is a power of two, and the beginning is aligned to the
// least one. It lies in Go's arenas, but not with GODEBUG=efence=1.
func mayBeStack(lo, hi uint64) bool {
	size := hi - lo
	return leastStack <= size && size <= mostStack && size&(size-1) == 0 && lo%leastStack == 0
}

// mayBeG reports whether an object is as large as a g, and has pointers as a g has. The runtime may put a word of its own before it.
func (l *Layout) mayBeG(object uint64) bool {
	r, ok := l.readSpan(object)
	return ok && r.size >= leastG && r.class&1 == 0 && (object-r.start)%r.size <= 8 && r.allocated(int((object-r.start)/r.size))
}

// apart reports whether the g of each trial was found, and no two have memory of a stack in common.
func (ts *trials) apart() bool {
	for i, t := range ts.all {
		if t.g == 0 {
			return false
		}
		for _, other := range ts.all[:i] {
			if t.lo < other.hi && other.lo < t.hi {
				return false
			}
		}
	}
	return true
}

// field is one of a g, and what it must have for each trial.
type field struct {
	name string
	at   *uint32
	size int
	is   func(t *trial, b []byte) bool
}

// findFields finds where the g of each trial has what it must have.
func (l *Layout) findFields(trials *trials) error {
	if err := trials.find(
		field{"goid", &l.G.ID, 8, func(t *trial, b []byte) bool { return wide(b) == t.id }},
		field{"startpc", &l.G.Start, 8, func(t *trial, b []byte) bool { return wide(b) == t.entry }},
		field{"gopc", &l.G.Created, 8, func(t *trial, b []byte) bool { return functionOf(wide(b)) == t.starter }},
	); err != nil {
		return err
	}
	status := trials.status()                                                         // from then on, all of them wait
	if err := trials.find(field{"sched", &l.G.SP, 24, func(t *trial, b []byte) bool { // sp, pc, g
		return t.lo < wide(b) && wide(b) <= t.local && functionOf(wide(b[8:])) != "" && wide(b[16:]) == t.g
	}}); err != nil {
		return err
	}
	ended := trials.endedStatus()
	status = slices.DeleteFunc(status, func(offset uint32) bool { return !slices.Contains(ended, offset) })
	if len(status) != 1 {
		return fmt.Errorf("the field atomicstatus of a goroutine was found %d times", len(status))
	}
	l.G.Status = status[0]
	return trials.closed
}

// find finds fields that are at one offset only.
func (ts *trials) find(fields ...field) error {
	for _, f := range fields {
		found := ts.where(f.size, f.is)
		if len(found) != 1 {
			return fmt.Errorf("the field %s of a goroutine was found %d times", f.name, len(found))
		}
		*f.at = found[0]
	}
	return nil
}

func wide(b []byte) uint64 { return binary.NativeEndian.Uint64(b) }

// where returns the offsets where the field is for all trials.
func (ts *trials) where(size int, is func(t *trial, b []byte) bool) (offsets []uint32) {
	images := make([][]byte, len(ts.all))
	for i, t := range ts.all {
		images[i] = make([]byte, gBytes)
		if peek.Copy(images[i], t.g) < size {
			return nil
		}
	}
	for at := 0; at+size <= gBytes; at += min(size, 8) {
		all := true
		for i, t := range ts.all {
			all = all && is(t, images[i][at:at+size])
		}
		if all {
			offsets = append(offsets, uint32(at))
		}
	}
	return offsets
}
