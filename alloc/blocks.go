//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"cmp"
	"slices"
	"time"

	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/suspects"
	"github.com/cgoheap/cgoheap/internal/tables"
	"github.com/cgoheap/cgoheap/stack"
)

// Blocks are recorded blocks that were in use at a moment, by address, ascending. They lie in memory of the kernel's, so that no
// search of the program's memory mistakes them for pointers.
type Blocks struct {
	list    []sized
	started time.Time // of the recording
	age     func(*tables.Block) (time.Duration, bool)
}

// BlocksIn returns the blocks of malloc's in use, and those in memory of devices, whose addresses the program keeps like any other. It
// returns errStopped after Stop. Others that the program reported are not among them, nor those whose free was lost.
func (r *Recording) BlocksIn(memory *scratch.Memory) (*Blocks, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.whole(); err != nil {
		return nil, err
	}
	b := &Blocks{list: scratch.Slice[sized](memory, leastListed)[:0], started: r.started}
	read := r.reader(memory)
	b.age = read.Age
	read.Blocks(func(block tables.Block) {
		if onDevice := read.OnDevice(&block) && block.Address < mostAddress; !block.Lost && (!block.Reported || onDevice) {
			b.list = scratch.Append(memory, b.list, sized{Block: block, size: searched(&block, read.SizeOf(&block))})
		}
	})
	slices.SortFunc(b.list, func(x, y sized) int { return cmp.Compare(x.Address, y.Address) })
	b.list = slices.CompactFunc(b.list, func(x, y sized) bool { return x.Address == y.Address })
	return b, nil
}

// mostAddress is behind all addresses of a process. A driver's handles are beyond it, and no address of a block.
const mostAddress = 1 << 48

// mostSearched is how many bytes of a block on a device are looked for: a search takes memory for each page of a block. The program has
// the address of its start, with which it is freed.
const mostSearched = 64 << 20

func searched(b *tables.Block, size uint64) uint64 {
	if b.Reported {
		return min(size, mostSearched)
	}
	return size
}

// leastListed is how many blocks take enough memory that it is not of Go's heap.
const leastListed = 1 << 10

// Len returns how many there are.
func (b *Blocks) Len() int { return len(b.list) }

// At returns a block's address and size. The size is at most the distance to the next.
func (b *Blocks) At(i int) (address, size uint64) {
	address, size = b.list[i].Address, b.list[i].size
	if i+1 < len(b.list) {
		size = min(size, b.list[i+1].Address-address)
	}
	return address, size
}

// Site returns the number of a block's stack and size; it is the lower half of the ID of the sample that the block counts in.
func (b *Blocks) Site(i int) uint32 { return b.list[i].Site }

// Younger reports whether a block was younger than that when the blocks were listed.
func (b *Blocks) Younger(i int, than time.Duration) bool {
	age, known := b.age(&b.list[i].Block)
	return !known || age < than
}

// ClassesIn returns a snapshot of the blocks that are still in use. class returns the class of the block at an index; a negative one
// leaves it out. Samples lie in memory, as SnapshotIn's do.
func (r *Recording) ClassesIn(memory *scratch.Memory, b *Blocks, class func(i int) int) (*Snapshot, error) {
	return r.snapshot(memory, func(read *tables.Reader) *tables.Samples {
		sums := make(tables.Classes)
		r.still(read, b, func(i int, block *tables.Block) {
			if _, known := read.Age(block); !known { // the tables were settled before
				return
			}
			if c := class(i); c >= 0 {
				sums.Add(block.Site, c, block.Weight)
			}
		})
		return read.InClasses(sums, func(int) stack.Label { return stack.Label{} })
	})
}

// WeighedIn returns a snapshot of the blocks that are still in use. Each counts with the bytes that bytes returns for its index, in 1/256
// byte; 0 leaves it out.
func (r *Recording) WeighedIn(memory *scratch.Memory, b *Blocks, bytes func(i int) uint64) (*Snapshot, error) {
	return r.snapshot(memory, func(read *tables.Reader) *tables.Samples {
		sums := tables.NewSums(memory)
		r.still(read, b, func(i int, block *tables.Block) {
			if n := bytes(i); n > 0 {
				sums.Add(block.Site, block.Of(n))
			}
		})
		return read.InUse(sums)
	})
}

// StillIn calls see with the index of each of the blocks that are still in use, and with the block. Working memory lies in memory.
func (r *Recording) StillIn(memory *scratch.Memory, b *Blocks, see func(i int, block *suspects.Block)) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.whole(); err != nil {
		return err
	}
	read := r.reader(memory)
	r.still(read, b, func(i int, block *tables.Block) { see(i, liveBlock(read, block)) })
	return r.whole()
}

// still visits the blocks that are in use and were not freed meanwhile; none if they are of another recording. What it passes lies in the
// list, because the address of a block in Go's heap would look as if a later search found what holds it.
func (r *Recording) still(read *tables.Reader, b *Blocks, visit func(i int, block *tables.Block)) {
	if !b.started.Equal(r.started) {
		return
	}
	read.Blocks(func(block tables.Block) {
		i, found := slices.BinarySearchFunc(b.list, block.Address, func(s sized, at uint64) int { return cmp.Compare(s.Address, at) })
		if found && b.list[i].Block == block {
			visit(i, &b.list[i].Block)
		}
	})
}

// Stacks returns the stacks of threads that libc knows, of those that have ended too. Empty if its lists cannot be read.
func (r *Recording) Stacks() []account.Stack { return libcStacks() }

// Tables returns the memory in which the profiler keeps its records, and in which it works.
func (r *Recording) Tables() []account.Range { return r.tables() }

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
