//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/stack"
)

// labelled records everything with the labels of goroutines.
func labelled() Options {
	o := everything
	o.Goroutines = true
	return o
}

// under calls f with labels set, as "key value key value".
func under(labels string, f func()) {
	pprof.Do(context.Background(), pprof.Labels(strings.Fields(labels)...), func(context.Context) { f() })
}

func text(labels []stack.Label) string {
	var list []string
	for _, l := range labels {
		list = append(list, l.Key+"="+l.Text)
	}
	return strings.Join(list, " ")
}

// blocksByLabels counts the blocks in use through a function, by their labels.
func blocksByLabels(s *Snapshot, function string) map[string]int64 {
	blocks := make(map[string]int64)
	for _, sample := range s.through(function) {
		if sample.BlockSize == keptSize || sample.BlockSize == stack.MixedSizes { // not what the runtime allocates to start a thread meanwhile
			blocks[text(sample.Labels)] += sample.InuseObjects
		}
	}
	return blocks
}

const keptSize = 1000

// keep allocates blocks that are freed when the test ends.
//
//go:noinline
func keep(t *testing.T, n int) {
	for range n {
		p := victim.Malloc(keptSize)
		t.Cleanup(func() { victim.Free(p) })
	}
}

func expectBlocks(t *testing.T, r *Recording, want map[string]int64) {
	t.Helper()
	s := snapshot(t, r)
	if got := blocksByLabels(s, "keep"); !maps.Equal(got, want) {
		t.Errorf("blocks by labels: %v, want %v", got, want)
	}
	for _, loss := range s.Losses {
		if strings.Contains(loss.Name, "label") {
			t.Errorf("%+v", loss)
		}
	}
}

func TestLabelsOfGoroutines(t *testing.T) {
	t.Run("samples have those that were in force, inner ones over outer ones", func(t *testing.T) {
		r := start(t, labelled())
		keep(t, 1)
		under("tenant acme", func() {
			keep(t, 2)
			pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels("tenant", "umbra", "job", "7")))
			keep(t, 3)
		})
		keep(t, 4)
		expectBlocks(t, r, map[string]int64{"": 5, "tenant=acme": 2, "job=7 tenant=umbra": 3})
	})

	t.Run("a goroutine inherits them from the one that started it", func(t *testing.T) {
		r := start(t, labelled())
		done := make(chan bool)
		under("tenant acme", func() {
			go func() { keep(t, 2); close(done) }()
		})
		<-done
		expectBlocks(t, r, map[string]int64{"tenant=acme": 2})
	})

	t.Run("on a locked thread and in a callback from C they are the goroutine's", func(t *testing.T) {
		r := start(t, labelled())
		under("tenant acme", func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			keep(t, 1)
			victim.CallBack(func() { keep(t, 2) })
			victim.CallBack(func() { under("tenant umbra", func() { keep(t, 3) }) })
		})
		expectBlocks(t, r, map[string]int64{"tenant=acme": 3, "tenant=umbra": 3})
	})

	t.Run("a thread of C's own has none until it runs Go that sets some", func(t *testing.T) {
		r := start(t, labelled())
		under("tenant acme", func() {
			if err := victim.OnThread(func() { keep(t, 1); under("tenant umbra", func() { keep(t, 2) }) }); err != nil {
				t.Error(err)
			}
		})
		expectBlocks(t, r, map[string]int64{"": 1, "tenant=umbra": 2})
	})

	t.Run("goroutines that allocate at once keep theirs apart", func(t *testing.T) {
		r := start(t, labelled())
		want := make(map[string]int64)
		done := make(chan bool)
		for i := range 20 {
			labels := fmt.Sprintf("tenant t%d", i)
			want[strings.ReplaceAll(labels, " ", "=")] = 50
			go under(labels, func() {
				for range 50 {
					keep(t, 1)
					runtime.Gosched()
				}
				done <- true
			})
		}
		for range 20 {
			<-done
		}
		expectBlocks(t, r, want)
	})

	t.Run("the collector may move on and free other sets meanwhile", func(t *testing.T) {
		r := start(t, labelled())
		want := make(map[string]int64)
		for i := range 100 {
			labels := fmt.Sprintf("tenant t%d request r%d", i, i*i)
			under(labels, func() { runtime.GC(); keep(t, 1) })
			want[fmt.Sprintf("request=r%d tenant=t%d", i*i, i)] = 1
		}
		expectBlocks(t, r, want)
	})
}

// What a walk knows of the goroutine must not depend on the last walk.
func TestLabelsOfStacksThatAreCut(t *testing.T) {
	o := labelled()
	o.MaxDepth = 40
	for calls, want := range map[int]string{3: "tenant=acme", 30: "tenant=acme", 60: ""} {
		for _, before := range []int{calls, 3, 30, 60} {
			t.Run(fmt.Sprintf("%d calls deep in C after %d", calls, before), func(t *testing.T) {
				r := start(t, o)
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				under("tenant acme", func() {
					for range 10 {
						victim.Free(victim.Recursion(before, 93000))
						for _, n := range []int{calls, before, calls} { // from another place, and from the same
							victim.Free(victim.Recursion(n, uintptr(93000+n)))
						}
					}
				})
				for _, s := range snapshot(t, r).Samples {
					if s.BlockSize == 93000+int64(calls) && text(s.Labels) != want {
						t.Errorf("%d of %d frames have the labels %q, want %q", s.AllocObjects, len(s.Frames), text(s.Labels), want)
					}
				}
			})
		}
	}
}

