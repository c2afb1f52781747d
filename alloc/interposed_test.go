//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// libfaketime and its like replace functions of libc by some that allocate while they hold a lock. A thread of the library's calls
// these all the time. A hook, or who reads the tables, must not: the library ends the process if a thread would wait for itself.
func TestALibraryThatReplacesFunctionsOfLibc(t *testing.T) {
	const preloaded = "CGOHEAP_TEST_INTERPOSED"
	if os.Getenv(preloaded) != "" {
		callInterposed(t)
		return
	}
	library := filepath.Join(t.TempDir(), "interposed.so")
	toolchain.Target(t).Build(t, "gcc", "-O1", "-Wall", "-fPIC", "-shared", "-o", library, "../internal/victim/testdata/interposed.c")
	again := exec.Command(os.Args[0], "-test.run=^TestALibraryThatReplacesFunctionsOfLibc$")
	again.Env = append(os.Environ(), "LD_PRELOAD="+library, preloaded+"=1")
	if output, err := again.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, output)
	}
}

func callInterposed(t *testing.T) {
	const enough, size = 100, 7037 // as interposed.c has it
	r := start(t, everything)
	for ofSize(t, r, size).AllocObjects < enough {
		runtime.Gosched()
	}
	lossless(t, r)
}
