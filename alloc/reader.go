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

// reader turns the tables into samples.
type reader struct {
	stacks map[uint32]unrolled      // by ref
	unused []stack.Frame            // for more frames
	labels map[uint32][]stack.Label // by ref of the set
	nodes  []uint32                 // of the stack that is being unrolled
	ticks  uint64                   // just before the tables were settled
	depth  int                      // stacks are not deeper
	seed   uint64                   // of how values are rounded
	memory *scratch.Memory          // of the frames; nil: Go's heap
}

func newReader(depth int, seed uint64) *reader {
	return &reader{
		depth:  depth,
		seed:   seed,
		stacks: make(map[uint32]unrolled, atMost(cgo.Counted(cgo.CountStacks), cgo.StackBytes)),
		labels: make(map[uint32][]stack.Label),
		ticks:  cgo.Ticks(),
	}
}

// samples reads all sites that ever had a weight, oldest first, and keeps those that measure makes something of.
func (r *reader) samples(measure func(site uint64) flow) []stack.Sample {
	refs := sites()
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
	list := make([]stack.Sample, 0, wholes)
	for i, ref := range refs {
		at := uint64(ref) * refUnit
		if v := sums[i].values(load64(at+uint64(cgo.SiteSize)), r.rounding(ref)); v != (stack.Values{}) {
			s := r.sample(at)
			s.Values = v
			list = append(list, s)
		}
	}
	return list
}

// wholeOf is the site that a site is a part of, or itself.
func wholeOf(ref uint32) uint32 {
	return cmp.Or(load32(uint64(ref)*refUnit+uint64(cgo.SiteWhole)), ref)
}

// sites are the refs of all sites, in the order in which they were made.
func sites() []uint32 {
	refs := make([]uint32, 0, atMost(cgo.Counted(cgo.CountSites), cgo.SiteBytes))
	stacks, sites := tries{left: atMost(math.MaxUint64, cgo.StackBytes)}, tries{left: atMost(math.MaxUint64, cgo.SiteBytes)}
	heads, count := load64(cgo.HeaderStackHeads), atMost(load64(cgo.HeaderHeads), 4)
	for i := range uint64(count) {
		stacks.each(load32(heads+4*i), func(stack uint64) {
			sites.each(load32(stack+uint64(cgo.StackSites)), func(site uint64) {
				refs = append(refs, uint32(site/refUnit))
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
func (r *reader) sample(at uint64) stack.Sample {
	s := stack.Sample{
		ID:        at / refUnit,
		Frames:    r.stack(load32(at + uint64(cgo.SiteStack))),
		BlockSize: stack.MixedSizes,
		Labels:    r.labelSet(load32(at + uint64(cgo.SiteLabels))),
	}
	if size := load64(at + uint64(cgo.SiteSize)); size != cgo.SiteMixed {
		s.BlockSize = int64(size)
	}
	return s
}

func (r *reader) labelSet(ref uint32) []stack.Label {
	known, ok := r.labels[ref]
	if ref == 0 || ok {
		return known
	}
	at := uint64(ref) * refUnit
	labels := cgo.Labels(bytesAt(at+cgo.LabelsEntries, min(uint64(load32(at+uint64(cgo.LabelsSize))), cgo.LabelsBytes)))
	r.labels[ref] = labels
	return labels
}

// unrolled is a stack, leaf first, and the enum end that its walk stopped with.
type unrolled struct {
	frames []stack.Frame
	end    uint32
}

func (r *reader) stack(ref uint32) []stack.Frame {
	known, ok := r.stacks[ref]
	if !ok {
		known = r.unroll(load32(uint64(ref)*refUnit + uint64(cgo.StackNode)))
		r.stacks[ref] = known
	}
	return known.frames
}

// unroll follows a node to its root. A caller's node is older than its callee's, so its ref is lower.
func (r *reader) unroll(node uint32) unrolled {
	r.nodes = r.nodes[:0]
	for node >= cgo.StackEnds && len(r.nodes) < r.depth {
		r.nodes = append(r.nodes, node)
		caller := load32(uint64(node)*refUnit + uint64(cgo.NodeCaller))
		if caller >= node {
			break
		}
		node = caller
	}
	frames := r.room(len(r.nodes))
	for i, n := range r.nodes {
		frame := load32(uint64(n)*refUnit + uint64(cgo.NodeFrame))
		frames[i] = stack.Frame(load64(uint64(frame)*refUnit + uint64(cgo.FrameFrame)))
	}
	return unrolled{frames, node}
}

// end is why the walk of a stack that has been read ended: an enum end.
func (r *reader) end(ref uint32) uint32 { return r.stacks[ref].end }

// framesAtOnce is how many frames are set aside at a time: for hundreds of stacks.
const framesAtOnce = 16 << 10

func (r *reader) room(depth int) []stack.Frame {
	if depth > len(r.unused) {
		r.unused = scratch.Slice[stack.Frame](r.memory, max(depth, framesAtOnce))
	}
	frames := r.unused[:depth:depth]
	r.unused = r.unused[depth:]
	return frames
}
