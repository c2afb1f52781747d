package gospans

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/peek"
)

// Span has the offsets of the fields of an mspan: startAddr, npages, freeindex and nelems (16 bits), allocBits, allocCount (16
// bits), state (8 bits), elemsize, spanclass (8 bits), and specials, which is 0 if it is unknown. An object is free if its index is
// not below freeindex and its bit in allocBits is 0. It has no pointers if the lowest bit of spanclass is set.
type Span struct{ Start, Pages, FreeIndex, Objects, Bits, Count, State, Size, Class, Specials uint32 }

// span is the layout that Go 1.25 to 1.27 have, which must be proven before it is used. Source: runtime/mheap.go.
var span = Span{Start: 24, Pages: 32, FreeIndex: 48, Objects: 50, Bits: 64, Count: 96, State: 99, Size: 104, Class: 98}

// inUse is a span's state when objects are allocated in it: mSpanInUse.
const inUse = 1

// record is what a span says.
type record struct {
	start, pages, size        uint64 // address, pages, bytes of an object
	freeIndex, objects, count int
	state, class              byte
	bits                      []byte
}

const spanBytes = 112 // that the fields lie in

// readSpan reads the span of an object, and reports whether it can have it.
func (l Layout) readSpan(object uint64) (r record, ok bool) {
	b := make([]byte, spanBytes)
	if peek.Copy(b, l.spanOf(object)) != len(b) {
		return r, false
	}
	wide := func(at uint32) uint64 { return binary.NativeEndian.Uint64(b[at:]) }
	short := func(at uint32) int { return int(binary.NativeEndian.Uint16(b[at:])) }
	r = record{
		start: wide(l.Span.Start), pages: wide(l.Span.Pages), size: wide(l.Span.Size),
		freeIndex: short(l.Span.FreeIndex), objects: short(l.Span.Objects), count: short(l.Span.Count),
		state: b[l.Span.State], class: b[l.Span.Class],
	}
	if r.state != inUse || r.objects == 0 || r.size == 0 || r.freeIndex > r.objects || r.count > r.objects ||
		uint64(r.objects)*r.size > r.pages*PageBytes || object < r.start || object >= r.start+uint64(r.objects)*r.size {
		return r, false
	}
	r.bits = make([]byte, (r.objects+7)/8)
	return r, peek.Copy(r.bits, wide(l.Span.Bits)) == len(r.bits)
}

// allocated reports whether the object with an index is.
func (r record) allocated(i int) bool { return i < r.freeIndex || r.bits[i/8]>>(i%8)&1 != 0 }

// next returns the index of the first free object.
func (r record) next() (i int, found bool) {
	for i = r.freeIndex; i < r.objects; i++ {
		if !r.allocated(i) {
			return i, true
		}
	}
	return 0, false
}

func (r record) allocatedCount() (n int) {
	for i := range r.objects {
		if r.allocated(i) {
			n++
		}
	}
	return n
}

// verifySpans returns an error unless spans describe objects of all kinds as expected.
func (l Layout) verifySpans() error {
	if err := l.verifyLarge(); err != nil {
		return err
	}
	for _, size := range []int{8, 48, 1000, 8000, 20000} {
		if err := l.verifyKinds(size); err != nil {
			return err
		}
	}
	return l.verifyFree()
}

func (l Layout) verifyLarge() error {
	object := allocate(largeBytes)
	defer runtime.KeepAlive(object)
	r, ok := l.readSpan(addressOf(object))
	if !ok || r.start != addressOf(object) || r.pages != largePages || r.size != largePages*PageBytes ||
		r.objects != 1 || r.freeIndex != 1 || r.count != 1 {
		return fmt.Errorf("the span of a large object is not as expected: %+v", r)
	}
	return nil
}

// verifyKinds does so for an object with pointers and for one without.
func (l Layout) verifyKinds(size int) error {
	plain, pointers := allocate(size), allocatePointers(size/8)
	defer runtime.KeepAlive(plain)
	defer runtime.KeepAlive(pointers)
	for i, at := range []uint64{addressOf(plain), uint64(uintptr(unsafe.Pointer(unsafe.SliceData(pointers))))} {
		r, ok := l.readSpan(at)
		if !ok || r.size < uint64(size) || r.size > uint64(size+size/4+16) || !r.allocated(int((at-r.start)/r.size)) || r.class&1 != byte(1-i) {
			return fmt.Errorf("the span of an object of %d bytes is not as expected: %+v", size, r)
		}
	}
	return nil
}

//go:noinline
func allocatePointers(n int) []*byte { return make([]*byte, n) }

// Objects are allocated one after the other in the free places of a span, and between two of them the span says where the next
// will be. Another goroutine, or a change of the thread, can come between, but seldom does.
const (
	freeBytes    = 1792
	predictions  = 64
	mostFailures = 12
)

func (l Layout) verifyFree() error {
	objects := [][]byte{allocate(freeBytes)}
	defer runtime.KeepAlive(objects)
	asked, failures := 0, 0
	for range 2 * predictions {
		r, ok := l.readSpan(addressOf(objects[len(objects)-1]))
		if !ok {
			return errors.New("the span of an object that was just allocated is not as expected")
		}
		i, found := r.next()
		object := allocate(freeBytes)
		objects = append(objects, object)
		if !found {
			continue
		}
		asked++
		if addressOf(object) != r.start+uint64(i)*r.size || r.count != r.allocatedCount() {
			failures++
		}
	}
	if asked < predictions || failures > mostFailures {
		return fmt.Errorf("of %d objects, %d were not allocated where the span had its first free place", asked, failures)
	}
	return nil
}
