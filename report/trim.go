package report

import (
	"github.com/cgoheap/cgoheap/stack"
	"github.com/cgoheap/cgoheap/symbolize"
)

// shown appends the frames of a stack that are to be seen: no glue, and no allocator's entry at the leaf; but all of a
// stack that would have none left.
func (n *naming) shown(list []*named, all []stack.Frame) []*named {
	before := len(list)
	for _, frame := range all {
		f := &n.named[n.number(frame)]
		if f.part == symbolize.Code || f.part == symbolize.Entry && len(list) > before {
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
