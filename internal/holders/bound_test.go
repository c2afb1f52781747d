//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package holders

import (
	"slices"
	"testing"

	"github.com/cgoheap/cgoheap/internal/scratch"
)

// A block is held through what a pool has cut if any block of its chain is the pool's, but not because it is one itself.
func TestChainsThroughAPoolAreKnown(t *testing.T) {
	found := []Found{{}, {Through: 1}, {Through: 2}, {}, {Through: 4}, {Through: 7}, {Through: 6}, {Through: 99}, {Through: 10}, {Through: 2}}
	n := namer{memory: new(scratch.Memory), pools: map[uint32]string{1: "cut", 9: "carve"}}
	defer n.memory.Free()
	cut, pools := n.cuts(&Blocks{Count: len(found), Found: func(i int) Found { return found[i] }, Stack: func(i int) uint32 { return uint32(i) }})
	var got []string
	for _, c := range cut {
		got = append(got, append([]string{""}, pools...)[c])
	}
	if want := []string{"", "", "cut", "", "", "", "", "", "carve", "cut"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
