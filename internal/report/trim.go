package report

import "github.com/cgoheap/cgoheap/stack"

// shown appends the frames of a stack to show: no hidden ones, and no allocator's entry at the leaf; but all frames if none would
// be left.
func (n *naming) shown(list []*named, all []stack.Frame) []*named {
	before := len(list)
	for _, frame := range all {
		f := &n.named[n.number(frame)]
		if len(list) == before {
			f = n.asLeaf(f)
		}
		if f != nil && !f.hidden {
			list = append(list, f)
		}
	}
	if shown := len(list) - before; shown > 1 || shown == 1 && list[before].frame.Module() != stack.NoCode {
		return list
	}
	list = list[:before]
	for _, frame := range all {
		list = append(list, &n.named[n.number(frame)])
	}
	return list
}

// asLeaf returns a frame without the allocator's entries that it begins with, nil if it has nothing else.
func (n *naming) asLeaf(f *named) *named {
	lines := n.linesOf(f)
	switch {
	case f.entries == 0:
		return f
	case int(f.entries) == len(lines):
		return nil
	case f.leaf == 0:
		n.leaves = append(n.leaves, &named{frame: f.frame, module: f.module, lines: n.addLines(lines[f.entries:])})
		f.leaf = uint32(len(n.leaves))
	}
	return n.leaves[f.leaf-1]
}
