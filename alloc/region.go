//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"encoding/binary"
	"sync/atomic"
	"unsafe"

	"github.com/cgoheap/cgoheap/cgo"
)

// The tables are read as if anybody could have written them: they lie in memory that a stray pointer of the program's may
// hit, and may one day be another process's. What leads out of the region reads as zero, which is the end of every chain.
// A chain that leads back into itself ends when it is longer than the region has room for. So there is no panic, and
// work is bounded by the region's size; what such tables say is another matter.

// refUnit is what a ref counts, in bytes.
const refUnit = 16

// region is the memory that is read. Tests put other bytes in its place.
var region = cgo.Region

// inside says whether there is a word of so many bytes at an offset. Words are aligned, or they could not be read at once.
func inside(all []byte, offset, size uint64) bool {
	return offset%size == 0 && offset < uint64(len(all)) && uint64(len(all))-offset >= size
}

// load64 and load32 read a word of the region that a recorder may be writing.
func load64[N ~uint64 | ~uintptr](offset N) uint64 {
	all := region()
	if !inside(all, uint64(offset), 8) {
		return 0
	}
	return atomic.LoadUint64((*uint64)(unsafe.Pointer(&all[offset])))
}

func load32[N ~uint64 | ~uintptr](offset N) uint32 {
	all := region()
	if !inside(all, uint64(offset), 4) {
		return 0
	}
	return atomic.LoadUint32((*uint32)(unsafe.Pointer(&all[offset])))
}

// load8 reads a byte of a word that a recorder may be writing.
func load8(offset uint64) uint8 {
	word := [4]byte{}
	binary.NativeEndian.PutUint32(word[:], load32(offset&^3))
	return word[offset&3]
}

// bytesAt are the bytes from an offset on, as far as there are so many.
func bytesAt(offset, size uint64) []byte {
	all := region()
	if offset > uint64(len(all)) {
		return nil
	}
	return all[offset:][:min(size, uint64(len(all))-offset)]
}

// atMost is a number of things of so many bytes, or how many of them the region has room for.
func atMost(count, size uint64) int { return int(min(count, uint64(len(region()))/size)) }
