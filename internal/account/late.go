package account

import (
	"cmp"
	"slices"

	"github.com/cgoheap/cgoheap/internal/scratch"
)

// The program goes on to map and to unmap memory while its pages are looked up. Sources.Mapped was read before, so what it says of
// an address may be wrong by the time that the kernel is asked about it. So the number of the last recorded call is compared
// after each look:
//
//	the list is read │ look: no call since, the list holds │ call │ look: put off │ look: put off │ the list is read again
//
// What was put off is attributed by the list that is read afterwards, and by that alone. A mapping of that list had a page at the
// moment of the look if its call has a number that was given before the look:
//
//   - A call that maps gets its number after it has returned. So the page was mapped by it before the look.
//   - A call that unmaps, moves or maps over something is in the list before it begins, also if its event could not be queued. So
//     nothing had taken the page away by the time of the second reading, which is after the look.
//
// A mapping that came or went meanwhile is nobody's, whoever has the address now: its page may have been either's.
// Go's mappings of before the recording have no number. They have a page if both lists say so; they have no stack either.

// lateParts is how many parts can be put off; neighbours that are alike are one. Further parts are attributed by the first list, and
// Survey.Unsure says so.
const lateParts = 1 << 12

// latePart is a part of a run that was put off.
type latePart struct {
	Range
	calls         uint64 // the number of the last recorded call before the look
	otherwise     holder // if no call has it
	nature        nature
	state         state
	shared, inode bool // of the area
	byGo          bool // by the first list, without a number
}

// late has what is put off.
type late struct {
	calls func() uint64 // nil: nothing is put off
	read  uint64        // before the list was read
	noted uint64        // before the look
	moved bool
	parts []latePart
}

func newLate(s *Sources, memory *scratch.Memory) late {
	l := late{calls: s.Calls, read: s.AsOf}
	if l.calls != nil {
		l.parts = scratch.Slice[latePart](memory, lateParts)[:0]
	}
	return l
}

// note is called before a look.
func (l *late) note() {
	if l.calls != nil {
		l.noted = l.calls()
	}
}

// changed is called after a look, and reports whether calls were recorded since the list was read.
func (l *late) changed() bool {
	l.moved = l.moved || l.calls != nil && l.calls() != l.read
	return l.moved
}

// concerns reports whether recorded calls can change whose memory it is, and returns the holder if none has it.
func concerns(h holder, c *claim) (otherwise holder, concerned bool) {
	if c != nil && c.which >= 0 {
		return nobody, h == c.holder
	}
	return h, h == threadStack || h == endedStack || h == nobody
}

// put reports whether there is room for a part.
func (l *late) put(p latePart) bool {
	if n := len(l.parts); n > 0 {
		last := &l.parts[n-1]
		joined := *last
		joined.Range = p.Range
		if last.Limit == p.Start && joined == p {
			last.Limit = p.Limit
			return true
		}
	}
	if len(l.parts) == cap(l.parts) {
		return false
	}
	l.parts = append(l.parts, p)
	return true
}

// Late reports whether parts were put off, for Settle.
func (v *Survey) Late() bool { return len(v.late) > 0 }

// Settle attributes the parts that were put off, by a list of so many mappings that was read after Take, in the order of
// addresses; fits is as in Sources. It returns what was found of the program's, by index, but adds to Survey.Mapped what was found of a
// call that the first list has at the same place. Without a list, count is 0.
func (v *Survey) Settle(count int, mapped func(int) Mapped, fits func(i int, shared, inode bool) bool) map[int]*ByLine {
	found := make(map[int]*ByLine)
	first := 0
	for _, p := range v.late {
		for first < count && mapped(first).Limit <= p.Start {
			first++
		}
		for i := first; i < count && p.Start < p.Limit; i++ {
			m := mapped(i)
			if m.Start >= p.Limit {
				break
			}
			if p.by(&m) && fits(i, p.shared, p.inode) {
				v.settle(&p, &m, func() *ByLine { return v.byLine(&m, found, i) })
			}
		}
		v.leave(p.otherwise, p.nature, run{p.Range, p.state})
	}
	v.late = nil
	return found
}

// byLine needs memory for new mappings only.
func (v *Survey) byLine(m *Mapped, found map[int]*ByLine, i int) *ByLine {
	at, _ := slices.BinarySearchFunc(v.listed, m.Start, func(m Mapped, start uint64) int { return cmp.Compare(m.Limit, start+1) })
	if at < len(v.listed) && v.listed[at].Start <= m.Start && v.listed[at].Call == m.Call {
		return &v.Mapped[at]
	}
	if found[i] == nil {
		found[i] = new(ByLine)
	}
	return found[i]
}

// by reports whether a mapping of the later list had the part's pages at the moment of the look.
func (p *latePart) by(m *Mapped) bool {
	if m.Call == 0 {
		return m.Kind == Go && p.byGo
	}
	return m.Call <= p.calls
}

// settle adds what a mapping has of a part, and what lies before it, which nobody has. The rest remains of the part.
func (v *Survey) settle(p *latePart, m *Mapped, program func() *ByLine) {
	start, limit := max(p.Start, m.Start), min(p.Limit, m.Limit)
	v.leave(p.otherwise, p.nature, run{Range{p.Start, start}, p.state})
	h := holderOf(m.Kind)
	v.found[h][p.nature].add(p.state, limit-start)
	if h == programMap {
		program().add(p.nature, p.state, limit-start)
	}
	p.Start = limit
}

func holderOf(k Kind) holder {
	switch k {
	case Go:
		return goMapped
	case Allocator:
		return allocator
	case Profiler:
		return profiler
	}
	return programMap
}
