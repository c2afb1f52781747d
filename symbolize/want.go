package symbolize

import (
	"iter"
	"slices"
	"sort"

	"github.com/cgoheap/cgoheap/internal/dwarf"
	"github.com/cgoheap/cgoheap/mappings"
)

// span is a half-open range of ELF addresses.
type span struct{ low, high uint64 }

// spans are ascending and do not overlap.
type spans []span

// at returns the span that contains the address; an empty one if there is none.
func (s spans) at(address uint64) span {
	i := sort.Search(len(s), func(i int) bool { return s[i].high > address })
	if i < len(s) && s[i].low <= address {
		return s[i]
	}
	return span{}
}

func (s spans) contain(address uint64) bool {
	return s.at(address) != span{}
}

// cut divides the span that has the address inside.
func (s spans) cut(address uint64) spans {
	for i := range s {
		if s[i].low < address && address < s[i].high {
			s = append(s, span{address, s[i].high})
			s[i].high = address
			break
		}
	}
	return s
}

// want is one address that a batch asks about, and what has been found for it.
type want struct {
	address  uint64
	position *dwarf.Position // of the address itself, in case there is no function around it; nil or zero: not known
	lines    []Line
	start    uint64 // of the function around an address that no symbol with a size covers; 0: not known
	poor     bool   // the lines are a symbol's, or lack inlined calls or a source position
	reason   Reason
	lack     Reason
}

// wants are ascending by address, without duplicates.
type wants []want

func newWants(addresses []uint64) wants {
	slices.Sort(addresses)
	addresses = slices.Compact(addresses)
	w := make(wants, len(addresses))
	for i, address := range addresses {
		w[i].address = address
	}
	return w
}

// inside returns the wants from one address up to another.
func (w wants) inside(low, high uint64) wants {
	from := func(address uint64) int {
		return sort.Search(len(w), func(i int) bool { return w[i].address >= address })
	}
	first := from(low)
	return w[first:max(first, from(high))]
}

// give sets the reason of all.
func (w wants) give(reason Reason) {
	for i := range w {
		w[i].reason = reason
	}
}

// at returns the want of an address; nil if it is not among them.
func (w wants) at(address uint64) *want {
	i := sort.Search(len(w), func(i int) bool { return w[i].address >= address })
	if i == len(w) || w[i].address != address {
		return nil
	}
	return &w[i]
}

func (w *want) result() Result {
	r := Result{Lines: w.lines, Reason: w.reason, Lack: w.lack}
	if w.lines == nil {
		r.Start = mappings.ELFAddr(w.start)
	}
	return r
}

// unnamed yields the wants without lines.
func (w wants) unnamed() iter.Seq[*want] {
	return func(yield func(*want) bool) {
		for i := range w {
			if w[i].lines == nil && !yield(&w[i]) {
				return
			}
		}
	}
}

// named reports whether all have lines.
func (w wants) named() bool {
	for range w.unnamed() {
		return false
	}
	return true
}
