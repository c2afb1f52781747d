package account

import (
	"iter"
	"runtime"
	"runtime/metrics"
)

// goMemory has the Go runtime's own figures, in bytes. They have no addresses, so they divide the resident memory of the
// arenas; they do not replace it.
type goMemory struct {
	objects int64 // in use, and garbage that has not been swept yet
	stacks  int64 // of goroutines
	free    int64 // whole free spans that were not returned to the kernel
	unused  int64 // free slots for objects, in spans that have some objects
	filling int64 // how much of unused may be untouched, because its spans were never full; and how much of free, because blocks were freed untouched
}

// fillingBytes is how much memory is in the spans that one processor fills: one for each class of sizes, with pointers and
// without, nearly all of 8 to 32 KiB.
const fillingBytes = 2 << 20

// readGoMemory also returns how much the runtime has mapped and not returned to the kernel beside its heap.
func readGoMemory() (g goMemory, other int64) {
	samples := []metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"},
		{Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/unused:bytes"},
		{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
	}
	metrics.Read(samples)
	of := func(i int) int64 {
		if samples[i].Value.Kind() != metrics.KindUint64 { // a release that has no such class
			return 0
		}
		return int64(samples[i].Value.Uint64())
	}
	g = goMemory{of(0), of(1), of(2), of(3), fillingBytes * int64(runtime.GOMAXPROCS(0))}
	return g, max(0, of(4)-of(5)-g.objects-g.stacks-g.free-g.unused)
}

// GoMemory returns the Go runtime's own figures: bytes of objects, of free memory that was not returned to the kernel, of goroutines'
// stacks, and of what it has mapped beside its heap. Not all of it need be resident.
func GoMemory() (objects, free, stacks, other int64) {
	g, other := readGoMemory()
	return g.objects, g.free + g.unused, g.stacks, other
}

// divide divides the resident bytes of the arenas. Memory that the runtime counts and that is not resident was never
// touched: slots in spans that are being filled, beyond these free spans, and beyond these large objects. Memory that is resident beyond the
// runtime's count was returned to the kernel and became resident again, as with huge pages; it is free.
//
// A buffer of 64 KiB that is made on fresh pages and hardly used leaves a free span that is not resident. In a small program
// such spans are more than all objects. Of free, returned is what is beyond the runtime's count.
func (g goMemory) divide(inArenas int64) (objects, stacks, free, returned int64) {
	untouched := max(0, g.objects+g.stacks+g.free+g.unused-inArenas)
	slots := min(untouched, g.unused, g.filling)
	spans := min(untouched-slots, g.free, g.filling)
	free = g.free + g.unused - slots - spans
	if untouched == 0 {
		returned = inArenas - g.objects - g.stacks - free
		free += returned
	}
	stacks = min(g.stacks, inArenas)
	free = min(free, inArenas-stacks)
	return inArenas - free - stacks, stacks, free, returned
}

// arenaBytes is the unit in which the Go runtime reserves memory for its heap, and the alignment of each.
const arenaBytes = 64 << 20

// units yields the parts of a range that lie in one unit each.
func units(r Range) iter.Seq[Range] {
	return func(yield func(Range) bool) {
		for start := r.Start; start < r.Limit; {
			limit := min(r.Limit, start&^(arenaBytes-1)+arenaBytes)
			if !yield(Range{start, limit}) {
				return
			}
			start = limit
		}
	}
}

// inArena reports whether the runtime has used a part of an arena for a span. The runtime remembers that when the span is
// free again, and it fills an arena from the beginning, so the first pages nearly always decide.
func inArena(r Range) bool {
	const page, first, step = 8 << 10, 16 * 8 << 10, 64 * 8 << 10
	for at := r.Start; at < r.Limit; {
		if inSpan(uintptr(at)) {
			return true
		}
		if at < r.Start+first {
			at += page
		} else {
			at += step
		}
	}
	return false
}
