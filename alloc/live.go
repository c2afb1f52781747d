//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"time"

	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/suspects"
	"github.com/cgoheap/cgoheap/internal/tables"
)

// LiveTick is the unit of the ticks of Live.
const LiveTick time.Duration = layout.Tick

// Live calls take with a function that yields the sampled blocks in use, each memory once, and with the time, in ticks, from which on they do not
// count: those allocated later may be missing. A block's Site is the ID of its sample. Live returns errStopped after Stop.
func (r *Recording) Live(take func(ticks uint64, each func(func(*suspects.Block)))) error {
	var memory scratch.Memory
	defer memory.Free()
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.whole(); err != nil {
		return err
	}
	read := r.reader(&memory)
	take(read.Ticks, func(see func(*suspects.Block)) {
		read.Blocks(func(b tables.Block) {
			if !b.Lost && !read.Registered(&b) { // what is registered is in use as what it was before
				see(liveBlock(read, &b))
			}
		})
	})
	return r.whole()
}

// liveBlock returns a block with its weight.
func liveBlock(read *tables.Reader, b *tables.Block) *suspects.Block {
	size, blocks := read.SizeOf(b), float64(b.Objects.Low)/(1<<16)
	stack := uint64(read.StackOf(b))
	if read.OnDevice(b) {
		stack = suspects.OnDevice(stack, read.DeviceOf(b))
	}
	return &suspects.Block{Stack: stack, Site: read.ID(b), Born: b.Born(), Bytes: float64(size) * blocks, Blocks: blocks,
		Variance: b.Variance(size)}
}
