//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/usage"
	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/stack"
)

const lateBytes = 64 * page

// mapWet maps memory and writes to all of it. It does not choose the address if at is nil.
//
//go:noinline
func mapWet(at unsafe.Pointer) unsafe.Pointer {
	p := victim.Map(at, lateBytes, false)
	clear(unsafe.Slice((*byte)(p), lateBytes))
	return p
}

// mapDry maps memory and writes to none of it.
//
//go:noinline
func mapDry(at unsafe.Pointer) unsafe.Pointer { return victim.Map(at, lateBytes, false) }

// blamed returns the resident bytes of the stacks that lead through a function of this package, or of all.
func blamed(samples []stack.Sample, function string) (bytes int64) {
	for i := range samples {
		m := Mapping{Mapped: account.Mapped{Frames: samples[i].Frames}}
		if function == "" || through(&m, function) {
			bytes += samples[i].InuseBytes
		}
	}
	return bytes
}

// meanwhile has an account taken, and does something after the mappings were read and before the kernel is asked.
func meanwhile(t *testing.T, r *Recording, do func()) map[string][]stack.Sample {
	t.Helper()
	was, asked := lastMapped, 0
	defer func() { lastMapped = was }()
	lastMapped = func() uint64 {
		if asked++; asked == 2 { // the first time is before the mappings are read
			do()
		}
		return was()
	}
	var memory scratch.Memory
	defer memory.Free()
	s, err := r.ResidentIn(&memory, usage.Running, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s.Mapped
}

func TestMappingsThatComeMeanwhileHaveTheirStacks(t *testing.T) {
	r := start(t, everything)
	old := mapWet(nil)
	var p unsafe.Pointer
	found := meanwhile(t, r, func() {
		p = mapWet(nil)
		mapDry(old)
	})[account.MappedBy]
	defer victim.Unmap(p, lateBytes)
	defer victim.Unmap(old, lateBytes)
	if wet, dry := blamed(found, "mapWet"), blamed(found, "mapDry"); wet != lateBytes || dry != 0 {
		t.Errorf("%d and %d bytes, want %d and none", wet, dry, lateBytes)
	}
	found = meanwhile(t, r, func() { mapWet(old) })[account.MappedBy]
	if wet := blamed(found, "mapWet"); wet != 2*lateBytes {
		t.Errorf("%d bytes, want %d", wet, 2*lateBytes)
	}
}

func residentOf(a *account.Account, line string) int64 {
	for _, l := range a.Lines {
		if l.Name == line {
			return l.Resident
		}
	}
	return 0
}

// Two roads: memory that nobody has written to is never resident, whatever the account believes of its address. Threads map memory at the same
// addresses again and again; one site writes to all of it, the other to nothing.
func TestNobodyIsBlamedForMemoryThatCameMeanwhile(t *testing.T) {
	const threads, held, times = 2, 32, 60
	r := start(t, everything)
	var done atomic.Bool
	var load sync.WaitGroup
	for i := range threads {
		load.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(i)))
			var ring [held]unsafe.Pointer
			for at := 0; !done.Load(); at = (at + 1) % held {
				if ring[at] != nil {
					_ = victim.Unmap(ring[at], lateBytes)
				}
				if random.IntN(2) == 0 {
					ring[at] = mapWet(nil)
				} else {
					ring[at] = mapDry(nil)
				}
			}
			for _, p := range ring {
				_ = victim.Unmap(p, lateBytes)
			}
		})
	}
	var wet, unknown int64
	for range times {
		var memory scratch.Memory
		s, err := r.ResidentIn(&memory, usage.Running, nil)
		if err != nil {
			t.Fatal(err)
		}
		if dry := blamed(s.Mapped[account.MappedBy], "mapDry"); dry != 0 {
			t.Errorf("%d bytes have the stack of a call whose memory nobody wrote to", dry)
		}
		wet += blamed(s.Mapped[account.MappedBy], "mapWet")
		directly, who := residentOf(s.Account, account.MappedBy), residentOf(s.Account, account.CallerUnknown)
		unknown += who + directly - blamed(s.Mapped[account.MappedBy], "")
		memory.Free()
		runtime.Gosched()
	}
	done.Store(true)
	load.Wait()
	t.Logf("%d bytes have the right stack, %d have none", wet/times, unknown/times)
}
