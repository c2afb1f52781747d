package report

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/pprof"
	"github.com/cgoheap/cgoheap/stack"
)

// The profile of RSS is the account with stacks. A line whose owner knows stacks gets those: blocks of malloc, objects of
// Go's heap, calls that mapped memory. The others are leaves. The total of each line stays that of the account:
//
//	line    ├──────────────────────────┤
//	stacks  ├───────────────┤ ├────────┤ the rest of the line, a leaf of its name
//	stacks  ├──────────────────────────────────┤ more than the line: they are all made smaller by the same factor
//
// The second comes from estimates, and from numbers of Go's heap as of its last garbage collection.

// stacked are the samples of a line.
type stacked struct {
	line    string
	samples []stack.Sample
}

// mappedLines are the lines that have the stacks of calls that mapped memory.
var mappedLines = []string{account.MappedBy, account.Files, account.Shared, account.DeviceFiles}

// Resident are samples on their way to a profile of RSS.
type Resident struct {
	Native, Go []stack.Sample            // in use; Go's own heap is as of its last collection
	Mapped     map[string][]stack.Sample // of calls that map memory, by the line of the account

	Pinned func(*stack.Sample) bool // whether a native sample is of the line account.Pinned; nil: none is
}

// Fit makes the samples add up to the account's lines, and returns the rest as leaves.
func (r *Resident) Fit(a *account.Account) (leaves []Leaf) {
	r.Go, r.Native = inUse(r.Go), inUse(r.Native)
	malloc, pinned := r.apart(r.Native)
	if len(pinned) > 0 {
		r.Native = slices.Concat(malloc, pinned)
	}
	with := []stacked{{account.Native, r.Native[:len(malloc)]}, {account.Pinned, r.Native[len(malloc):]}, {account.GoObjects, r.Go}}
	for _, line := range mappedLines {
		with = append(with, stacked{line, r.Mapped[line]})
	}
	for i := range a.Lines {
		l := &a.Lines[i]
		rest := l.Resident
		if at := slices.IndexFunc(with, func(s stacked) bool { return s.line == l.Name }); at >= 0 {
			rest -= shrink(with[at].samples, l.Resident)
			with = slices.Delete(with, at, at+1)
		}
		if rest > 0 {
			leaves = append(leaves, Leaf{Name: l.Name, Group: heapOf(l.Name), Values: stack.Values{InuseBytes: rest}})
		}
	}
	for _, s := range with { // nothing of the line is resident
		shrink(s.samples, 0)
	}
	return leaves
}

// apart returns the samples of malloc's blocks, and those of memory that is pinned for devices.
func (r *Resident) apart(samples []stack.Sample) (malloc, pinned []stack.Sample) {
	if r.Pinned == nil || !slices.ContainsFunc(samples, func(s stack.Sample) bool { return r.Pinned(&s) }) {
		return samples, nil
	}
	for i := range samples {
		if r.Pinned(&samples[i]) {
			pinned = append(pinned, samples[i])
		} else {
			malloc = append(malloc, samples[i])
		}
	}
	return malloc, pinned
}

// Calls returns the samples of calls that map memory.
func (r *Resident) Calls() (list []stack.Sample) {
	for _, line := range mappedLines {
		list = append(list, r.Mapped[line]...)
	}
	return list
}

// inUse returns the samples with something in use, and without what was allocated.
func inUse(samples []stack.Sample) []stack.Sample {
	var kept []stack.Sample
	for _, s := range samples {
		s.AllocObjects, s.AllocBytes = 0, 0
		if s.InuseBytes > 0 {
			kept = append(kept, s)
		}
	}
	return kept
}

// shrink makes the bytes of samples add up to at most a number, by the same factor, and returns their sum. It rounds the
// running sum, so that nothing is lost.
func shrink(samples []stack.Sample, most int64) int64 {
	var total int64
	for i := range samples {
		total += samples[i].InuseBytes
	}
	if total <= most {
		return total
	}
	var before, sum int64
	for i := range samples {
		sum += samples[i].InuseBytes
		high, low := bits.Mul64(uint64(sum), uint64(max(0, most)))
		scaled, _ := bits.Div64(high, low, uint64(total))
		samples[i].InuseBytes, before = int64(scaled)-before, int64(scaled)
	}
	return before
}

// heapOf returns the value of the label "heap" for a line.
func heapOf(line string) string {
	switch {
	case strings.HasPrefix(line, "Go: "):
		return "go"
	case strings.HasPrefix(line, "malloc: "), line == account.Pinned:
		return "native"
	case line == account.MappedBy, line == account.CallerUnknown, line == account.Files, line == account.Shared, line == account.DeviceFiles:
		return "mapped"
	}
	return ""
}

// AccountComments say what the leaves are, and what is missing.
func AccountComments(a *account.Account) (list []string) {
	if a.Err != nil {
		list = append(list, "cgoheap: the profile is partial: "+a.Err.Error())
	}
	for i := range a.Lines {
		list = append(list, fmt.Sprintf("cgoheap: [%s]: %s", a.Lines[i].Name, a.Lines[i].Sentence))
	}
	return list
}

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

// AppendLabelled appends samples with the label of their heap, which replaces a goroutine's label of the same key.
func AppendLabelled(list, samples []stack.Sample, heap string) []stack.Sample {
	label := stack.Label{Key: HeapLabel, Text: heap}
	alone := []stack.Label{label}
	for _, s := range samples {
		if len(s.Labels) == 0 {
			s.Labels = alone
		} else {
			s.Labels = stack.WithLabel(s.Labels, label)
		}
		list = append(list, s)
	}
	return list
}
