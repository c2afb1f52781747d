//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"syscall"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/stack"
)

// perform is in the stack of all that work does.
//
//go:noinline
func perform(work func()) { work() }

// performed returns what was recorded of all work, by the name of the function that called the allocator.
func performed(t *testing.T, r *Recording) map[string]stack.Values {
	t.Helper()
	sites := make(map[string]stack.Values)
	for _, s := range snapshot(t, r).through("perform") {
		name := victim.FunctionAt(s.Frames[0].Address())
		v := sites[name]
		v.Add(s.Values)
		sites[name] = v
	}
	return sites
}

// recordedSites fails the test if what was recorded of all work is not this.
func recordedSites(t *testing.T, r *Recording, want map[string]stack.Values) {
	t.Helper()
	if diff := cmp.Diff(want, performed(t, r)); diff != "" {
		t.Errorf("recorded, -want +got:\n%s", diff)
	}
}

// kept is n blocks of size bytes that are in use.
func kept(n, size int64) stack.Values {
	return stack.Values{AllocObjects: n, AllocBytes: n * size, InuseObjects: n, InuseBytes: n * size}
}

// passed is n blocks of size bytes that are no longer in use.
func passed(n, size int64) stack.Values {
	return stack.Values{AllocObjects: n, AllocBytes: n * size}
}

// recordedBytes of a block of size bytes: pvalloc allocates whole pages.
func recordedBytes(w victim.Way, size uintptr) int64 {
	if w.Name == "pvalloc" {
		return int64((size + 4095) &^ 4095)
	}
	return int64(size)
}

const bystander = syscall.EXDEV // an errno that no allocator sets

func TestEveryFunctionOfTheFamily(t *testing.T) {
	for _, size := range []uintptr{0, 1, 1000, 1 << 20} {
		for _, release := range victim.Releases() {
			r := start(t, everything)
			held, gone := make(map[string]stack.Values), make(map[string]stack.Values)
			blocks := make([]unsafe.Pointer, 0, 100)
			perform(func() {
				for _, way := range victim.Ways() {
					for range 3 {
						block, after := way.Allocate(size, bystander)
						if block == nil || uintptr(block)%way.Alignment != 0 || after != bystander {
							t.Errorf("%s of %d bytes gave %p and errno %d", way.Name, size, block, after)
						}
						blocks = append(blocks, block)
					}
					held[way.Site], gone[way.Site] = kept(3, recordedBytes(way, size)), passed(3, recordedBytes(way, size))
				}
			})
			recordedSites(t, r, held)
			for _, block := range blocks {
				if after := release.Free(block, size, bystander); after != bystander {
					t.Errorf("%s left errno %d", release.Name, after)
				}
			}
			recordedSites(t, r, gone)
			stop(t, r)
		}
	}
}

func TestNothingIsFreed(t *testing.T) {
	r := start(t, everything)
	frees := value(t, r, "frees")
	for _, release := range victim.Releases() {
		if after := release.Free(nil, 0, bystander); after != bystander {
			t.Errorf("%s left errno %d", release.Name, after)
		}
	}
	if n := value(t, r, "frees"); n != frees {
		t.Errorf("%d frees of NULL were counted", n-frees)
	}
}

func TestErrnoStays(t *testing.T) {
	check := func(t *testing.T) {
		for _, way := range victim.Ways() {
			for _, size := range []uintptr{0, 100, 300000} {
				block, after := way.Allocate(size, bystander)
				if block == nil || after != bystander {
					t.Errorf("%s of %d bytes gave %p and errno %d", way.Name, size, block, after)
				}
				victim.Free(block)
			}
		}
	}
	t.Run("when nothing is recorded", check)
	for _, interval := range []int64{1, 4096, 512 << 10} {
		o := everything
		o.SampleBytes = interval
		r := start(t, o)
		t.Run("when some or all is recorded", check)
		stop(t, r)
	}
	full := everything
	full.TableBytes = small.TableBytes
	r := start(t, full)
	blocks := make([]unsafe.Pointer, 600000)
	fill(blocks)
	t.Run("when the tables are full", check)
	if value(t, r, "lost_live_table_full") == 0 {
		t.Error("they were not full")
	}
	free(blocks)
}

const tooMuch = 1<<63 - 4096

func TestNoMemory(t *testing.T) {
	r := start(t, everything)
	perform(func() {
		for _, way := range victim.Ways() {
			wanted := syscall.ENOMEM
			if way.Name == "posix_memalign" { // returns it instead
				wanted = 0
			}
			for _, size := range []uintptr{tooMuch, tooMuch + 4095, 1<<64 - 4096, 1<<64 - 1} {
				block, after := way.Allocate(size, 0)
				if block != nil || wanted != 0 && after != wanted {
					t.Errorf("%s of %#x bytes gave %p and errno %d", way.Name, size, block, after)
				}
			}
		}
	})
	recordedSites(t, r, map[string]stack.Values{})
}

func TestSizesThatOverflow(t *testing.T) {
	r := start(t, everything)
	var block unsafe.Pointer
	perform(func() {
		block = victim.Malloc(100)
		for _, count := range []uintptr{1 << 32, 1 << 61, 1<<64 - 1} {
			for _, size := range []uintptr{1 << 32, 1 << 40, 1<<64 - 1} {
				if p, errno := victim.CallocErrno(count, size); p != nil || errno != syscall.ENOMEM {
					t.Errorf("calloc(%#x, %#x) gave %p and errno %d", count, size, p, errno)
				}
				if p, errno := victim.ReallocarrayErrno(block, count, size); p != nil || errno != syscall.ENOMEM {
					t.Errorf("reallocarray(p, %#x, %#x) gave %p and errno %d", count, size, p, errno)
				}
			}
		}
	})
	recordedSites(t, r, map[string]stack.Values{"victim_malloc": kept(1, 100)})
	victim.Free(block)
	recordedSites(t, r, map[string]stack.Values{"victim_malloc": passed(1, 100)})
}
