//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package systemtest

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/victim"
)

// endMainThread ends the thread that the process began with, as pthread_exit in C's main does. Each goroutine keeps its thread, so the
// scheduler must come to that one.
func endMainThread() {
	found, all := make(chan bool), make(chan struct{})
	defer close(all)
	for is := false; !is; is = <-found {
		go func() {
			runtime.LockOSThread()
			is := unix.Gettid() == os.Getpid()
			found <- is
			if is {
				_, _, _ = unix.Syscall(unix.SYS_EXIT, 0, 0, 0)
			}
			<-all
			runtime.UnlockOSThread()
		}()
	}
	for {
		if pages, err := os.ReadFile("/proc/self/statm"); err == nil && strings.HasPrefix(string(pages), "0 ") {
			return
		}
		runtime.Gosched()
	}
}

// The kernel's files of "self" are then empty.
func TestAProcessWhoseMainThreadHasEnded(t *testing.T) {
	if os.Getenv(refusedKind) == "" {
		again(t, "TestAProcessWhoseMainThreadHasEnded", "main thread")
		return
	}
	endMainThread()
	p := start(t, everything)
	block := profiletest.Leak(1000)
	defer victim.Free(block)
	if err := accounts(p); err != nil {
		t.Error(err)
	}
	for _, s := range []cgoheap.Selection{{}, rss, {View: cgoheap.ViewHeldBy(true)}} {
		if got := sumOf(profiletest.Through(checked(t, p, s), "Leak")); got < 1000 {
			t.Errorf("%v: %d bytes of 1000", s.View, got)
		}
	}
}
