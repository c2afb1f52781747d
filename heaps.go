package cgoheap

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cgoheap/cgoheap/alloc"
	"github.com/cgoheap/cgoheap/goheap"
	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/stack"
)

// heapLabel tells Go's own heap from native memory, where a profile has both.
const heapLabel = "heap"

// heaps are profiles of one moment: of native memory, and of Go's own heap if it is asked for.
type heaps struct {
	native stack.Profile
	golang *stack.Profile // nil: not asked for
}

func newHeaps(s *alloc.Snapshot, both bool) heaps {
	h := heaps{native: s.Profile}
	if both {
		golang := goheap.Read(goModules(s))
		h.golang = &golang
	}
	return h
}

// goModules returns the number of the file that holds the Go code at an address: a plugin, or else the program; 0 if it is
// not known.
func goModules(s *alloc.Snapshot) func(pc uintptr) stack.ModuleID {
	var program stack.ModuleID
	var plugins []*mappings.Module
	for _, m := range s.Modules {
		switch {
		case m.HoldsProgram():
			program = m.ID
		case m.Plugin:
			plugins = append(plugins, m)
		}
	}
	return func(pc uintptr) stack.ModuleID {
		for _, m := range plugins {
			if m.Holds(mappings.RuntimeAddr(pc)) {
				return m.ID
			}
		}
		return program
	}
}

// joined is the profile that is written: native memory, and then Go's heap, told apart by a label.
func (h *heaps) joined() stack.Profile {
	if h.golang == nil {
		return h.native
	}
	both := h.native
	both.Samples = make([]stack.Sample, 0, len(h.native.Samples)+len(h.golang.Samples))
	both.Samples = appendLabelled(both.Samples, h.native.Samples, "native")
	both.Samples = appendLabelled(both.Samples, h.golang.Samples, "go")
	both.Losses = slices.Concat(h.native.Losses, h.golang.Losses)
	return both
}

// appendLabelled appends samples with the heap's label. A goroutine's own label of that key gives way.
func appendLabelled(list, samples []stack.Sample, heap string) []stack.Sample {
	label := stack.Label{Key: heapLabel, Text: heap}
	alone := []stack.Label{label}
	for _, s := range samples {
		if len(s.Labels) == 0 {
			s.Labels = alone
		} else {
			s.Labels = withLabel(s.Labels, label)
		}
		list = append(list, s)
	}
	return list
}

// withLabel is a copy of labels with one more at its place, or in place of another with its key.
func withLabel(labels []stack.Label, added stack.Label) []stack.Label {
	at, found := slices.BinarySearchFunc(labels, added.Key, func(l stack.Label, key string) int { return cmp.Compare(l.Key, key) })
	labels = slices.Clone(labels)
	if found {
		labels[at] = added
		return labels
	}
	return slices.Insert(labels, at, added)
}

func (h *heaps) comment() string {
	return fmt.Sprintf("cgoheap: and Go's own heap, in use, and allocated since the program began, both as of the last garbage "+
		"collection, one sample per %d bytes on average", h.golang.SampleBytes)
}
