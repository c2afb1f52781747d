package toolchain

import (
	"os"
	"testing"
)

// Memory returns a directory that lies in memory, as that of black boxes must. It is removed when the test ends.
func Memory(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "cgoheap-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
