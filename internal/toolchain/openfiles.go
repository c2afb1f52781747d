package toolchain

import (
	"os"
	"path/filepath"
	"testing"
)

// OpenFiles returns the paths of the files that this process has open, its own and those that others in it open and close meanwhile: a test
// looks among them for what is its own. Linux has the list.
func OpenFiles(t testing.TB) (paths []string) {
	t.Helper()
	const dir = "/proc/self/fd"
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if path, err := os.Readlink(filepath.Join(dir, e.Name())); err == nil { // else it was closed meanwhile
			paths = append(paths, path)
		}
	}
	return paths
}
