//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import "testing"

func TestJoin(t *testing.T) {
	for _, depth := range []int{0, 50, 500} {
		t.Run("stacks reach Go however deep Start was called", func(t *testing.T) {
			r, err := startBelow(depth)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Stop()
			if r.joinErr != nil {
				t.Errorf("%d calls deep: %v", depth, r.joinErr)
			}
		})
	}
}

//go:noinline
func startBelow(depth int) (*Recording, error) {
	if depth > 0 {
		r, err := startBelow(depth - 1)
		return r, err
	}
	return Start(Options{SampleBytes: 1 << 20, MaxDepth: 128, TableBytes: 64 << 20})
}
