package flight

import (
	"cmp"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"github.com/cgoheap/cgoheap/stack"
)

// heapNote is a note of Go's own heap, by its largest stacks, in words:
//
//	number │ time │ mean bytes between samples │ words in use │ entries
//
// Each entry is a stack: how many frames it has, the size of its blocks, its four values, and its frames. The stacks for which there is no
// room are one entry without frames.
type heapNote struct {
	words []uint64
}

const (
	heapHead  = 4
	entryHead = 6
)

// put stores the samples of a profile with something in use, those that have the most first, under a number. It reorders the
// samples.
func (h heapNote) put(number uint64, p *stack.Profile) {
	slices.SortStableFunc(p.Samples, func(a, b stack.Sample) int { return cmp.Compare(b.InuseBytes, a.InuseBytes) })
	atomic.StoreUint64(&h.words[0], 0)
	atomic.StoreUint64(&h.words[1], uint64(p.Time.UnixNano()))
	atomic.StoreUint64(&h.words[2], uint64(p.SampleBytes))
	at := heapHead
	rest := stack.Sample{BlockSize: stack.MixedSizes}
	for i := range p.Samples {
		s := &p.Samples[i]
		if s.Values == (stack.Values{}) {
			continue
		}
		if len(s.Frames) == 0 || rest.Values != (stack.Values{}) || at+entryHead+len(s.Frames)+entryHead > len(h.words) {
			rest.Add(s.Values)
			continue
		}
		at = h.entry(at, s)
	}
	if rest.Values != (stack.Values{}) {
		at = h.entry(at, &rest)
	}
	atomic.StoreUint64(&h.words[3], uint64(at))
	atomic.StoreUint64(&h.words[0], number)
}

func (h heapNote) entry(at int, s *stack.Sample) (next int) {
	for _, word := range [entryHead]uint64{uint64(len(s.Frames)), uint64(s.BlockSize),
		uint64(s.AllocObjects), uint64(s.AllocBytes), uint64(s.InuseObjects), uint64(s.InuseBytes)} {
		atomic.StoreUint64(&h.words[at], word)
		at++
	}
	for _, f := range s.Frames {
		atomic.StoreUint64(&h.words[at], uint64(f))
		at++
	}
	return at
}

func (h heapNote) number() uint64 { return atomic.LoadUint64(&h.words[0]) }

// Heap is Go's own heap, as it was noted.
type Heap struct {
	stack.Profile
	Rest stack.Values // of the stacks for which there was no room
}

// read returns the note; false if there is none, or it was overwritten.
func (h heapNote) read() (heap Heap, ok bool) {
	number, end := h.number(), atomic.LoadUint64(&h.words[3])
	if number == 0 || end < heapHead || end > uint64(len(h.words)) {
		return Heap{}, false
	}
	heap.Time = time.Unix(0, int64(atomic.LoadUint64(&h.words[1])))
	heap.SampleBytes = int64(atomic.LoadUint64(&h.words[2]))
	words := h.words[heapHead:end]
	for len(words) > 0 {
		s, size := readEntry(words)
		if size == 0 {
			return Heap{}, false
		}
		words = words[size:]
		if len(s.Frames) == 0 {
			heap.Rest.Add(s.Values)
		} else {
			heap.Samples = append(heap.Samples, s)
		}
	}
	return heap, h.number() == number
}

// readEntry returns an entry and how many words it takes; 0 if they are no entry.
func readEntry(words []uint64) (s stack.Sample, size int) {
	var head [entryHead]uint64
	if len(words) < entryHead {
		return s, 0
	}
	for i := range head {
		head[i] = atomic.LoadUint64(&words[i])
	}
	if head[0] > uint64(len(words)-entryHead) {
		return s, 0
	}
	s.BlockSize = int64(head[1])
	s.Values = stack.Values{AllocObjects: int64(head[2]), AllocBytes: int64(head[3]), InuseObjects: int64(head[4]), InuseBytes: int64(head[5])}
	for _, value := range [...]int64{s.AllocObjects, s.AllocBytes, s.InuseObjects, s.InuseBytes} {
		if value < 0 {
			return s, 0
		}
	}
	size = entryHead + int(head[0])
	for _, word := range words[entryHead:size] {
		s.Frames = append(s.Frames, stack.Frame(word))
	}
	return s, size
}

// Latest is the last time that a note may have.
var Latest = time.Unix(0, math.MaxInt64)

// HeapUntil returns the last note of Go's heap that is whole, and not of a time after end; false if there is none.
func (n *Notes) HeapUntil(end time.Time) (heap Heap, ok bool) {
	newest := 0
	if n.heaps[1].number() > n.heaps[0].number() {
		newest = 1
	}
	for _, i := range [...]int{newest, 1 - newest} {
		if heap, ok = n.heaps[i].read(); ok && !heap.Time.After(end) {
			return heap, true
		}
	}
	return Heap{}, false
}
