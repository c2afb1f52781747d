//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package profiletest

import (
	"testing"
	"time"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/victim"
)

// Leak allocates a block that stays.
//
//go:noinline
func Leak(size uintptr) unsafe.Pointer { return victim.Malloc(size) }

// Cache allocates a large block.
//
//go:noinline
func Cache(size uintptr) unsafe.Pointer { return victim.Malloc(size) }

// Young allocates a block after the middle.
//
//go:noinline
func Young(size uintptr) unsafe.Pointer { return victim.Malloc(size) }

// Spike allocates and frees a block as large as no other.
//
//go:noinline
func Spike(size uintptr) { victim.Free(victim.Malloc(size)) }

// Garbage allocates and frees a block.
//
//go:noinline
func Garbage(size uintptr) { victim.Free(victim.Malloc(size)) }

// Interval is the time between the scene's halves, so that their blocks are of different ages.
const Interval = 1100 * time.Millisecond

// Play plays the scene, and calls middle in its middle. What it keeps is freed at the end of the test.
func Play(t testing.TB, middle func()) {
	t.Helper()
	var kept []unsafe.Pointer
	t.Cleanup(func() {
		for _, block := range kept {
			victim.Free(block)
		}
	})
	kept = append(kept, Leak(100), Cache(4000), Cache(4000))
	given := Cache(4000)
	Spike(1 << 20)
	for range 5 {
		Garbage(50)
	}
	time.Sleep(Interval)
	middle()
	kept = append(kept, Leak(100), Leak(700), Young(60))
	victim.Free(given)
	Garbage(50)
	time.Sleep(50 * time.Millisecond)
}

// PlayTaking plays the scene, and returns what take returned in its middle.
func PlayTaking[T any](t testing.TB, take func() (T, error)) (middle T) {
	t.Helper()
	Play(t, func() {
		var err error
		if middle, err = take(); err != nil {
			t.Fatal(err)
		}
	})
	return middle
}
