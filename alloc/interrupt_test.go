//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/internal/toolchain"
	"github.com/cgoheap/cgoheap/internal/victim"
)

// A handler that allocates may interrupt a hook anywhere: while it decides, walks, remembers or forgets. The allocator
// behind the hooks must survive that, so the test runs again in a process that was given one that does.
func TestHandlersThatInterruptHooks(t *testing.T) {
	if preloads(t, "bump.c", "-O2", "-fno-builtin") {
		interruptHooks(t)
	}
}

// preloads runs the test again, in a process that preloads a library built from the source. In that process it returns true.
func preloads(t *testing.T, source string, flags ...string) bool {
	t.Helper()
	const inside = "CGOHEAP_TEST_PRELOADS"
	if os.Getenv(inside) != "" {
		return true
	}
	library := filepath.Join(t.TempDir(), "library.so")
	arguments := append(flags, "-fPIC", "-shared", "-o", library, "../internal/victim/testdata/"+source)
	toolchain.Target(t).Build(t, "gcc", arguments...)
	again := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	again.Env = append(os.Environ(), "LD_PRELOAD="+library, inside+"=1")
	if output, err := again.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, output)
	}
	return false
}

func interruptHooks(t *testing.T) {
	const count, size, handlerSize = 50000, 71, 7035
	r := start(t, everything)
	var handled, all int64
	for round := 0; round < 5; round++ {
		perform(func() { handled += victim.Interrupted(count, size, handlerSize) })
		all += 2 * count
	}
	if handled < 100 {
		t.Errorf("handlers allocated %d blocks", handled)
	}
	recordedOfSize(t, r, size, passed(all, size))
	recordedOfSize(t, r, handlerSize, passed(handled, handlerSize))
	// A stack may end where a signal found code at an instruction that no row can express, but must say so.
	cut := int64(0)
	for _, l := range snapshot(t, r).Losses {
		switch {
		case strings.HasPrefix(l.Name, "stacks_cut"):
			cut += int64(l.Count)
		case l.Name != "peak_inexact": // a moment in the midst of what a handler interrupts is no peak
			t.Errorf("%d %s", l.Count, l.Sentence)
		}
	}
	if got := sum(snapshot(t, r).through("perform")).AllocObjects; got < all+handled-cut || cut > handled/100 {
		t.Errorf("%d blocks through Go and %d stacks cut, of %d blocks, %d of them by handlers", got, cut, all+handled, handled)
	}
}
