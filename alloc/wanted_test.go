//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"reflect"
	"testing"

	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/stack"
)

func TestASnapshotOfWantedSamplesHasThoseAndNoOthers(t *testing.T) {
	r := start(t, everything)
	for range 3 {
		defer victim.Free(victim.Malloc(1111))
		defer victim.Free(victim.Malloc(2222))
	}
	all, err := r.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	var want []stack.Sample
	for _, s := range all.Samples {
		if s.BlockSize == 1111 {
			want = append(want, s)
		}
	}
	ids := make(map[uint64]bool)
	for _, s := range want {
		ids[s.ID] = true
	}
	some, err := r.SnapshotOf(func(id uint64) bool { return ids[id] })
	if err != nil {
		t.Fatal(err)
	}
	if len(want) != 1 || len(all.Samples) < 2 || !reflect.DeepEqual(some.Samples, want) {
		t.Errorf("%d samples of %d: %+v, want %+v", len(some.Samples), len(all.Samples), some.Samples, want)
	}
}
