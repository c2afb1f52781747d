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
	mostGoroutines = 1 << 26
)

// statuses of a g: runtime/runtime2.go. scanning is set while the collector scans the stack.
const (
	inCall   = 3
	waiting  = 4
	dead     = 6
	scanning = 0x1000
)

// findGoroutines finds the list of goroutines, and the fields of a g.
func (l *Layout) findGoroutines() error {
	trials, err := begin()
	if err != nil {
		return err
	}
	defer trials.end()
	if !search(func(at uint64, piece []byte) bool {
		for i := 0; i+sliceBytes <= len(piece); i += 8 {
			if list := sliceIn(piece[i:]); l.mayHoldGoroutines(list) && l.locate(list, trials) {
				l.Goroutines = at + uint64(i)
				return true
			}
		}
		return false
	}) {
		return errors.New("nothing in the Go runtime's data is a list of goroutines")
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

// locate finds the g of each trial among the elements of a list, by an address in its stack, and reports whether all have one.
func (l *Layout) locate(list slice, trials *trials) bool {
	all := list.words(list.size)
	const bounds = 16
	b := make([]byte, bounds*len(all))
	if all == nil || peek.Each(b, bounds, all) != len(all) {
		return false
	}
	found := 0
	for i, g := range all {
		lo, hi := binary.NativeEndian.Uint64(b[bounds*i:]), binary.NativeEndian.Uint64(b[bounds*i+8:])
		for _, t := range trials.all {
			if lo <= t.local && t.local < hi {
				t.g, t.lo, t.hi = g, lo, hi
				found++
			}
		}
	}
	return found == len(trials.all)
}

// findFields finds where the g of each trial has what it must have.
func (l *Layout) findFields(trials *trials) (err error) {
	status := trials.status() // from then on, all of them wait
	for _, field := range []struct {
		name string
		at   *uint32
		size int
		is   func(t *trial, b []byte) bool
	}{
		{"goid", &l.G.ID, 8, func(t *trial, b []byte) bool { return wide(b) == t.id }},
		{"startpc", &l.G.Start, 8, func(t *trial, b []byte) bool { return wide(b) == t.entry }},
		{"gopc", &l.G.Created, 8, func(t *trial, b []byte) bool { return functionOf(wide(b)) == t.starter }},
		{"sched", &l.G.SP, 24, func(t *trial, b []byte) bool { // sp, pc, g
			return t.lo < wide(b) && wide(b) <= t.local && functionOf(wide(b[8:])) != "" && wide(b[16:]) == t.g
		}},
	} {
		found := trials.where(field.size, field.is)
		if len(found) != 1 {
			return fmt.Errorf("the field %s of a goroutine was found %d times", field.name, len(found))
		}
		*field.at = found[0]
	}
	ended := trials.endedStatus()
	status = slices.DeleteFunc(status, func(offset uint32) bool { return !slices.Contains(ended, offset) })
	if len(status) != 1 {
		return fmt.Errorf("the field atomicstatus of a goroutine was found %d times", len(status))
	}
	l.G.Status = status[0]
	return trials.closed
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
