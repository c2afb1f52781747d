package report

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/cgoheap/cgoheap/stack"
)

// A library that was closed and opened again lies elsewhere, so what its functions allocate has other frames each time. All that is
// shown of a frame is its place in the file. So such stacks read the same, and their samples become one.

// reopen notes the modules that are one file.
func (n *naming) reopen() {
	first := make(map[string]uint32)
	for i := range n.modules {
		m := n.modules[i]
		if m == nil || m == unknown || m == nowhereHeld {
			continue
		}
		file := m.Path + "\x00" + m.BuildID
		if m.BuildID == "" { // another file may be at the path by now
			file += fmt.Sprintf("\x00%d %d", m.Device, m.Inode)
		}
		number, known := first[file]
		if !known {
			first[file] = uint32(i)
			continue
		}
		if n.reopened == nil {
			n.reopened = make(map[uint32]uint32)
		}
		n.reopened[number], n.reopened[uint32(i)] = number, number
	}
}

// repeats are the samples whose stacks go through modules that are one file. Those that read the same are joined.
type repeats struct {
	*naming
	list []*repeat
	by   map[string]*repeat
	key  []byte
}

type repeat struct {
	stack  []*named
	sample stack.Sample
}

// take takes a sample, if its stack goes through such a module. The sample and the stack are valid until the next.
func (r *repeats) take(shown []*named, s *stack.Sample) bool {
	if len(r.reopened) == 0 || !slices.ContainsFunc(shown, func(f *named) bool { _, again := r.reopened[f.module]; return again }) {
		return false
	}
	r.key = fmt.Appendf(r.key[:0], "%d %q", s.BlockSize, s.Labels)
	for _, f := range shown {
		r.key = r.appendPlace(r.key, f)
	}
	if known := r.by[string(r.key)]; known != nil {
		known.sample.Add(s.Values)
		return true
	}
	made := &repeat{slices.Clone(shown), *s}
	made.sample.Labels, made.sample.Frames = slices.Clone(s.Labels), slices.Clone(s.Frames)
	if r.by == nil {
		r.by = make(map[string]*repeat)
	}
	r.by[string(r.key)] = made
	r.list = append(r.list, made)
	return true
}

// appendPlace appends what is shown of a frame: its place in its file, and how many functions.
func (r *repeats) appendPlace(key []byte, f *named) []byte {
	module := f.module
	if same, again := r.reopened[module]; again {
		module = same
	}
	key = binary.LittleEndian.AppendUint32(key, module)
	key = binary.LittleEndian.AppendUint64(key, uint64(elfAddress(r.moduleOf(f), f.frame)))
	return binary.LittleEndian.AppendUint32(key, uint32(len(r.linesOf(f))))
}

// joined returns the samples with those that read the same as one.
func (n *naming) joined(samples []stack.Sample) (list []stack.Sample) {
	if len(n.reopened) == 0 {
		return samples
	}
	again := repeats{naming: n}
	var shown []*named
	for i := range samples {
		if shown = n.shown(shown[:0], samples[i].Frames); !again.take(shown, &samples[i]) {
			list = append(list, samples[i])
		}
	}
	for _, one := range again.list {
		list = append(list, one.sample)
	}
	return list
}
