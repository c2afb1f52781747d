//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/toolchain"
	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/mappings"
)

func TestLoadersListWithAFileThatWasTruncated(t *testing.T) {
	if !profiletest.Afresh(t) { // in a process of its own, as the library cannot be closed
		return
	}
	lists := func(path string) bool {
		return slices.ContainsFunc(linked(), func(m mappings.Module) bool { return m.Path == path })
	}
	path := filepath.Join(t.TempDir(), "library.so")
	// Without start files the loader has nothing to run in it when the process ends.
	toolchain.Target(t).Build(t, "gcc", "-nostartfiles", "-fPIC", "-shared", "-o", path, "../internal/victim/testdata/plugin.c")
	if _, err := victim.OpenPlugin(path); err != nil {
		t.Fatal(err)
	}
	before := len(linked())
	if !lists(path) {
		t.Fatal("the library is not listed")
	}
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	if after := len(linked()); lists(path) || after != before-1 {
		t.Errorf("%d modules, of %d before", after, before)
	}
}
