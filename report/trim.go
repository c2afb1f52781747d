package report

import "github.com/cgoheap/cgoheap/stack"

// shown appends the frames of a stack that are to be seen: no glue, and no allocator's entry at the leaf; but all of a
// stack that would have none left.
func (n *naming) shown(list []*named, all []stack.Frame) []*named {
	before := len(list)
	for _, frame := range all {
		f := &n.named[n.number(frame)]
		if len(list) == before {
			f = n.asLeaf(f)
		}
		if f != nil && !f.Glue {
			list = append(list, f)
		}
	}
	if len(list) > before {
		return list
	}
	for _, frame := range all {
		list = append(list, &n.named[n.number(frame)])
	}
	return list
}

// asLeaf is a frame without the allocator's entries that it begins with, nil if it has nothing else.
func (n *naming) asLeaf(f *named) *named {
	switch {
	case f.Entries == 0:
		return f
	case f.Entries == len(f.Lines):
		return nil
	case f.leaf == nil:
		f.leaf = &named{frame: f.frame, module: f.module}
		f.leaf.Lines = f.Lines[f.Entries:]
		n.leaves = append(n.leaves, f.leaf)
	}
	return f.leaf
}
