//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/usage"
)

// attachment is a call of shmat of which only the first page was recorded, and the segment's id.
type attachment struct{ base, segment uint64 }

func isOpen(m *cgo.Mapped) bool { return m.Flags&layout.MappedOpen != 0 }

// withSegments returns ranges with the whole of what shmat attached and the kernel still lists. If its list cannot be
// read, or names no segments, the first pages remain.
func withSegments(ranges []cgo.Mapped, memory *scratch.Memory) []cgo.Mapped {
	open := make(map[attachment]cgo.Mapped)
	for i := range ranges {
		if isOpen(&ranges[i]) {
			open[attachment{ranges[i].Start, ranges[i].Length}] = ranges[i]
		}
	}
	if len(open) == 0 {
		return ranges
	}
	attached, err := account.AttachedSegments(usage.Running.Proc)
	if err != nil {
		attached = nil
	}
	parts := partsOf(open, attached)
	all := scratch.Slice[cgo.Mapped](memory, 2*(len(ranges)+len(parts)))[:0]
	all = appendWithParts(all, firstPages(ranges, parts), parts)
	scratch.ReleaseSlice(memory, ranges)
	return all
}

// partsOf returns what the kernel lists of the attachments, in the order of addresses.
func partsOf(open map[attachment]cgo.Mapped, attached []account.Attached) (parts []cgo.Mapped) {
	bytes := make(map[uint64]uint64) // by the number of the call
	for _, a := range attached {
		if m, found := open[attachment{a.Base, a.Segment}]; found {
			m.Start, m.Limit = a.Start, a.Limit
			m.Flags &^= layout.MappedOpen
			parts = append(parts, m)
			bytes[m.Call] += a.Limit - a.Start
		}
	}
	for i := range parts {
		parts[i].Length = bytes[parts[i].Call]
	}
	return parts
}

// firstPages removes the first pages of attachments from ranges, except of those that have no parts.
func firstPages(ranges, parts []cgo.Mapped) []cgo.Mapped {
	listed := make(map[uint64]bool) // by the number of the call
	for i := range parts {
		listed[parts[i].Call] = true
	}
	kept := ranges[:0]
	for _, m := range ranges {
		if isOpen(&m) {
			if listed[m.Call] {
				continue
			}
			m.Length = m.Limit - m.Start
		}
		kept = append(kept, m)
	}
	return kept
}

// appendWithParts appends ranges and parts of segments. Both are in the order of addresses, and are used up. What was mapped before a
// segment was attached over it is gone, even if no call that unmapped it was seen. What was recorded later, where the kernel lists the
// segment, contradicts the list: then both are left out.
func appendWithParts(all, ranges, parts []cgo.Mapped) []cgo.Mapped {
	for len(ranges) > 0 && len(parts) > 0 {
		r, p := &ranges[0], &parts[0]
		switch {
		case r.Start < p.Start:
			all = appendUntil(all, r, p.Start)
		case p.Start < r.Start:
			all = appendUntil(all, p, r.Start)
		case r.Call < p.Call:
			r.Start = min(r.Limit, p.Limit)
			all = appendUntil(all, p, r.Start)
		default:
			r.Start = min(r.Limit, p.Limit)
			p.Start = r.Start
		}
		ranges, parts = afterEmpty(ranges), afterEmpty(parts)
	}
	return append(append(all, ranges...), parts...)
}

// appendUntil appends m up to an address, and leaves the rest of it.
func appendUntil(all []cgo.Mapped, m *cgo.Mapped, limit uint64) []cgo.Mapped {
	lower := *m
	lower.Limit = min(m.Limit, limit)
	m.Start = lower.Limit
	return append(all, lower)
}

func afterEmpty(list []cgo.Mapped) []cgo.Mapped {
	if list[0].Start == list[0].Limit {
		return list[1:]
	}
	return list
}
