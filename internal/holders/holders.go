package holders

import (
	"cmp"
	"iter"
	"slices"

	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/suspects"
	"github.com/cgoheap/cgoheap/internal/usage"
	"github.com/cgoheap/cgoheap/stack"
)

// The names of blocks that have no holder.
const (
	Nothing   = "nothing"
	NotLooked = "not looked for"
)

const inGoHeap = "Go's heap"

// namer names holders. Equal names have equal numbers.
type namer struct {
	*Process
	memory  *scratch.Memory
	places  places
	numbers map[Holder]uint32
	list    []Holder
	words   []word   // ascending
	named   []uint32 // their names
	stacks  map[uint32]uint32
	fixed   map[Root]uint32
	entries map[uint64]uint32          // of functions: the names of goroutines that began in them
	holding map[uint64]map[uint64]bool // the goroutines that hold blocks, by these functions
	pools   map[uint32]string          // of stacks: the function that cuts their blocks into smaller ones
	ends    map[uint64]string          // of functions that are finalizers or cleanups: their names
	ending  string                     // which finalizers and cleanups run, if some wait for their turn: a Holder's note
	threads map[int]string
	tasks   usage.Tasks
}

// word is an address where a chain begins.
type word struct {
	at   uint64
	root Root
}

// Name names the holder of each block. Working memory and Named.Of lie in memory.
func Name(p *Process, b *Blocks, memory *scratch.Memory) *Named {
	n := &namer{
		Process: p, memory: memory, numbers: make(map[Holder]uint32), stacks: make(map[uint32]uint32), fixed: make(map[Root]uint32),
		entries: make(map[uint64]uint32), pools: make(map[uint32]string), holding: make(map[uint64]map[uint64]bool), ends: make(map[uint64]string), threads: make(map[int]string), tasks: p.Kernel.Tasks(),
	}
	n.places = n.newPlaces()
	n.collect(b)
	n.nameWords()
	n.nameStacks(b)
	n.nameEntries(b)
	n.nameEnds()
	result := n.classify(b)
	result.Cut, result.Pools = n.cuts(b)
	scratch.ReleaseSlice(memory, n.words)
	scratch.ReleaseSlice(memory, n.named)
	return result
}

// number returns the number of a name.
func (n *namer) number(h Holder) uint32 {
	known, ok := n.numbers[h]
	if !ok {
		known = uint32(len(n.list))
		n.numbers[h] = known
		n.list = append(n.list, h)
	}
	return known
}

// word returns the word by which a block's root is named; false if it is not by a word. A word of thread-local storage that
// lies in a block of the allocator is a root as well.
func (n *namer) word(f *Found) (w word, ok bool) {
	if n.inStorage(f) {
		return word{f.Holder, Storage}, true
	}
	switch f.Root {
	case Data, Stack, Storage, Mapping:
		return word{f.RootWord, f.Root}, !f.NotLooked
	}
	return word{}, false
}

func (n *namer) inStorage(f *Found) bool {
	p := n.places.storage.at(f.Holder)
	return p != nil && !f.NotLooked && f.Root != NoRoot
}

// collect lists the words to be named, ascending, and the stacks and functions.
func (n *namer) collect(b *Blocks) {
	for i := range b.Count {
		f := b.Found(i)
		if w, ok := n.word(&f); ok && (len(n.words) == 0 || n.words[len(n.words)-1] != w) {
			n.words = scratch.Append(n.memory, n.words, w)
		}
		if f.Through > 0 && uint64(f.Through) <= uint64(b.Count) {
			n.stacks[b.Stack(int(f.Through-1))] = 0
		}
		switch f.Root {
		case GoStack:
			n.entries[f.Entry] = 0
			if n.holding[f.Entry] == nil {
				n.holding[f.Entry] = make(map[uint64]bool)
			}
			n.holding[f.Entry][f.RootWord] = true
		case Finalizer, Cycle:
			n.ends[f.RootWord] = ""
		}
	}
	slices.SortFunc(n.words, func(a, b word) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.root, b.root)) })
	n.words = slices.CompactFunc(n.words, func(a, b word) bool { return a.at == b.at })
	n.named = scratch.Slice[uint32](n.memory, len(n.words))
}

