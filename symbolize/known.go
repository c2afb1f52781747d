package symbolize

import (
	"cmp"
	"math"
	"slices"
	"unsafe"

	"github.com/cgoheap/cgoheap/mappings"
)

// known is what is remembered of a module's addresses. It stays in memory between two profiles, so it is small: 24 bytes for
// each address, where a map of Results takes 80.
type known struct{ list []answer } // ascending

// answer is a Result.
type answer struct {
	address uint64
	lines   *Line  // the first of them; nil: there are none
	since   uint32 // how far before the address the Result's Start is; 0: not known
	count   uint16 // of lines
	reason  Reason
	lack    Reason
}

// newAnswer is false for a Result that does not fit: with thousands of lines, or a function of gigabytes.
func newAnswer(address uint64, r Result) (answer, bool) {
	a := answer{address: address, lines: unsafe.SliceData(r.Lines), count: uint16(len(r.Lines)), reason: r.Reason, lack: r.Lack}
	if r.Start != 0 {
		a.since = uint32(address - uint64(r.Start) + 1)
	}
	return a, len(r.Lines) <= math.MaxUint16 && (r.Start == 0 || address-uint64(r.Start) < math.MaxUint32)
}

func (a *answer) result() Result {
	r := Result{Reason: a.reason, Lack: a.lack}
	if a.count > 0 {
		r.Lines = unsafe.Slice(a.lines, a.count)
	}
	if a.since != 0 {
		r.Start = mappings.ELFAddr(a.address - uint64(a.since) + 1)
	}
	return r
}

// of is what is remembered of an address.
func (k *known) of(address mappings.ELFAddr) (Result, bool) {
	i, found := slices.BinarySearchFunc(k.list, uint64(address), func(a answer, address uint64) int { return cmp.Compare(a.address, address) })
	if !found {
		return Result{}, false
	}
	return k.list[i].result(), true
}

// add remembers results of addresses that are not yet known.
func (k *known) add(w wants) {
	before := len(k.list)
	k.list = slices.Grow(k.list, len(w))
	for i := range w {
		a, fits := newAnswer(w[i].address, w[i].result())
		if fits && !mayPass(&w[i]) {
			k.list = append(k.list, a)
		}
	}
	if before > 0 {
		slices.SortFunc(k.list, func(a, b answer) int { return cmp.Compare(a.address, b.address) })
	}
}

// mayPass says of what was found that it may be otherwise for the next profile.
func mayPass(w *want) bool {
	return w.reason == Unreadable || w.reason == ServerFailed || w.lack == ServerFailed
}
