//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"cmp"
	"math"
	"slices"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/stack"
)

// reader turns the tables into samples. It keeps them in a form that takes a third of the memory of a stack.Sample: a profile is
// often written when there is little left.
type reader struct {
	stacks stacks
	labels labels
	ticks  uint64          // just before the tables were settled
	seed   uint64          // of how values are rounded
	memory *scratch.Memory // of all but the labels; nil: Go's heap
}

// record is a sample without its stack and labels, but with their numbers.
type record struct {
	stack.Values
	id        uint64
	blockSize int64
	stack     uint32
	labels    uint32
}

func newReader(depth int, seed uint64, memory *scratch.Memory) *reader {
	return &reader{
		seed:   seed,
		memory: memory,
		stacks: newStacks(depth, memory),
		labels: labels{numbers: make(map[uint32]uint32)},
		ticks:  cgo.Ticks(),
	}
}

// samples reads all sites that ever had a weight, oldest first, and keeps those that measure makes something of.
func (r *reader) samples(measure func(site uint64) flow) []record {
	refs := sites(r.memory)
	defer scratch.ReleaseSlice(r.memory, refs)
	sums := scratch.Slice[flow](r.memory, len(refs))
	defer scratch.ReleaseSlice(r.memory, sums)
	wholes := 0
	for i, ref := range refs {
		whole, found := wholeOf(ref), true
		if whole == ref {
			wholes++
		} else {
			i, found = slices.BinarySearch(refs, whole)
		}
		if found {
			sums[i] = sums[i].plus(measure(uint64(ref) * refUnit))
		}
	}
	list := scratch.Slice[record](r.memory, wholes)[:0]
	for i, ref := range refs {
		at := uint64(ref) * refUnit
		if v := sums[i].values(load64(at+uint64(cgo.SiteSize)), r.rounding(ref)); v != (stack.Values{}) {
			s := r.sample(at)
			s.Values = v
			list = scratch.Append(r.memory, list, s)
		}
	}
	return list
}

// wholeOf is the site that a site is a part of, or itself.
func wholeOf(ref uint32) uint32 {
	return cmp.Or(load32(uint64(ref)*refUnit+uint64(cgo.SiteWhole)), ref)
}

// sites are the refs of all sites, in the order in which they were made.
func sites(memory *scratch.Memory) []uint32 {
	refs := scratch.Slice[uint32](memory, atMost(cgo.Counted(cgo.CountSites), cgo.SiteBytes))[:0]
	stacks, sites := tries{left: atMost(math.MaxUint64, cgo.StackBytes)}, tries{left: atMost(math.MaxUint64, cgo.SiteBytes)}
	heads, count := load64(cgo.HeaderStackHeads), atMost(load64(cgo.HeaderHeads), 4)
	for i := range uint64(count) {
		stacks.each(load32(heads+4*i), func(stack uint64) {
			sites.each(load32(stack+uint64(cgo.StackSites)), func(site uint64) {
				refs = scratch.Append(memory, refs, uint32(site/refUnit))
			})
		})
	}
	slices.Sort(refs)
	return refs
}

// tries visits records that hang in tries, as many as there can be.
type tries struct {
	left int
	todo []uint32
}

// each calls visit with the offsets of the record of a ref and of all below it.
func (t *tries) each(ref uint32, visit func(offset uint64)) {
	for t.todo = append(t.todo[:0], ref); len(t.todo) > 0; {
		last := len(t.todo) - 1
		at := uint64(t.todo[last]) * refUnit
		t.todo = t.todo[:last]
		if at == 0 || t.left == 0 {
			continue
		}
		t.left--
		t.todo = append(t.todo, load32(at), load32(at+4))
		visit(at)
	}
}

// sample is the site at an offset, without its values.
func (r *reader) sample(at uint64) record {
	s := record{
		id:        at / refUnit,
		stack:     r.stacks.number(load32(at + uint64(cgo.SiteStack))),
		blockSize: stack.MixedSizes,
		labels:    r.labels.number(load32(at + uint64(cgo.SiteLabels))),
	}
	if size := load64(at + uint64(cgo.SiteSize)); size != cgo.SiteMixed {
		s.blockSize = int64(size)
	}
	return s
}

// labels are sets of labels. The set 0 has none.
type labels struct {
	sets    [][]stack.Label
	numbers map[uint32]uint32 // by ref
}

func (l *labels) number(ref uint32) uint32 {
	known, ok := l.numbers[ref]
	if ref == 0 || ok {
		return known
	}
	at := uint64(ref) * refUnit
	l.numbers[ref] = l.add(cgo.Labels(bytesAt(at+cgo.LabelsEntries, min(uint64(load32(at+uint64(cgo.LabelsSize))), cgo.LabelsBytes))))
	return l.numbers[ref]
}

// add gives a set a number.
func (l *labels) add(set []stack.Label) uint32 {
	l.sets = append(l.sets, set)
	return uint32(len(l.sets))
}

func (l *labels) of(number uint32) []stack.Label {
	if number == 0 {
		return nil
	}
	return l.sets[number-1]
}
