//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package malloc

import "os"

// glibcRounds is glibc's rule: a header of 8 bytes, 16 as the unit, 32 at least.
func glibcRounds(size uint64) uint64 { return max(32, (size+8+15)&^15) }

// Up to largestAsked bytes the allocator is asked for the size of its blocks. Its classes of larger ones are far apart; but what
// nobody writes to is not resident, so a large block has no more than the rest of its last page.
const (
	largestAsked = 64 << 10
	classUnit    = 8 // all sizes of blocks are multiples of it
)

// roundedBy returns what an allocator's own function says, which it calls once for each multiple of classUnit. Without the
// function it returns nil.
func roundedBy(f function, ask func(f function, size uint64) uint64) func(size uint64) uint64 {
	if f == nil {
		return nil
	}
	page := uint64(os.Getpagesize())
	var known []uint32
	return func(size uint64) uint64 {
		if size > largestAsked {
			return (size + page - 1) &^ (page - 1)
		}
		if known == nil {
			known = make([]uint32, largestAsked/classUnit+1)
		}
		class := max(1, (size+classUnit-1)/classUnit)
		if known[class] == 0 {
			known[class] = uint32(max(ask(f, class*classUnit), class*classUnit))
		}
		return uint64(known[class])
	}
}
