//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package systemtest

import (
	"context"
	"runtime/pprof"
	"testing"
	"unsafe"

	"github.com/cgoheap/cgoheap"
	"github.com/cgoheap/cgoheap/internal/profiletest"
	"github.com/cgoheap/cgoheap/internal/victim"
)

func TestLabelsOfGoroutinesBesideBothHeaps(t *testing.T) {
	o := everything
	o.GoroutineLabels = true
	p := start(t, o)
	var leaked unsafe.Pointer
	pprof.Do(context.Background(), pprof.Labels("heap", "mine", "tenant", "zeta"), func(context.Context) { leaked = profiletest.Leak(300) })
	defer victim.Free(leaked)
	path := written(t, p, cgoheap.Selection{GoHeap: true})
	for _, focus := range []string{"heap=native", "tenant=zeta"} {
		if top := tool(t, "-top", "-cum", "-nodecount=500", "-nodefraction=0", "-tagfocus="+focus, path); row(top, "Leak") == nil {
			t.Errorf("-tagfocus=%s has no leak:\n%s", focus, top)
		}
	}
	if top := tool(t, "-top", "-cum", "-nodecount=500", "-nodefraction=0", "-tagfocus=heap=mine", path); row(top, "Leak") != nil {
		t.Errorf("the program's own label of that key stands:\n%s", top)
	}
}