func TestLabelsThatCannotBeRead(t *testing.T) {
	right := readLabels
	defer func() { readLabels = right }()
	for name, wrong := range map[string]func() ([]byte, bool){
		"nothing is where they should be": func() ([]byte, bool) { return nil, false },
		"they are always empty":           func() ([]byte, bool) { return nil, true },
		"a text ends in other bytes": func() ([]byte, bool) {
			entries, ok := right()
			if len(entries) > 0 {
				entries[len(entries)-1] ^= 1
			}
			return entries, ok
		},
	} {
		t.Run(name, func(t *testing.T) {
			readLabels = wrong
			r := start(t, labelled())
			under("tenant acme", func() { keep(t, 2) })
			s := snapshot(t, r)
			if got := blocksByLabels(s, "keep"); !maps.Equal(got, map[string]int64{"": 2}) {
				t.Errorf("blocks by labels: %v", got)
			}
			if value(t, r, "labels_off") != 1 || !slices.ContainsFunc(s.Losses, func(l stack.Loss) bool { return l.Name == "labels_off" }) {
				t.Errorf("not counted: %v", s.Losses)
			}
		})
	}
}

func TestLabelsThatAreNotAskedFor(t *testing.T) {
	r := start(t, everything)
	under("tenant acme", func() { keep(t, 2) })
	expectBlocks(t, r, map[string]int64{"": 2})
}

func TestTooManyLabels(t *testing.T) {
	r := start(t, labelled())
	const sets, most = 5000, 4096
	for i := range sets {
		under(fmt.Sprintf("request r%d", i), func() { keep(t, 1) })
	}
	s := snapshot(t, r)
	blocks := blocksByLabels(s, "keep")
	if len(blocks) < most-100 || len(blocks) > most+1 || blocks[""] != int64(sets-len(blocks)+1) {
		t.Errorf("%d sets, %d blocks without one", len(blocks), blocks[""])
	}
	if n := value(t, r, "lost_labels"); int64(n) < blocks[""] {
		t.Errorf("%d counted of %d", n, blocks[""])
	}
}

func TestLongLabelIsCut(t *testing.T) {
	r := start(t, labelled())
	long := strings.Repeat("long", 1000)
	under("tenant "+long, func() { keep(t, 1) })
	if blocks := blocksByLabels(snapshot(t, r), "keep"); blocks["tenant="+long[:256]] != 1 {
		t.Errorf("%v", blocks)
	}
	if n := value(t, r, "labels_cut"); n == 0 {
		t.Error("not counted")
	}
}

func TestNamesOfThreads(t *testing.T) {
	o := everything
	o.ThreadNames = true
	r := start(t, o)
	runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
	name := []byte("cgoheap-worker\x00")
	if err := unix.Prctl(unix.PR_SET_NAME, uintptr(unsafe.Pointer(&name[0])), 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	p := victim.Malloc(77)
	defer victim.Free(p)
	found := 0
	for _, sample := range snapshot(t, r).through("TestNamesOfThreads") {
		if sample.BlockSize == 77 && text(sample.Labels) == "thread=cgoheap-worker" {
			found++
		}
	}
	if found != 1 {
		t.Errorf("%d samples with the thread's name", found)
	}
}

// mostOfAHook is HOOK_STACK in cgo/memory.h.
const mostOfAHook = 1536

func TestLabelsTakeNoMoreOfTheStack(t *testing.T) {
	o := labelled()
	o.ThreadNames, o.MaxDepth = true, 512
	r := startWaiting(t, o) // rules are found in memory
	var labels []string
	for i := range 16 {
		labels = append(labels, fmt.Sprintf("key%d", i), strings.Repeat("x", 300))
	}
	var most int
	deeper(500, func() {
		pprof.Do(context.Background(), pprof.Labels(labels...), func(context.Context) {
			for range 3 {
				most = max(most, victim.StackOfHooks())
			}
		})
	})
	if most == 0 || most > mostOfAHook {
		t.Errorf("%d bytes, want at most %d", most, mostOfAHook)
	}
	found := false
	for _, s := range snapshot(t, r).Samples {
		found = found || len(s.Labels) > 2 && len(s.Frames) == 512 && s.AllocObjects > 0
	}
	if !found {
		t.Error("no sample has the labels and the longest stack")
	}
}

func deeper(frames int, f func()) {
	if frames == 0 {
		f()
		return
	}
	deeper(frames-1, f)
	runtime.KeepAlive(frames)
}
