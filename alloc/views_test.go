//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/stack"
)

//go:noinline
func allocateOther(size uintptr) unsafe.Pointer { return victim.Malloc(size) }

// view is the snapshot of a view of the recording.
func view(t *testing.T, take func() (*Snapshot, error)) *Snapshot {
	t.Helper()
	s, err := take()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func inuse(objects, bytes int64) stack.Values {
	return stack.Values{InuseObjects: objects, InuseBytes: bytes}
}

func TestPeak(t *testing.T) {
	t.Run("it is the state at the highest moment, not now's and not the sum of each stack's highest", func(t *testing.T) {
		r := start(t, everything)
		first := allocate()
		victim.Free(first)
		before := time.Now()
		big := allocateOther(1 << 20) // the highest moment: nothing of allocate is in use
		victim.Free(big)
		after := time.Now()
		defer victim.Free(allocate())
		peak := view(t, func() (*Snapshot, error) { return r.PeakIn(nil) })
		if got := sum(peak.through("allocateOther")); got != inuse(1, 1<<20) {
			t.Errorf("at the peak: %+v", got)
		}
		if got := sum(peak.through("allocate")); got != (stack.Values{}) {
			t.Errorf("what came before and after is at the peak: %+v", got)
		}
		if peak.Peak.Before(before.Add(-time.Second)) || peak.Peak.After(after.Add(time.Second)) {
			t.Errorf("the peak was at %v, want from %v to %v", peak.Peak, before, after)
		}
	})

	t.Run("after a reset it is that of the time since", func(t *testing.T) {
		r := start(t, everything)
		victim.Free(allocateOther(1 << 20))
		if err := r.ResetPeak(); err != nil {
			t.Fatal(err)
		}
		victim.Free(allocate())
		peak := view(t, func() (*Snapshot, error) { return r.PeakIn(nil) })
		if got := sum(peak.through("allocateOther")); got != (stack.Values{}) {
			t.Errorf("%+v", got)
		}
		if got := sum(peak.through("allocate")); got != inuse(1, 1000) {
			t.Errorf("%+v", got)
		}
	})

	t.Run("while the program goes on, it is never below what is in use", func(t *testing.T) {
		r := start(t, everything)
		stop := churn()
		defer stop()
		for range rounds(200) {
			now, peak := view(t, r.Snapshot).Total(), view(t, func() (*Snapshot, error) { return r.PeakIn(nil) }).Total()
			if slack := int64(churners * churnSize); peak.InuseBytes+slack < now.InuseBytes {
				t.Fatalf("%d bytes were in use, and %d at the peak", now.InuseBytes, peak.InuseBytes)
			}
		}
	})
}

const (
	churners  = 4
	churnSize = 300
)

// churn allocates and frees on several threads until it is stopped.
func churn() (stop func()) {
	done := make(chan struct{})
	var all sync.WaitGroup
	for range churners {
		all.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					victim.Free(allocateOther(churnSize))
				}
			}
		})
	}
	return func() {
		close(done)
		all.Wait()
	}
}

// whileYoung looks while there is a block that is old enough to be seen and less than a second old. A busy machine may need several tries.
func whileYoung(look func() *Snapshot) *Snapshot {
	for {
		began := time.Now()
		block := allocate()
		time.Sleep(50 * time.Millisecond) // blocks of the last 20 ms are not in the view
		seen := look()
		quick := time.Since(began) < 900*time.Millisecond
		victim.Free(block)
		if quick {
			return seen
		}
	}
}

