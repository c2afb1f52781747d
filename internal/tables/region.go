package tables

import (
	"encoding/binary"
	"sync/atomic"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/stack"
)

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
