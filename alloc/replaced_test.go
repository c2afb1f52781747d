//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/victim"
)

// caller calls functions on one thread, always from the same place, and allocates nothing of its own.
func caller(size uintptr) (call func(victim.PluginFunction) unsafe.Pointer, end func()) {
	functions, blocks := make(chan victim.PluginFunction), make(chan unsafe.Pointer)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		for f := range functions {
			blocks <- f.Call(size)
		}
	}()
	return func(f victim.PluginFunction) unsafe.Pointer { functions <- f; return <-blocks }, func() { close(functions) }
}

// A thread's last walk led through a library; the same stack, word for word, now leads through the one in its place.
func TestOneAddressTwoLibrariesOneStack(t *testing.T) {
	unwatched(t)
	const size, each = 1005, 3
	for name, looked := range map[string]bool{"that is known": true, "that nobody looked at yet": false} {
		t.Run("the second is one "+name, func(t *testing.T) {
			first, second := plugin(t), plugin(t, "-g")
			r := start(t, everything)
			call, end := caller(size)
			defer end()
			p := open(t, first)
			r.look()
			was := p.Find("plugin_calls_itself")
			for range each {
				victim.Free(call(was))
			}
			p.Close()
			q := open(t, second)
			defer q.Close()
			if looked {
				r.look()
			}
			is := q.Find("plugin_calls_itself")
			if was != is {
				t.Skip("the second library was not put in the first one's place")
			}
			for range each {
				victim.Free(call(is))
			}
			s := snapshot(t, r)
			blocks := make(map[string]int64)
			for _, sample := range s.Samples {
				if m := s.Module(sample.Frames[0].Module()); sample.BlockSize == size && m != nil {
					blocks[m.Path] += sample.AllocObjects
				}
			}
			if blocks[first] != each || (looked && blocks[second] != each) || len(blocks) > 2 {
				t.Errorf("%d blocks were allocated by each: %v", each, blocks)
			}
		})
	}
}
