//go:build linux && amd64 && cgo && !asan && !msan

package alloc

import (
	"sync/atomic"
	"unsafe"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/stack"
)

// load64 and load32 read a word of the region that a recorder may be writing.
func load64[N ~uint64 | ~uintptr](offset N) uint64 {
	return atomic.LoadUint64((*uint64)(unsafe.Pointer(&cgo.Region()[offset])))
}

func load32[N ~uint64 | ~uintptr](offset N) uint32 {
	return atomic.LoadUint32((*uint32)(unsafe.Pointer(&cgo.Region()[offset])))
}

// refUnit is what a ref counts, in bytes.
const refUnit = 16

// reader turns settled sites into samples.
type reader struct {
	frames map[uint32][]stack.Frame // by ref of the stack
}

// samples reads all sites that ever had a weight.
func (r *reader) samples() []stack.Sample {
	var list []stack.Sample
	heads, count := load64(cgo.HeaderSiteHeads), load64(cgo.HeaderHeads)
	for i := range count {
		for ref := load32(heads + 4*i); ref != 0; {
			at := uint64(ref) * refUnit
			if s := r.sample(at); s.AllocObjects != 0 {
				list = append(list, s)
			}
			ref = load32(at + uint64(cgo.SiteNext))
		}
	}
	return list
}

func (r *reader) sample(at uint64) stack.Sample {
	s := stack.Sample{
		ID:        at / refUnit,
		Frames:    r.stack(load32(at + uint64(cgo.SiteStack))),
		BlockSize: stack.MixedSizes,
		Values:    values(at + uint64(cgo.SiteBase)),
	}
	if size := load64(at + uint64(cgo.SiteSize)); size != cgo.SiteMixed {
		s.BlockSize = int64(size)
	}
	return s
}

func (r *reader) stack(ref uint32) []stack.Frame {
	if known, ok := r.frames[ref]; ok {
		return known
	}
	at := uint64(ref) * refUnit
	frames := make([]stack.Frame, load32(at+uint64(cgo.StackDepth)))
	for i := range frames {
		frames[i] = stack.Frame(load64(at + uint64(cgo.StackFrames) + 8*uint64(i)))
	}
	r.frames[ref] = frames
	return frames
}

// values reads a struct tally: objects count 2^-16, bytes 2^-4.
func values(at uint64) stack.Values {
	objects, bytes := load64(at), load64(at+8)
	freedObjects, freedBytes := load64(at+16), load64(at+24)
	return stack.Values{
		AllocObjects: rounded(objects, 16),
		AllocBytes:   rounded(bytes, 4),
		InuseObjects: rounded(objects-freedObjects, 16),
		InuseBytes:   rounded(bytes-freedBytes, 4),
	}
}

func rounded(v uint64, bits uint) int64 { return int64((v + 1<<(bits-1)) >> bits) }
