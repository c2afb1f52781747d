package holders

import (
	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/usage"
	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/stack"
	"github.com/cgoheap/cgoheap/symbolize"
)

// Root is what a chain of words begins in.
type Root uint8

// The kinds of roots.
const (
	NoRoot    Root = iota
	Data           // of a file
	Stack          // of a thread
	Storage        // thread-local
	Registers      // of a thread
	GoHeap
	GoStack // of a goroutine
	Mapping // any other memory
	Epoll   // what the kernel keeps with a descriptor that is watched
	_       // nobody looked

	// Objects of Go's heap, of which more is known. GoHeap is all others.
	Finalizer // only a finalizer or cleanup keeps them, which has not run yet
	Cycle     // so, and it can never run, because it keeps its own object
	GoOther   // only Go's runtime keeps them, or memory that is nobody's
	Garbage   // nothing was found to keep them
)

// Found is what was found of a recorded block. The zero value is a block that nothing points to.
type Found struct {
	NotLooked  bool   // nobody looked, or the block was too young
	Holder     uint64 // the address of the word that points to the block
	Through    uint32 // 1 + the index of the recorded block that the word lies in, or the last one of its chain; 0: the chain has none
	Root       Root   // NoRoot: nothing points to it
	InGo       bool   // the chain leads from the root through Go's heap
	InSmallest bool   // it begins in one of the smallest objects of Go's, several of which Go keeps as one
	RootWord   uint64 // the address of the first word of the chain; of a finalizer or cleanup, of its function; of a goroutine, what tells it from others
	Thread     int    // whose registers these are; 0 if unknown
	Entry      uint64 // an address in the first function of the goroutine; 0 if unknown
}

// Process is what is known of the process at the moment when the words were found.
type Process struct {
	Kernel   usage.Kernel
	Modules  []*mappings.Module // the loaded files; their data is looked for in them
	Main     *mappings.Module   // the program's own; nil if unknown
	Names    *symbolize.Symbolizer
	Threads  []account.Thread
	Mapped   []account.Mapping               // by recorded calls, with frames, in the order of addresses
	GoData   []account.Range                 // where Go's variables lie; empty if unknown
	InGoHeap func(address uint64) bool       // whether an address lies in Go's heap; nil if it is not known where that is
	Waiting  func(*scratch.Memory) []Waiting // where goroutines are; called if a goroutine's stack is a root; may be nil

	Module func(stack.ModuleID) *mappings.Module // of frames; nil if unknown
}

// Waiting are goroutines that began in the same function and are at the same place.
type Waiting struct {
	Entry  uint64 // the address of that function
	Place  string // for a person
	Ends   bool   // they run finalizers or cleanups
	Number int
}

// Blocks are the recorded blocks. Blocks of one stack have the same number.
type Blocks struct {
	Count  int
	Found  func(i int) Found
	Bytes  func(i int) uint64
	Stack  func(i int) uint32
	Frames func(stack uint32) []stack.Frame // leaf first; valid until the next call
}

// Holder is the name of what holds blocks.
type Holder struct {
	Name   string // "global sessions", "a block allocated in queue_push"
	Detail string // which word of it, where that is a part of a structure: "global server+0x18"; "" otherwise
	Root   string // for a block: the name of what its chain begins in; "" otherwise
	Note   string // a clause of what else is known of it, or of the root: "which has not run yet"; "" if nothing is
}

// Named are the holders of all blocks.
type Named struct {
	Holders []Holder // different ones, most bytes first
	Of      []uint32 // of each block, as an index of Holders
	Cut     []uint32 // of each block, 1 + the index in Pools, if what leads to it is a part of a block only: 0 if it is none; nil if none is
	Pools   []string // functions that cut blocks into smaller ones
}
