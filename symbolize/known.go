package symbolize

import (
	"cmp"
	"math"
	"slices"
	"unsafe"

	"github.com/cgoheap/cgoheap/mappings"
)

// known remembers the answers for a module's addresses. It is small: 16 bytes for each address, and 8 for the start of the
// function around one without a name, where a map of Results takes 80. Between two profiles it is bytes (compact.go). Addresses
// and starts are distances from the base, which lies 2 GiB before the first address.
type known struct {
	shelf   *shelf // for what the bytes hold
	base    uint64
	answers []answer // ascending
	around  []around // ascending
	bytes   []byte   // what the two lists hold; nil if they never held anything
	changed bool     // the lists hold more
}

// answer is a Result without its Start.
type answer struct {
	address uint32
	count   uint16 // of lines
	reason  Reason
	lack    Reason
	lines   *Line // the first
}

// around is the start of the function around an address.
type around struct{ address, start uint32 }

// distance returns false for an address that is not within 2 GiB of the first one.
func (k *known) distance(address uint64) (uint32, bool) {
	return uint32(address - k.base), address-k.base <= math.MaxUint32
}

// find returns where the answer for an address is.
func (k *known) find(address mappings.ELFAddr) (index int, found bool) {
	k.expand()
	return slices.BinarySearchFunc(k.answers, uint64(address)-k.base, func(a answer, distance uint64) int {
		return cmp.Compare(uint64(a.address), distance)
	})
}

// has reports whether there is an answer for an address.
func (k *known) has(address mappings.ELFAddr) bool {
	_, found := k.find(address)
	return found
}

// of returns the remembered answer for an address.
func (k *known) of(address mappings.ELFAddr) (Result, bool) {
	i, found := k.find(address)
	if !found {
		return Result{}, false
	}
	a := &k.answers[i]
	r := Result{Reason: a.reason, Lack: a.lack}
	if a.count > 0 {
		r.Lines = unsafe.Slice(a.lines, a.count)
		return r, true
	}
	i, found = slices.BinarySearchFunc(k.around, a.address, func(s around, address uint32) int {
		return cmp.Compare(s.address, address)
	})
	if found {
		r.Start = mappings.ELFAddr(k.base + uint64(k.around[i].start))
	}
	return r, true
}

// add remembers results of addresses that are not yet known, and returns how many.
func (k *known) add(w wants) int {
	k.expand()
	before := len(k.answers)
	if before == 0 && len(w) > 0 {
		k.base = w[0].address - 1<<31
	}
	k.answers = slices.Grow(k.answers, len(w))
	for i := range w {
		if !mayPass(&w[i]) {
			k.addOne(w[i].address, w[i].result())
		}
	}
	if before > 0 {
		slices.SortFunc(k.answers, func(a, b answer) int { return cmp.Compare(a.address, b.address) })
		slices.SortFunc(k.around, func(a, b around) int { return cmp.Compare(a.address, b.address) })
	}
	added := len(k.answers) - before
	k.changed = k.changed || added > 0
	return added
}

// addOne leaves out a Result that does not fit: with thousands of lines, or far from the others.
func (k *known) addOne(address uint64, r Result) {
	at, near := k.distance(address)
	if !near || len(r.Lines) > math.MaxUint16 {
		return
	}
	if r.Start != 0 {
		function, near := k.distance(uint64(r.Start))
		if !near {
			return
		}
		k.around = append(k.around, around{at, function})
	}
	k.answers = append(k.answers, answer{at, uint16(len(r.Lines)), r.Reason, r.Lack, unsafe.SliceData(r.Lines)})
}

// mayPass reports whether a result is temporary: the next profile may have another.
func mayPass(w *want) bool {
	return w.reason == unreadable || w.reason == serverFailed || w.lack == serverFailed
}
