//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/victim"
)

// A path is the calls that lead to an allocation: one for each bit, the lowest first.

//go:noinline
func treeZero(bits int, path, size uintptr) unsafe.Pointer { return stepOfTree(bits, path, size) }

//go:noinline
func treeOne(bits int, path, size uintptr) unsafe.Pointer { return stepOfTree(bits, path, size) }

func stepOfTree(bits int, path, size uintptr) unsafe.Pointer {
	switch {
	case bits == 0:
		return victim.Malloc(size)
	case path&1 == 0:
		return treeZero(bits-1, path>>1, size)
	default:
		return treeOne(bits-1, path>>1, size)
	}
}

// wantPath returns the tree's functions in the stack of a path, leaf first.
func wantPath(bits int, path uintptr) string {
	var names []string
	for ; bits > 0; bits, path = bits-1, path>>1 {
		names = append(names, []string{"Zero", "One"}[path&1])
	}
	slices.Reverse(names)
	return strings.Join(names, " ")
}

// Stacks are kept as a tree. The slow road to each is the path that led to it, which its size says.
func TestALargeTreeOfStacks(t *testing.T) {
	const bits, first = 13, 100_000
	r := start(t, everything)
	for path := range uintptr(1 << bits) {
		victim.Free(stepOfTree(bits, path, first+path))
	}
	found := 0
	for _, s := range snapshot(t, r).Samples {
		path := uintptr(s.BlockSize) - first
		if s.BlockSize < first || path >= 1<<bits {
			continue
		}
		found++
		var names []string
		for _, f := range s.Frames {
			if _, name, ok := strings.Cut(goFunction(f), "alloc.tree"); ok {
				names = append(names, name)
			}
		}
		if got, want := strings.Join(names, " "), wantPath(bits, path); got != want {
			t.Fatalf("path %b: %s, want %s", path, got, want)
		}
	}
	if found != 1<<bits {
		t.Errorf("%d stacks, want %d", found, 1<<bits)
	}
}
