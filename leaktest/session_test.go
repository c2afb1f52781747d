//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package leaktest

import (
	"testing"

	"github.com/cgoheap/cgoheap/internal/victim"
)

func TestASessionCountsWhatIsFreed(t *testing.T) {
	checked(t, func(testing.TB) {
		before := shared.freed()
		for range 1000 {
			victim.Free(victim.Malloc(1))
		}
		if n := shared.freed() - before; n < 1000 || n > 1100 {
			t.Errorf("%d blocks", n)
		}
	})
}
