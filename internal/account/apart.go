package account

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cgoheap/cgoheap/internal/scratch"
)

// Large blocks that an allocator maps one by one, and that are not recorded, lie in memory that nobody has claimed. The allocator is asked
// for them when all pages have been looked up: then there is a list of what is left. What it proves to be its own moves to it.

// mostUnclaimed bounds the list. If there is more, the allocator is not asked.
const mostUnclaimed = 1 << 13

// unclaimed is memory that nobody has claimed.
type unclaimed struct {
	runs    []run
	memory  *scratch.Memory
	wanted  bool // an allocator can be asked
	tooMany bool
}

func hasApart(allocators []Malloc) bool {
	return slices.ContainsFunc(allocators, func(m Malloc) bool { return m.Apart != nil })
}

// leave adds memory that is a holder's if nobody claims it.
func (v *Survey) leave(h holder, n nature, r run) {
	v.found[h][n].add(r.state, r.Limit-r.Start)
	if h == nobody && n == anonymous {
		v.unclaimed.add(r)
		v.reported.add(&r)
	}
}

func (u *unclaimed) add(r run) {
	if !u.wanted || u.tooMany || r.Start == r.Limit {
		return
	}
	if n := len(u.runs); n > 0 && u.runs[n-1].Limit == r.Start && u.runs[n-1].state == r.state {
		u.runs[n-1].Limit = r.Limit
		return
	}
	if u.tooMany = len(u.runs) == mostUnclaimed; !u.tooMany {
		u.runs = scratch.Append(u.memory, u.runs, r)
	}
}

// resident returns the ranges that are resident.
func (u *unclaimed) resident() (ranges []Range) {
	slices.SortFunc(u.runs, func(a, b run) int { return cmp.Compare(a.Start, b.Start) })
	for _, r := range u.runs {
		if r.state != swapped {
			ranges = append(ranges, r.Range)
		}
	}
	return ranges
}

// askForBlocks gives the allocators the blocks that they have mapped one by one. missing is how many bytes of such blocks were not found.
func (v *Survey) askForBlocks() (missing uint64) {
	ranges := v.unclaimed.resident()
	if v.unclaimed.tooMany {
		ranges = nil
	}
	for i := range v.malloc {
		if v.malloc[i].Apart == nil {
			continue
		}
		blocks, m := v.malloc[i].Apart(ranges, v.blocks)
		missing += m
		v.give(blocks)
		v.given = append(v.given, blocks...)
	}
	return missing
}

// reportedOutside returns what is resident of blocks that the program reported in memory of its own, which nobody has claimed. What lies
// in a block that an allocator has mapped is malloc's already.
func (v *Survey) reportedOutside() (bytes int64) {
	slices.SortFunc(v.given, func(a, b Range) int { return cmp.Compare(a.Start, b.Start) })
	given := v.given
	for i := range v.reported.list {
		b := &v.reported.list[i]
		for len(given) > 0 && given[0].Limit <= b.Start {
			given = given[1:]
		}
		if len(given) == 0 || b.Start < given[0].Start {
			bytes += int64(float64(b.Resident) * b.Times)
		}
	}
	return bytes
}

// give moves what nobody has claimed of ranges, which are ascending, to malloc.
func (v *Survey) give(blocks []Range) {
	for _, r := range v.unclaimed.runs {
		for len(blocks) > 0 && blocks[0].Limit <= r.Start {
			blocks = blocks[1:]
		}
		for _, b := range blocks {
			if b.Start >= r.Limit {
				break
			}
			var t Size
			t.add(r.state, min(r.Limit, b.Limit)-max(r.Start, b.Start))
			v.found[nobody][anonymous].minus(t)
			v.found[allocator][anonymous].plus(t)
		}
	}
}

// alsoMissing adds to a line what it may have of malloc's.
func (l *Line) alsoMissing(bytes uint64) {
	if bytes > 0 && l.Resident > 0 {
		l.Sentence += fmt.Sprintf("; up to %d bytes of it are blocks of malloc that it mapped one by one", min(bytes, uint64(l.Resident)))
	}
}
