//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package leaktest

import (
	"time"

	"github.com/cgoheap/cgoheap/alloc"
	"github.com/cgoheap/cgoheap/internal/reach"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/tables"
	"github.com/cgoheap/cgoheap/internal/usage"
)

// settled is how old blocks must be to be looked for: a snapshot by age leaves out what was allocated about 20 ms before.
const settled = 100 * time.Millisecond

// lost returns the blocks in use that nothing points to, after it has the garbage collected.
func (c *check) lost() (*alloc.Snapshot, error) {
	time.Sleep(settled - time.Since(c.judged))
	var memory scratch.Memory
	defer memory.Free()
	f, err := reach.Look(c.session.recording, &memory, reach.Options{Kernel: usage.Running, Collected: true, Reach: true})
	if err != nil {
		return nil, err
	}
	s, err := f.Unreachable(c.session.recording, nil, 0)
	if err != nil {
		return nil, err
	}
	for i := range s.Samples {
		s.Samples[i].ID = tables.WithoutClass(s.Samples[i].ID)
	}
	return s, nil
}