func TestAges(t *testing.T) {
	r := start(t, everything)
	old := allocate()
	time.Sleep(1100 * time.Millisecond)
	all := func() (*Snapshot, error) { return r.AgesIn(nil, 0) }

	t.Run("blocks are told apart by the class of their age", func(t *testing.T) {
		var younger, older int64
		for _, s := range whileYoung(func() *Snapshot { return view(t, all) }).through("allocate") {
			if len(s.Labels) != 1 || s.Labels[0].Key != "age" || s.Labels[0].Unit != "seconds" || s.BlockSize != 1000 {
				t.Errorf("%+v", s)
				continue
			}
			if s.Labels[0].Number == 0 {
				younger += s.InuseBytes
			} else {
				older += s.InuseBytes
			}
		}
		if younger != 1000 || older != 1000 {
			t.Errorf("%d bytes are younger than a second, %d older, want 1000 each", younger, older)
		}
	})

	t.Run("all ages together are what is in use", func(t *testing.T) {
		if got, want := view(t, all).Total(), view(t, r.Snapshot).Total(); got.InuseBytes != want.InuseBytes || got.AllocBytes != 0 {
			t.Errorf("%+v, in use are %+v", got, want)
		}
	})

	t.Run("younger blocks than asked for are left out", func(t *testing.T) {
		second := func() *Snapshot {
			return view(t, func() (*Snapshot, error) { return r.AgesIn(nil, time.Second) })
		}
		if got := sum(whileYoung(second).through("allocate")); got != inuse(1, 1000) {
			t.Errorf("%+v", got)
		}
		victim.Free(old)
		if got := whileYoung(second).through("allocate"); len(got) != 0 {
			t.Errorf("after it was freed: %+v", got)
		}
	})
}

func TestAgesWhileTheProgramGoesOn(t *testing.T) {
	r := start(t, everything)
	var kept []unsafe.Pointer
	for range 20000 {
		kept = append(kept, allocate())
	}
	stop := churn()
	defer stop()
	for range 50 {
		ages := view(t, func() (*Snapshot, error) { return r.AgesIn(nil, 0) })
		if got := sum(ages.through("allocate")); got.InuseObjects > 20000 {
			t.Fatalf("%d blocks of 20000", got.InuseObjects)
		}
		if got := sum(ages.through("allocateOther")); got.InuseObjects > churners {
			t.Fatalf("%d blocks in use at once by %d threads", got.InuseObjects, churners)
		}
	}
	for _, p := range kept {
		victim.Free(p)
	}
}

// freedAtOnce allocates n blocks and frees each at once. It returns how many of them lived for so long at most: a busy machine
// may stop the thread in between.
func freedAtOnce(most time.Duration, n int) (fast int64) {
	for range n {
		began := time.Now()
		victim.Free(allocate())
		if time.Since(began) <= most {
			fast++
		}
	}
	return fast
}

func TestShortLived(t *testing.T) {
	r := start(t, everything)
	fast := freedAtOnce(90*time.Millisecond, 10)
	born := time.Now()
	slow, forever := allocateOther(100), allocateOther(200)
	time.Sleep(300 * time.Millisecond)
	victim.Free(slow)
	lived := time.Since(born)
	within := func(d time.Duration) *Snapshot {
		return view(t, func() (*Snapshot, error) { return r.ShortLivedIn(nil, d) })
	}

	t.Run("blocks count that were freed within the time", func(t *testing.T) {
		got := sum(within(100 * time.Millisecond).through("allocate"))
		if n := got.AllocObjects; n < fast || n > 10 || got != (stack.Values{AllocObjects: n, AllocBytes: n * 1000}) {
			t.Errorf("%+v, want from %d to 10 blocks", got, fast)
		}
		if got := within(100 * time.Millisecond).through("allocateOther"); len(got) != 0 {
			t.Errorf("a block that lived for 300 ms: %+v", got)
		}
	})

	t.Run("a longer time holds the shorter ones", func(t *testing.T) {
		for _, d := range Lifetimes()[1:] {
			if d <= lived { // on a busy machine, it may not count
				continue
			}
			if got := sum(within(d).through("allocateOther")); got != (stack.Values{AllocObjects: 1, AllocBytes: 100}) {
				t.Errorf("within %v: %+v", d, got)
			}
			if got := sum(within(d).through("allocate")); got.AllocObjects < fast {
				t.Errorf("within %v: %+v", d, got)
			}
		}
	})
	victim.Free(forever)
}
