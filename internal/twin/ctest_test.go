//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package twin

import (
	"path/filepath"
	"testing"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// Those of the tests of C that also run here; make ctest runs all, under sanitizers.
func TestTheTestsOfC(t *testing.T) {
	sources, err := filepath.Glob("*.c")
	if err != nil {
		t.Fatal(err)
	}
	toolchain.Target(t).TestC(t, sources, []toolchain.CTest{
		{Name: "chunks_test", Scale: "20", Only: []string{"one thread's", "small blocks", "just cutting", "corrupt size"}},
		{Name: "pinned_test", Scale: "20", Only: []string{"what each block pins", "left alone"}},
	}, "-I../../cgo/testdata/ctest")
}
