package account

import (
	"cmp"
	"slices"

	"github.com/cgoheap/cgoheap/internal/scratch"
)

// holder is the owner of a range of addresses, in the order of precedence: if two claim a byte, the first has it. The bounds
// of the profiler's tables and of the loader's segments come from their makers. Stacks come last among claims of memory in
// general, because their bounds come from the kernel, which joins neighbours.
type holder uint8

const (
	profiler    holder = iota
	goArena            // memory from which the Go runtime takes objects, stacks and free memory: no claim, but known of a piece
	segment            // of the program and its libraries
	allocator          // memory that blocks of malloc lie in
	goMapped           // the runtime's other memory
	pinned             // by a driver, for its devices: the driver has mapped it by some call
	programMap         // mapped by a call with a stack
	threadStack        // of a thread that runs or waits; as with goArena, also known of a piece
	endedStack         // of a thread that has ended
	nobody
	holders
)

// claim is a range and its holder. Which is the index in the list of Mapped; -1 for ranges of others.
type claim struct {
	Range
	holder holder
	which  int32
}

// claims are ranges that do not overlap, ascending, and what was found in each.
type claims struct {
	list   []claim
	spare  []claim // the memory of the list before the last one
	memory *scratch.Memory
	at     int // no later run begins below this claim
}

// newClaims makes room for so many claims: each makes at most two of the list.
func newClaims(memory *scratch.Memory, room int) *claims {
	return &claims{memory: memory, list: scratch.Slice[claim](memory, 2*room)[:0], spare: scratch.Slice[claim](memory, 2*room)[:0]}
}

func (c *claims) release() {
	scratch.ReleaseSlice(c.memory, c.list)
	scratch.ReleaseSlice(c.memory, c.spare)
}

// add claims ranges for a holder of lower precedence than all earlier ones: bytes that are claimed already stay as they are.
func (c *claims) add(added []claim) {
	if len(added) == 0 {
		return
	}
	slices.SortStableFunc(added, func(a, b claim) int { return cmp.Compare(a.Start, b.Start) })
	merged := c.spare[:0]
	old := c.list
	var taken uint64 // everything below it is claimed
	for _, a := range added {
		for len(old) > 0 && old[0].Start <= a.Start {
			taken = max(taken, old[0].Limit)
			merged, old = scratch.Append(c.memory, merged, old[0]), old[1:]
		}
		for a.Start = max(a.Start, taken); a.Start < a.Limit; a.Start = taken {
			piece := a
			if len(old) > 0 {
				piece.Limit = min(a.Limit, old[0].Start)
			}
			if piece.Start < piece.Limit {
				merged = scratch.Append(c.memory, merged, piece)
			}
			if taken = piece.Limit; piece.Limit == a.Limit {
				break
			}
			taken = old[0].Limit
			merged, old = scratch.Append(c.memory, merged, old[0]), old[1:]
		}
	}
	for _, o := range old {
		merged = scratch.Append(c.memory, merged, o)
	}
	c.list, c.spare = merged, c.list
}

// divide passes the parts of a run to visit, each with the claim that it lies in, or nil. Runs must come in ascending order.
func (c *claims) divide(r Range, visit func(*claim, uint64)) {
	for c.at < len(c.list) && c.list[c.at].Limit <= r.Start {
		c.at++
	}
	for i := c.at; r.Start < r.Limit; i++ {
		if i == len(c.list) || c.list[i].Start >= r.Limit {
			visit(nil, r.Limit-r.Start)
			return
		}
		one := &c.list[i]
		if one.Start > r.Start {
			visit(nil, one.Start-r.Start)
			r.Start = one.Start
		}
		end := min(r.Limit, one.Limit)
		visit(one, end-r.Start)
		r.Start = end
	}
}
