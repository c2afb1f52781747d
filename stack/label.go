package stack

import (
	"cmp"
	"slices"
)

// Label is a key with a text or, where Unit is not empty, a number. Labels distinguish samples of one stack.
type Label struct {
	Key, Text string
	Number    int64
	Unit      string // what Number counts, such as "bytes" or "seconds"; "" for a text
}

// WithLabel returns a copy of the sorted labels with one added, or replaced if the key is there.
func WithLabel(labels []Label, added Label) []Label {
	at, found := slices.BinarySearchFunc(labels, added.Key, func(l Label, key string) int { return cmp.Compare(l.Key, key) })
	labels = slices.Clone(labels)
	if found {
		labels[at] = added
		return labels
	}
	return slices.Insert(labels, at, added)
}
