//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/toolchain"
	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/stack"
)

const ofChildren, ofParent = 7020, 7021 // sizes of blocks

// whileOthersAllocate runs work until four threads have exchanged their blocks, and fails the test if their counts are not
// exact then.
func whileOthersAllocate(t *testing.T, r *Recording, work func()) {
	t.Helper()
	const threads, count = 4, 20000
	var slots victim.Slots
	var finished sync.WaitGroup
	finished.Go(func() {
		if err := slots.Exchange(threads, count, ofParent); err != nil {
			t.Error(err)
		}
	})
	work()
	finished.Wait()
	slots.Clear()
	recordedOfSize(t, r, ofParent, passed(threads*count, ofParent))
	lossless(t, r)
}

// child has a block of the parent's. What it does to it is not to be seen in the parent.
func child() victim.Child {
	return victim.Child{Block: victim.Malloc(1009), Size: ofChildren, Region: cgo.Region()}
}

func TestFork(t *testing.T) {
	t.Run("a child of fork stays out of the region, whatever other threads do", func(t *testing.T) {
		r := start(t, everything)
		c := child()
		whileOthersAllocate(t, r, func() {
			for range 20 {
				if err := c.Fork(); err != nil {
					t.Fatal(err)
				}
			}
		})
		recordedOfSize(t, r, ofChildren, stack.Values{})
		recordedOfSize(t, r, 1009, kept(1, 1009))
		victim.Free(c.Block)
	})

	t.Run("a child of a clone that libc does not know of stays out too", func(t *testing.T) {
		r := start(t, everything)
		c := child()
		for range 5 {
			if err := c.RawClone(); err != nil {
				t.Fatal(err)
			}
		}
		recordedOfSize(t, r, ofChildren, stack.Values{})
		recordedOfSize(t, r, 1009, kept(1, 1009))
		victim.Free(c.Block)
		lossless(t, r)
	})

	t.Run("what a vforked child allocates is the parent's", func(t *testing.T) {
		r := start(t, everything)
		for range 20 {
			block, err := victim.VFork(ofChildren)
			if err != nil {
				t.Fatal(err)
			}
			victim.Free(block)
		}
		recordedOfSize(t, r, ofChildren, passed(20, ofChildren))
		lossless(t, r)
	})
}

func TestPrograms(t *testing.T) {
	for name, run := range map[string]func() error{
		"posix_spawn": victim.Spawn,
		"system":      victim.System,
		"os/exec":     func() error { return exec.Command("true").Run() },
	} {
		t.Run("that are started by "+name+" leave the counts exact", func(t *testing.T) {
			r := start(t, everything)
			whileOthersAllocate(t, r, func() {
				for range 20 {
					if err := run(); err != nil {
						t.Error(err)
					}
				}
			})
		})
	}

	t.Run("that record while their parent does begin afresh", func(t *testing.T) {
		const role = "CGOHEAP_TEST_CHILD"
		if os.Getenv(role) != "" {
			r := start(t, everything)
			defer victim.Free(victim.Malloc(ofChildren))
			recordedOfSize(t, r, ofChildren, kept(1, ofChildren))
			recordedOfSize(t, r, ofParent, stack.Values{})
			return
		}
		r := start(t, everything)
		defer victim.Free(victim.Malloc(ofParent))
		again := exec.Command(os.Args[0], "-test.run=^TestPrograms$/^that_record")
		again.Env = append(os.Environ(), role+"=1")
		if output, err := again.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, output)
		}
		recordedOfSize(t, r, ofChildren, stack.Values{})
	})
}

// A thread of C's that forks has locked the allocator. Go's handler for a signal that comes then needs what a thread of C's has
// that calls Go for the first time, and that may wait for the allocator. No thread of the profiler's may be such a one.
func TestSignalInForkWhileTheProfilerRunsGoCode(t *testing.T) {
	target, program := toolchain.Target(t), filepath.Join(t.TempDir(), "forking")
	target.Build(t, "go", "build", "-o", program, "./testdata/forking")
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, program).CombinedOutput()
	if reason, ok := strings.CutPrefix(string(out), "not stopped in fork: "); ok {
		t.Skip("the kernel does not stop a thread in fork: " + reason)
	}
	if err != nil || string(out) != "forked\n" {
		t.Errorf("%v\n%s", err, out)
	}
}
