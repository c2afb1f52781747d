package tables

import (
	"cmp"
	"slices"

	"github.com/cgoheap/cgoheap/internal/layout"
)

// Mapped is a range of addresses that a recorded call has mapped: struct mapped in cgo/mapped_tree.h.
type Mapped struct {
	Start, Limit uint64
	Length       uint64 // bytes that the call asked for; but see layout.MappedOpen
	Call         uint64 // its number
	Stack        uint32 // ref; 0 where the kind is not layout.MappedProgram
	Kind, Flags  uint16

	base uint64
}

// Mapped returns what recorded calls have mapped, in the order of addresses and without overlaps, in a region that nobody writes any more.
// What calls concerned that were recorded and not entered yet is left out. It returns false if the writer stopped in the middle of an
// entry, so that nothing is certain.
func (g Region) Mapped() (list []Mapped, ok bool) {
	table := g.Load64(layout.HeaderMapped)
	if table == 0 {
		return nil, true
	}
	if g.Load64(table+layout.MappedTableLock) != 0 {
		return nil, false
	}
	list = g.entered(table)
	if list, ok = g.withoutPending(table, list); !ok {
		return nil, false
	}
	slices.SortFunc(list, func(a, b Mapped) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Limit, b.Limit)) })
	var taken uint64
	return slices.DeleteFunc(list, func(m Mapped) bool {
		overlaps := m.Start < taken
		taken = max(taken, m.Limit)
		return overlaps
	}), true
}

// entered returns the ranges in the table at an offset, as mapped_read in cgo/mapped.c does.
func (g Region) entered(table uint64) (list []Mapped) {
	tree, doubt := table+layout.MappedTableTree, g.Load64(table+layout.MappedTableDoubt)
	const perChunk = (layout.SizeofMappedTree - layout.MappedTreeFirst) / layout.SizeofMapped
	const chunks = (layout.MappedTreeFirst - layout.MappedTreeChunks) / 8
	used := g.atMost(uint64(g.Load32(tree+layout.MappedTreeUsed)), layout.SizeofMapped)
	for i := range min(uint64(used), perChunk*chunks) {
		chunk := g.Load64(tree + layout.MappedTreeChunks + i/perChunk*8)
		if chunk == 0 {
			continue
		}
		at := chunk + i%perChunk*layout.SizeofMapped
		m := g.mappedAt(at)
		if leaving := g.Load64(at + layout.MappedLeaving); leaving == 0 && m.Start < m.Limit && m.Call > doubt {
			list = append(list, m)
		}
	}
	return list
}

func (g Region) mappedAt(at uint64) Mapped {
	kindAndFlags := g.Load32(at + layout.MappedKind)
	return Mapped{
		Start: g.Load64(at + layout.MappedStart), Limit: g.Load64(at + layout.MappedLimit), Length: g.Load64(at + layout.MappedLength),
		Call: g.Load64(at + layout.MappedNumber), Stack: g.Load32(at + layout.MappedStack),
		Kind: uint16(kindAndFlags), Flags: uint16(kindAndFlags >> 16), base: g.Load64(at + layout.MappedBase),
	}
}

// withoutPending removes what the events in the queue concern: see cgo/mapped_queue.c. It returns false if one is being written.
func (g Region) withoutPending(table uint64, list []Mapped) ([]Mapped, bool) {
	const events = layout.SizeofMappedTable - layout.MappedTableEvents
	const most = events / layout.SizeofMappedEvent
	head, tail := g.Load64(table+layout.MappedTableHead), g.Load64(table+layout.MappedTableTail)
	if tail < head || tail-head > most {
		return nil, false
	}
	for event := head; event < tail; event++ {
		at := table + layout.MappedTableEvents + event%most*layout.SizeofMappedEvent
		if g.Load64(at+layout.MappedEventTurn) != event/most*2+1 {
			return nil, false
		}
		list = slices.DeleteFunc(list, func(m Mapped) bool { return g.concerns(at, &m) })
	}
	return list, true
}

// concerns reports whether an event may have changed a range. One that detaches a segment has only its beginning.
func (g Region) concerns(event uint64, m *Mapped) bool {
	start, limit := g.Load64(event+layout.MappedEventStart), g.Load64(event+layout.MappedEventLimit)
	from, fromLimit := g.Load64(event+layout.MappedEventFrom), g.Load64(event+layout.MappedEventFromLimit)
	return m.Start < limit && start < m.Limit || m.Start < fromLimit && from < m.Limit ||
		m.Flags&layout.MappedShared != 0 && m.base == start
}

// Pages returns the ranges of addresses in a set of pages: struct page_set in cgo/page_set.h. They come in no order and may overlap.
func (g Region) Pages() (starts, limits []uint64) {
	const words = (layout.SizeofPageSet - layout.PageSetRanges) / 8
	for i := range min(g.Load64(layout.PageSetUsed), words) {
		word := g.Load64(layout.PageSetRanges + 8*i)
		start, pages := word>>layout.PageCountBits<<layout.PageBits, word&(1<<layout.PageCountBits-1)
		if pages > 0 {
			starts, limits = append(starts, start), append(limits, start+pages<<layout.PageBits)
		}
	}
	return starts, limits
}
