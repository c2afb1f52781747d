package tables

import (
	"encoding/binary"
	"math"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/stack"
)

// Reader turns the tables into samples. It keeps them in a form that takes a third of the memory of a stack.Sample: a
// profile is often written when little memory is left.
type Reader struct {
	Options
	region Region
	stacks Stacks
	labels labels
	memory *scratch.Memory // holds all but the labels; nil: Go's heap
}

// Options are what a Reader must know beside the region.
type Options struct {
	Depth  int    // frames kept of a stack
	Seed   uint64 // of the rounding
	Ticks  uint64 // just before the tables were settled
	Stacks uint64 // about as many are expected
	Sites  uint64 // about as many are expected

	// Stopped says that nobody writes the region any more, and nobody has settled its tables: all that was recorded counts, up to
	// the last moment, and so does a peak that was not held.
	Stopped bool

	Of Memory // the samples that are wanted
}

// Memory is where the blocks of samples lie.
type Memory uint8

// The memory of which there are samples.
const (
	Host   Memory = iota // what was pinned for devices, too, but not what was registered with them
	Device               // of all devices
	All
)

// record is a sample that has the numbers of its stack and labels instead of these.
type record struct {
	stack.Values
	id        uint64
	blockSize int64
	stack     uint32
	labels    uint32
}

// NewReader returns a reader of a region, whose samples lie in memory.
func NewReader(region Region, o Options, memory *scratch.Memory) *Reader {
	return &Reader{
		Options: o,
		region:  region,
		memory:  memory,
		stacks:  NewStacks(region, o.Depth, o.Stacks, memory),
		labels:  labels{region: region, numbers: make(map[uint32]uint32), left: uint64(len(region))},
	}
}

// Settled returns what all sites had allocated by the last settle, and what of it was in use then.
func (r *Reader) Settled() *Samples { return r.samples(r.moment().settled) }

// SettledOf is Settled for sites whose IDs are wanted.
func (r *Reader) SettledOf(wanted func(id uint64) bool) *Samples {
	now := r.moment()
	return r.samples(func(site uint64) flow {
		if !wanted(site / refUnit) {
			return flow{}
		}
		return now.settled(site)
	})
}

// AtPeak returns what was in use at the peak, which must be held.
func (r *Reader) AtPeak() *Samples { return r.samples(r.moment().atPeak) }

// FreedWithin returns what was freed in the first classes of lifetimes, as allocated.
func (r *Reader) FreedWithin(classes int) *Samples {
	return r.samples(func(site uint64) flow { return r.moment().freedWithin(site, classes) })
}

func (r *Reader) moment() moment { return moment{r.region, r.Stopped} }

// samples reads all sites that ever had a weight, in the order of their refs, and keeps those for which measure is not zero.
func (r *Reader) samples(measure func(site uint64) flow) *Samples {
	refs := r.sites()
	defer scratch.ReleaseSlice(r.memory, refs)
	list := scratch.Slice[record](r.memory, len(refs))[:0]
	for _, ref := range refs {
		at := Offset(ref)
		if v := measure(at).values(r.region.Load64(at+layout.SiteSize), r.rounding(ref)); v != (stack.Values{}) {
			s := r.sample(at)
			s.Values = v
			list = scratch.Append(r.memory, list, s)
		}
	}
	return r.packed(list)
}

func (r *Reader) packed(list []record) *Samples {
	if r.Of != All {
		list = slices.DeleteFunc(list, func(s record) bool { return r.memoryOf(uint32(s.id)) != r.Of })
	}
	return &Samples{list, &r.stacks, &r.labels}
}

// memoryOf returns the memory that the blocks of a site lie in, and are wanted with; All for none but that.
func (r *Reader) memoryOf(site uint32) Memory {
	switch r.place(site) {
	case layout.SiteOnDevice:
		return Device
	case layout.SiteRegistered:
		return All
	}
	return Host
}

// place returns where the blocks of a site lie.
func (r *Reader) place(site uint32) byte { return r.region.load8(Offset(site) + layout.SiteDevice) }