// root returns the name of what a block's chain begins in.
func (n *namer) root(f *Found) uint32 {
	if w, ok := n.word(f); ok {
		i, _ := slices.BinarySearchFunc(n.words, w.at, func(w word, at uint64) int { return cmp.Compare(w.at, at) })
		return n.named[i]
	}
	switch f.Root {
	case GoStack:
		return n.entries[f.Entry]
	case Registers:
		return n.number(Holder{Name: "a register of " + n.thread(f.Thread)})
	case GoHeap:
		return n.number(Holder{Name: inGoHeap})
	case Finalizer:
		return n.number(Holder{Name: n.ends[f.RootWord], Note: "which has not run yet"})
	case Cycle:
		return n.number(Holder{Name: n.ends[f.RootWord], Note: "which never runs, because it keeps its own object"})
	case GoOther:
		return n.number(Holder{Name: "Go's runtime, such as a timer or a finalizer that waits for its turn", Note: n.ending})
	case Garbage:
		return n.number(Holder{Name: "garbage of Go's heap", Note: "which was not collected yet"})
	case Epoll:
		return n.number(Holder{Name: "epoll, with a descriptor that is watched"})
	}
	return n.number(Holder{Name: Nothing})
}

// holder returns the name of a block's holder, and of its root.
func (n *namer) holder(f *Found, b *Blocks) Holder {
	switch {
	case f.NotLooked:
		return Holder{Name: NotLooked}
	case f.Root == NoRoot:
		return Holder{Name: Nothing}
	}
	root := n.list[n.root(f)]
	if n.inStorage(f) {
		return root
	}
	if f.InSmallest {
		root = Holder{Name: suspects.SmallestOfGo}
	} else if f.InGo && (f.Root == Data || f.Root == GoStack) {
		root.Name, root.Detail = root.Name+suspects.ThroughGo, ""
	}
	if f.Through == 0 || uint64(f.Through) > uint64(b.Count) {
		return root
	}
	h := n.list[n.stacks[b.Stack(int(f.Through-1))]]
	h.Root, h.Note = root.Name, root.Note
	return h
}

// sortedRanges are ranges that do not overlap, ascending.
type sortedRanges []place

// place is a range of addresses that has one kind of name.
type place struct {
	account.Range
	which int32  // of a list
	base  uint64 // of ranges of thread-local storage: the file's bias
}

// newSorted sorts ranges. Of two that overlap, the one that begins first keeps what they share.
func newSorted(list []place) sortedRanges {
	slices.SortStableFunc(list, func(a, b place) int { return cmp.Compare(a.Start, b.Start) })
	kept := list[:0]
	for _, p := range list {
		if len(kept) > 0 {
			p.Start = max(p.Start, kept[len(kept)-1].Limit)
		}
		if p.Start < p.Limit {
			kept = append(kept, p)
		}
	}
	return kept
}

// at returns the range that has an address; nil if none has.
func (s sortedRanges) at(address uint64) *place {
	i, found := slices.BinarySearchFunc(s, address, func(p place, address uint64) int { return cmp.Compare(p.Start, address) })
	if !found {
		i--
	}
	if i < 0 || address >= s[i].Limit {
		return nil
	}
	return &s[i]
}

// rootLabel is the key of the label that says what the chain of words to a block begins in, where another block holds it.
const rootLabel = "root"

// Samples yields samples, each of blocks that have one holder, with that as the root of their stacks: a last frame of the
// module stack.NoCode, whose address is 1 + the holder's index. Where the holder is a block, they have the label rootLabel,
// which replaces a goroutine's label of the same key. holder returns the index of a sample's holder. What is yielded is valid
// until the next is.
func (d *Named) Samples(each iter.Seq[*stack.Sample], holder func(*stack.Sample) int) iter.Seq[*stack.Sample] {
	return func(yield func(*stack.Sample) bool) {
		var frames []stack.Frame
		for s := range each {
			held, which := *s, holder(s)
			frames = append(append(frames[:0], s.Frames...), stack.NewFrame(stack.NoCode, uint64(which)+1))
			held.Frames = frames
			if uint(which) < uint(len(d.Holders)) && d.Holders[which].Root != "" {
				held.Labels = stack.WithLabel(s.Labels, stack.Label{Key: rootLabel, Text: d.Holders[which].Root})
			}
			if !yield(&held) {
				return
			}
		}
	}
}
