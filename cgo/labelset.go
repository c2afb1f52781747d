//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

// #include "labels.h"
// #include "region.h"
import "C"

import (
	"cmp"
	"slices"
	"unsafe"

	"github.com/cgoheap/cgoheap/stack"
)

// Offsets in a set of labels. See struct labels in region.h.
const (
	LabelsSize    = unsafe.Offsetof(C.struct_labels{}.size)
	LabelsEntries = C.sizeof_struct_labels
	LabelsBytes   = C.LABELS_BYTES // of a set's entries, at most
)

// Labels reads the entries of a set, in the order of their keys. If a goroutine has a label of the key that a thread's
// name has, the goroutine's counts.
func Labels(entries []byte) []stack.Label {
	var list []stack.Label
	for len(entries) >= C.sizeof_struct_label {
		size := *(*C.struct_label)(unsafe.Pointer(&entries[0]))
		entries = entries[C.sizeof_struct_label:]
		key, text := int(size.key_size), int(size.text_size)
		if key+text > len(entries) {
			break
		}
		list = append(list, stack.Label{Key: string(entries[:key]), Text: string(entries[key : key+text])})
		entries = entries[key+text:]
	}
	SortLabels(list)
	return slices.CompactFunc(list, func(a, b stack.Label) bool { return a.Key == b.Key })
}

// SortLabels puts labels in the order of their keys; those of one key stay in theirs.
func SortLabels(list []stack.Label) {
	slices.SortStableFunc(list, func(a, b stack.Label) int { return cmp.Compare(a.Key, b.Key) })
}
