//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/victim"
)

// The limit on locked memory does not hold for processes with this capability.
const capIPCLock = 14

// boundByLimit runs the rest of the test in a process that may not lock more memory than its limit.
func boundByLimit(t *testing.T) bool {
	t.Helper()
	runtime.LockOSThread() // for good: the thread that has lost the capability ends with the test's goroutine
	err := unix.Prctl(unix.PR_CAPBSET_DROP, capIPCLock, 0, 0, 0)
	if !profiletest.Afresh(t) {
		return false
	}
	status, readErr := os.ReadFile("/proc/self/status")
	if readErr != nil {
		t.Fatal(readErr)
	}
	_, rest, _ := strings.Cut(string(status), "\nCapEff:\t")
	effective, parseErr := strconv.ParseUint(rest[:16], 16, 64)
	if parseErr != nil {
		t.Fatal(parseErr)
	}
	if effective&(1<<capIPCLock) != 0 {
		t.Skipf("this process may lock all memory, and cannot give that up: %v", err)
	}
	return true
}

// withGoInPlace makes Go's runtime map what the rest of the test needs: threads, heap and its own records. It ends a process
// that cannot map more, and the test is not about that.
func withGoInPlace() {
	runtime.GOMAXPROCS(1)
	runtime.MemProfileRate = 0
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() { _ = unix.Nanosleep(&unix.Timespec{Nsec: 20e6}, nil) })
	}
	all.Wait()
	debug.SetGCPercent(-1)
	for range 100 {
		_ = fmt.Errorf("%d %v %v %d", goArena, locksNewMappings(), exceeds(64<<10), lockedBytes())
	}
	runtime.KeepAlive(make([]byte, 16<<20))
	runtime.GC()
}

// limited sets the limit on locked memory and has all new mappings locked, until the test ends.
func limited(t *testing.T, limit uint64) {
	t.Helper()
	withGoInPlace()
	if err := unix.Setrlimit(unix.RLIMIT_MEMLOCK, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
		t.Skipf("the limit on locked memory cannot be %d: %v", limit, err)
	}
	if err := unix.Mlockall(unix.MCL_FUTURE); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Munlockall(); err != nil {
			t.Error(err)
		}
	})
}

func TestRoomUnderALimitOfLockedMemory(t *testing.T) {
	for _, c := range []struct {
		name    string
		limit   uint64
		exceeds bool
		locked  int64
		want    string // in the error; "" for none
	}{
		{"none is set", math.MaxUint64, false, 1 << 40, ""},
		{"it cannot be reached", math.MaxInt64 - goArena + 1, false, math.MaxInt64, ""},
		{"it does not hold", 64 << 10, true, 64 << 10, ""},
		{"just enough", 3 * goArena, false, 2 * goArena, ""},
		{"a byte too little", 3 * goArena, false, 2*goArena + 1, "only 67108863 bytes more (RLIMIT_MEMLOCK is 201326592)"},
		{"nothing may be locked", 0, false, 0, "only 0 bytes more (RLIMIT_MEMLOCK is 0)"},
		{"more is locked than may be", goArena, false, 2 * goArena, "only 0 bytes more"},
	} {
		t.Run(c.name, func(t *testing.T) {
			exceeds := func(limit int64) bool {
				if uint64(limit) != c.limit {
					t.Errorf("asked whether %d holds", limit)
				}
				return c.exceeds
			}
			err := roomUnder(c.limit, exceeds, func() int64 { return c.locked })
			if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

func TestLowLimitOfLockedMemory(t *testing.T) {
	for _, limit := range []int{64 << 10, 256 << 10, 1 << 20, 8 << 20} {
		t.Run("a start is refused with "+strconv.Itoa(limit>>10)+" KiB and takes nothing of them", func(t *testing.T) {
			if !boundByLimit(t) {
				return
			}
			limited(t, uint64(limit))
			_, err := Start(Options{SampleBytes: 1, MaxDepth: 128, TableBytes: 64 << 20})
			own, mapErr := unix.Mmap(-1, 0, limit/2, unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
			if unlockErr := unix.Munlockall(); unlockErr != nil {
				t.Fatal(unlockErr)
			}
			if err == nil || !strings.Contains(err.Error(), "RLIMIT_MEMLOCK is "+strconv.Itoa(limit)) {
				t.Fatal(err)
			}
			if mapErr != nil {
				t.Fatalf("the program may not map half of what it may lock: %v", mapErr)
			}
			if err := unix.Munmap(own); err != nil {
				t.Error(err)
			}
		})
	}

	t.Run("a start works where there is room", func(t *testing.T) {
		if !boundByLimit(t) {
			return
		}
		const limit = 512 << 20
		limited(t, limit)
		r := start(t, Options{SampleBytes: 1, MaxDepth: 128, TableBytes: 1 << 30})
		defer victim.Free(victim.Malloc(96003))
		recordedOfSize(t, r, 96003, kept(1, 96003))
		if locked := lockedBytes(); locked > limit/4 {
			t.Errorf("%d bytes are locked", locked)
		}
	})

	t.Run("a start works where new mappings are not locked", func(t *testing.T) {
		if !boundByLimit(t) {
			return
		}
		if err := unix.Setrlimit(unix.RLIMIT_MEMLOCK, &unix.Rlimit{}); err != nil {
			t.Fatal(err)
		}
		r := start(t, Options{SampleBytes: 1, MaxDepth: 128, TableBytes: 64 << 20})
		defer victim.Free(victim.Malloc(96004))
		recordedOfSize(t, r, 96004, kept(1, 96004))
	})
}
