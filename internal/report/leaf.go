package report

import (
	"fmt"

	"github.com/cgoheap/cgoheap/pprof"
	"github.com/cgoheap/cgoheap/stack"
)

// Leaf is memory without a stack: a sample whose only frame is its name, in brackets, as no function has one.
type Leaf struct {
	Name  string
	Group string // the value of the label Group; "" for none
	stack.Values
}

// noFile is the mapping of all leaves. Locations differ by mapping and address, so each leaf has its own address in it.
var noFile = pprof.Mapping{File: "[resident memory]"}

// writeLeaves writes the leaves behind all samples.
func (r *Report) writeLeaves(e *pprof.Encoder) {
	for i := range r.Leaves {
		l := &r.Leaves[i]
		at := e.Location(pprof.Location{
			Mapping: noFile, Address: uint64(i + 1),
			Lines: []pprof.Line{{Function: pprof.Function{Name: l.frame(), SystemName: l.frame()}}},
		})
		sample := stack.Sample{BlockSize: stack.MixedSizes, Values: l.Values}
		if l.Group != "" {
			sample.Labels = []stack.Label{{Key: r.Group, Text: l.Group}}
		}
		if e.Sample([]pprof.LocationID{at}, &sample) != nil {
			return // Close returns it
		}
	}
}

func (l *Leaf) frame() string { return "[" + l.Name + "]" }

// leaves writes the leaves for a person.
func (t *text) leaves() {
	if len(t.report.Leaves) > 0 {
		fmt.Fprintln(t)
	}
	for i := range t.report.Leaves {
		l := &t.report.Leaves[i]
		fmt.Fprintf(t, "%s: %s\n", l.frame(), Bytes(l.InuseBytes))
	}
}
