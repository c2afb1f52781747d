package dwarf

import (
	"cmp"
	"slices"
)

// spine is where the entries of a unit's namespaces lie, as recorded by the walk that passes them. A search for the names
// around a function later begins at the spot before it, and not at the beginning of the unit.
type spine struct {
	unit       *unit
	namespaces []namespace
	spots      []spot // ascending
}

// namespace is an open namespace. The first of a spine is the unit itself.
type namespace struct {
	entry uint64
	outer int32
}

// spot is where an entry begins, and which namespace it lies in.
type spot struct {
	offset    uint64
	namespace int32
}

// spotDistance is how many bytes at least lie between two spots of one namespace: a spine takes a thirtieth of the unit.
// A full one ends, and a search for something behind its end begins there.
const (
	spotDistance = 1 << 9
	spineLimit   = 1 << 18
)

func (s *spine) begin(u *unit) {
	*s = spine{unit: u, namespaces: append(s.namespaces[:0], namespace{}), spots: s.spots[:0]}
}

// open records a namespace whose entries follow and returns its number.
func (s *spine) open(entry uint64, outer int32) int32 {
	if s.isFull() {
		return outer
	}
	s.namespaces = append(s.namespaces, namespace{entry, outer})
	return int32(len(s.namespaces) - 1)
}

func (s *spine) isFull() bool { return len(s.namespaces)+len(s.spots) >= spineLimit }

// pass notes that an entry of a namespace begins at an offset.
func (s *spine) pass(offset uint64, namespace int32) {
	if count := len(s.spots); count > 0 {
		last := &s.spots[count-1]
		if offset <= last.offset || offset < last.offset+spotDistance && namespace == last.namespace || s.isFull() {
			return
		}
	}
	s.spots = append(s.spots, spot{offset, namespace})
}

// before returns the last spot of a unit that is not behind an entry; none if the unit is another.
func (s *spine) before(u *unit, entry uint64) (spot, bool) {
	if s.unit != u {
		return spot{}, false
	}
	i, found := slices.BinarySearchFunc(s.spots, entry, func(s spot, o uint64) int { return cmp.Compare(s.offset, o) })
	if !found {
		i--
	}
	if i < 0 {
		return spot{}, false
	}
	return s.spots[i], true
}
