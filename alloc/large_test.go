//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"testing"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/stack"
)

// little is how much of a large block may be in memory before its first use: a huge page around its header.
const little = 4 << 20

func TestLargeBlocksOfZeroes(t *testing.T) {
	const size = 256 << 20
	for _, interval := range []int64{1, 512 << 10} {
		o := everything
		o.SampleBytes = interval
		r := start(t, o)
		var block unsafe.Pointer
		perform(func() { block = victim.Calloc(1, size) })
		if n := victim.Resident(block, size); n > little {
			t.Errorf("%d bytes are in memory, though nobody used them", n)
		}
		recordedSites(t, r, map[string]stack.Values{"victim_calloc": kept(1, size)})
		victim.Free(block)
		stop(t, r)
	}
}

// grow makes a block of 1 MiB, which is used, 1 GiB large, and says what of it is in memory then.
func grow() (block unsafe.Pointer, resident uintptr) {
	size := uintptr(1 << 20)
	block = victim.Malloc(size)
	clear(unsafe.Slice((*byte)(block), size))
	for ; size < 1<<30; size *= 2 {
		block = victim.Realloc(block, 2*size)
	}
	return block, victim.Resident(block, size)
}

// copiedBytes is what glibc may copy of a growing block, without us too: it goes over to moving pages at some size up to
// 32 MiB, which changes as the program goes on.
const copiedBytes = 64 << 20

// An allocator that moves a large block moves its pages. If it copied the block, the pages of the last copy would be there,
// used or not.
func TestAVectorGrows(t *testing.T) {
	block, usual := grow()
	victim.Free(block)
	if usual > copiedBytes+little {
		t.Skipf("this allocator copies large blocks: %d bytes are in memory", usual)
	}
	for _, interval := range []int64{1, 512 << 10} {
		o := everything
		o.SampleBytes = interval
		r := start(t, o)
		perform(func() {
			var resident uintptr
			if block, resident = grow(); resident > copiedBytes+little {
				t.Errorf("%d bytes are in memory, and %d when nothing is recorded", resident, usual)
			}
		})
		if interval == 1 {
			recordedSites(t, r, map[string]stack.Values{
				"victim_malloc":  passed(1, 1<<20),
				"victim_realloc": {AllocObjects: 10, AllocBytes: 2<<30 - 2<<20, InuseObjects: 1, InuseBytes: 1 << 30},
			})
		}
		victim.Free(block)
		stop(t, r)
	}
}
