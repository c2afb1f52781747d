//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"runtime"
	"syscall"
	"testing"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/victim"
)

// inAsmcgocall is where a call from Go to C returns to.
func inAsmcgocall(t *testing.T, r *Recording) uintptr {
	t.Helper()
	defer victim.Free(victim.Malloc(95000))
	frames, _ := snapshot(t, r).stackOf(t, 95000)
	for _, f := range frames {
		if goFunction(f) == "runtime.asmcgocall" {
			return uintptr(f.Address()) + 1
		}
	}
	t.Fatal("no stack goes through runtime.asmcgocall")
	return 0
}

func TestMemoryThatVanishesWhileItIsRead(t *testing.T) {
	for name, c := range map[string]struct {
		kind  victim.Vanish
		asked bool
		cut   string
	}{
		"just above the stack":            {victim.VanishAboveStack, false, "stacks_cut_no_unwind_data"},
		"just above the stack of a fiber": {victim.VanishAboveFiber, true, "stacks_cut_no_unwind_data"},
		"between a fiber's and the stack": {victim.VanishBelowStack, true, "stacks_cut_no_unwind_data"},
		"where a g seems to be":           {victim.VanishG, true, "stacks_cut_go_frame"},
		"the stack of what seems a g":     {victim.VanishOfG, false, "stacks_cut_go_frame"},
	} {
		t.Run(name, func(t *testing.T) {
			if !profiletest.Afresh(t) {
				return
			}
			r := start(t, everything)
			at, before := inAsmcgocall(t, r), value(t, r, c.cut)
			asked, err := victim.VanishingPage(c.kind, 95100, at)
			if err != nil {
				t.Fatal(err)
			}
			recordedOfSize(t, r, 95100, passed(1, 95100))
			if cut := value(t, r, c.cut) - before; cut != 1 || (asked > 0) != c.asked {
				t.Errorf("%s: %d, and the kernel was asked %d times", c.cut, cut, asked)
			}
		})
	}
}

//go:linkname setGoroutineLabels runtime/pprof.runtime_setProfLabel
func setGoroutineLabels(unsafe.Pointer)

// A goroutine's labels may be anything that a package has put there, in memory that is not Go's.
func TestLabelsThatVanishWhileTheyAreRead(t *testing.T) {
	if !profiletest.Afresh(t) {
		return
	}
	r := start(t, labelled())
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // the thread ends with the goroutine
		page, err := syscall.Mmap(-1, 0, 4096, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
		if err == nil {
			setGoroutineLabels(unsafe.Pointer(&page[0]))
			err = victim.VanishWhenAsked(unsafe.Pointer(&page[0]))
		}
		if err == nil {
			victim.Free(victim.Malloc(95200))
		}
		setGoroutineLabels(nil)
		done <- err
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	recordedOfSize(t, r, 95200, passed(1, 95200))
	if lost := value(t, r, "lost_labels"); lost != 1 {
		t.Errorf("%d samples lost their labels", lost)
	}
}
