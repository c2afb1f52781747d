package tables

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/stack"
)

// labels are sets of labels. The set 0 has none.
type labels struct {
	region  Region
	sets    [][]stack.Label
	numbers map[uint32]uint32 // by ref
	left    uint64            // bytes of entries that there can still be; in a region that was damaged, sets may overlap
}

func (l *labels) number(ref uint32) uint32 {
	known, ok := l.numbers[ref]
	if ref == 0 || ok {
		return known
	}
	at := Offset(ref)
	entries := l.region.Bytes(at+layout.SizeofLabels, min(uint64(l.region.Load32(at+layout.LabelsSize)), layout.LabelsMost, l.left))
	l.left -= uint64(len(entries))
	l.numbers[ref] = l.add(Labels(entries))
	return l.numbers[ref]
}

// add assigns a number to a set.
func (l *labels) add(set []stack.Label) uint32 {
	l.sets = append(l.sets, set)
	return uint32(len(l.sets))
}

func (l *labels) of(number uint32) []stack.Label {
	if number == 0 {
		return nil
	}
	return l.sets[number-1]
}

// Labels reads the entries of a set, in the order of their keys. If a goroutine has a label with the key of a thread's name,
// the goroutine's label wins.
func Labels(entries []byte) []stack.Label {
	var list []stack.Label
	for len(entries) >= layout.SizeofLabel {
		key := int(binary.NativeEndian.Uint16(entries[layout.LabelKeySize:]))
		text := int(binary.NativeEndian.Uint16(entries[layout.LabelTextSize:]))
		entries = entries[layout.SizeofLabel:]
		if key+text > len(entries) {
			break
		}
		list = append(list, stack.Label{Key: string(entries[:key]), Text: string(entries[key : key+text])})
		entries = entries[key+text:]
	}
	SortLabels(list)
	return slices.CompactFunc(list, func(a, b stack.Label) bool { return a.Key == b.Key })
}

// SortLabels sorts labels by key; labels with equal keys keep their order.
func SortLabels(list []stack.Label) {
	slices.SortStableFunc(list, func(a, b stack.Label) int { return cmp.Compare(a.Key, b.Key) })
}