// sites returns the refs of all sites, in ascending order.
func (r *Reader) sites() []uint32 {
	g := r.region
	refs := scratch.Slice[uint32](r.memory, g.atMost(r.Sites, siteBytes))[:0]
	stacks, sites := tries{region: g, left: g.atMost(math.MaxUint64, layout.SizeofStack)}, tries{region: g, left: g.atMost(math.MaxUint64, siteBytes)}
	heads, count := g.Load64(layout.HeaderStackHeads), g.atMost(g.Load64(layout.HeaderHeads), layout.SizeofStackHead)
	for i := range uint64(count) {
		stacks.each(g.Load32(heads+layout.SizeofStackHead*i), func(stack uint64) {
			for k := range uint64(layout.StackTries) {
				sites.each(g.Load32(stack+layout.StackSized+4*k), func(site uint64) {
					refs = scratch.Append(r.memory, refs, uint32(site/refUnit))
				})
			}
		})
	}
	slices.Sort(refs)
	return refs
}

// tries visits the records of tries, at most as many as can exist.
type tries struct {
	region Region
	left   int
	todo   []uint32
}

// each calls visit with the offset of the record of a ref and of each record below it.
func (t *tries) each(ref uint32, visit func(offset uint64)) {
	for t.todo = append(t.todo[:0], ref); len(t.todo) > 0; {
		last := len(t.todo) - 1
		at := Offset(t.todo[last])
		t.todo = t.todo[:last]
		if at == 0 || t.left == 0 {
			continue
		}
		t.left--
		t.todo = append(t.todo, t.region.Load32(at), t.region.Load32(at+4))
		visit(at)
	}
}

// sample returns the site at an offset as a record without values.
func (r *Reader) sample(at uint64) record {
	s := record{
		id:        at / refUnit,
		stack:     r.stacks.Number(r.region.Load32(at + layout.SiteStack)),
		blockSize: stack.MixedSizes,
		labels:    r.labels.number(r.region.Load32(at + layout.SiteLabels)),
	}
	if size := r.region.Load64(at + layout.SiteSize); size != layout.SiteMixed {
		s.blockSize = int64(size)
	}
	return s
}

// Region is a region's memory, which hooks may be writing. It begins at an address that is a multiple of 8.
type Region []byte

// refUnit is the unit of a ref, in bytes.
const refUnit = 16

// Offset returns the offset of the record that a ref refers to.
func Offset(ref uint32) uint64 { return uint64(ref) * refUnit }

// inside reports whether there is a word of size bytes at an offset. Words must be aligned, to be read atomically.
func (g Region) inside(offset, size uint64) bool {
	return offset%size == 0 && offset < uint64(len(g)) && uint64(len(g))-offset >= size
}

// Load64 returns the word at an offset.
func (g Region) Load64(offset uint64) uint64 {
	if !g.inside(offset, 8) {
		return 0
	}
	return atomic.LoadUint64((*uint64)(unsafe.Pointer(&g[offset])))
}

// Load32 returns the half of a word at an offset.
func (g Region) Load32(offset uint64) uint32 {
	if !g.inside(offset, 4) {
		return 0
	}
	return atomic.LoadUint32((*uint32)(unsafe.Pointer(&g[offset])))
}

func (g Region) load8(offset uint64) uint8 {
	word := [4]byte{}
	binary.NativeEndian.PutUint32(word[:], g.Load32(offset&^3))
	return word[offset&3]
}

// Bytes returns up to size bytes from an offset on.
func (g Region) Bytes(offset, size uint64) []byte {
	if offset > uint64(len(g)) {
		return nil
	}
	return g[offset:][:min(size, uint64(len(g))-offset)]
}

// atMost returns count, but at most the number of records of size bytes that the region has room for.
func (g Region) atMost(count, size uint64) int { return int(min(count, uint64(len(g))/size)) }

// CallSite returns the innermost frame of a stack; 0 if it has none.
func (g Region) CallSite(stackRef uint32) stack.Frame {
	node := g.Load32(Offset(stackRef) + layout.StackNode)
	if node < layout.StackEnds {
		return stack.Frame(0)
	}
	return stack.Frame(g.Load64(Offset(g.Load32(Offset(node)+layout.NodeFrame)) + layout.FrameFrame))
}
