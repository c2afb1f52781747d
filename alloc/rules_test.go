//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/testonly"
	"github.com/cgoheap/cgoheap/internal/unwind"
	"github.com/cgoheap/cgoheap/mappings"
)

// Two roads to a rule: C's binary search over rows in the region, and package unwind's own look-up.
func TestRules(t *testing.T) {
	r, err := Start(Options{SampleBytes: 1 << 20, MaxDepth: 128, TableBytes: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Stop()
	compared := 0
	for _, m := range r.loaded.current {
		if name := filepath.Base(m.Path); strings.HasPrefix(name, "libc.so") || m.ID == 1 {
			t.Run("C finds the rows of "+name, func(t *testing.T) { compared += compareRules(t, m) })
		}
	}
	if compared < 1e6 {
		t.Errorf("compared only %d addresses", compared)
	}
}

func compareRules(t *testing.T, m module) (compared int) {
	table := tableOf(t, m.Module)
	for _, r := range m.Ranges {
		for address := r.Start; address < r.Limit; address++ {
			want := table.Lookup(uint64(m.ELFAddr(mappings.RuntimeAddr(address))))
			got := testonly.RuleAt(uint64(address))
			if *(*unwind.Rule)(unsafe.Pointer(&got)) != want {
				t.Fatalf("%#x: C has %v, the table %v", address, got, want)
			}
			compared++
		}
	}
	return compared
}
