//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"io"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/victim"
)

func TestHandlersThatAllocate(t *testing.T) {
	for name, allocate := range map[string]func(uintptr) unsafe.Pointer{
		"on the interrupted stack": victim.MallocInHandler,
		"on a stack of their own":  victim.MallocOnSignalStack,
	} {
		t.Run(name, func(t *testing.T) {
			const times, size = 200, 7030
			r := start(t, everything)
			var blocks []unsafe.Pointer
			perform(func() {
				for range times {
					blocks = append(blocks, allocate(size))
				}
			})
			// Through the handler and what it interrupted into Go.
			if got, want := sum(snapshot(t, r).through("perform")), kept(times, size); got != want {
				t.Errorf("%+v, want %+v", got, want)
			}
			recordedOfSize(t, r, size, kept(times, size))
			free(blocks)
			recordedOfSize(t, r, size, passed(times, size))
			lossless(t, r)
		})
	}
}

// allocateFrom has goroutines allocate through C, in calls and in callbacks, beside C threads that exchange their blocks,
// until enough says so. All is free then, and the counts must be exact.
func allocateFrom(t *testing.T, enough func() bool) {
	t.Helper()
	const goroutines, size = 2, 7031
	r := start(t, everything)
	var blocks atomic.Int64
	var finished sync.WaitGroup
	once := func() {
		victim.Free(victim.Malloc(size))
		blocks.Add(1)
	}
	for range goroutines {
		finished.Go(func() {
			var sum int
			for !enough() {
				once()
				victim.CallBack(once)
				useGo(1<<12, &sum)
			}
		})
	}
	whileOthersAllocate(t, r, finished.Wait)
	recordedOfSize(t, r, size, passed(blocks.Load(), size))
	lossless(t, r)
}

// useGo is a loop that only a signal can interrupt.
//
//go:noinline
func useGo(turns int, sum *int) {
	for n := range turns {
		*sum += n
	}
}

// untilSignals runs a second of work, again and again, until that many signals have come. On a busy machine that takes longer.
func untilSignals(t *testing.T, number syscall.Signal, least uint64, work func(enough func() bool)) {
	t.Helper()
	for came := uint64(0); came < least; {
		counted, err := victim.CountSignals(number)
		if err != nil {
			t.Fatal(err)
		}
		until := time.Now().Add(time.Second)
		work(func() bool { return time.Now().After(until) })
		came += counted()
	}
}

func TestCountsWhileTheProgramIsProfiledAndTraced(t *testing.T) {
	runtime.SetCPUProfileRate(1000) // stays so: the runtime complains that it cannot be set to 100
	if err := pprof.StartCPUProfile(io.Discard); err != nil {
		t.Fatal(err)
	}
	defer pprof.StopCPUProfile()
	if err := trace.Start(io.Discard); err != nil {
		t.Fatal(err)
	}
	defer trace.Stop()
	untilSignals(t, syscall.SIGPROF, 20, func(enough func() bool) { allocateFrom(t, enough) })
}

func TestCountsWhileGoroutinesArePreempted(t *testing.T) {
	untilSignals(t, syscall.SIGURG, 5, func(enough func() bool) {
		var finished sync.WaitGroup
		finished.Go(func() {
			for !enough() {
				runtime.GC() // stops every goroutine, wherever it is
			}
		})
		finished.Go(func() {
			var sum int
			for !enough() {
				useGo(1<<24, &sum)
			}
		})
		allocateFrom(t, enough)
		finished.Wait()
	})
}
