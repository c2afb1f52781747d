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
	frames map[uint32][]stack.Frame // by ref of the stack
	unused []stack.Frame            // for more frames
	labels map[uint32][]stack.Label // by ref of the set
	ticks  uint64                   // just before the tables were settled
	depth  int                      // stacks are not deeper
	seed   uint64                   // of how values are rounded
	memory *scratch.Memory          // of the frames; nil: Go's heap
}

func newReader(depth int, seed uint64) *reader {
	return &reader{
		depth:  depth,
		seed:   seed,
		frames: make(map[uint32][]stack.Frame, atMost(cgo.Counted(cgo.CountStacks), cgo.StackFrames)),
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
	most := atMost(math.MaxUint64, cgo.SiteBytes)
	heads, count := load64(cgo.HeaderSiteHeads), atMost(load64(cgo.HeaderHeads), 4)
	for i := range uint64(count) {
		for ref := load32(heads + 4*i); ref != 0 && len(refs) < most; ref = load32(uint64(ref)*refUnit + uint64(cgo.SiteNext)) {
			refs = append(refs, ref)
		}
	}
	slices.Sort(refs)
	return refs
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

func (r *reader) stack(ref uint32) []stack.Frame {
	if known, ok := r.frames[ref]; ok {
		return known
	}
	at := uint64(ref) * refUnit
	frames := r.room(min(int(load32(at+uint64(cgo.StackDepth))), r.depth))
	for i := range frames {
		frames[i] = stack.Frame(load64(at + uint64(cgo.StackFrames) + 8*uint64(i)))
	}
	r.frames[ref] = frames
	return frames
}

// end is why the walk of a stack ended: an enum end.
func (r *reader) end(ref uint32) uint32 { return load32(uint64(ref)*refUnit + uint64(cgo.StackEnd)) }

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
