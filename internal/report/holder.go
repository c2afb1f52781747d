package report

import (
	"github.com/cgoheap/cgoheap/internal/holders"
	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/symbolize"
)

// nowhereHeld is the file of the frames that say what holds blocks.
var nowhereHeld = &mappings.Module{Path: "[holder]"}

// nameHolders names frames that say what holds blocks. Such a frame is the root of its stack. Where a holder has a detail, the
// location has two lines, as if one were inlined in the other: viewers add up all details below the holder's name.
//
//	queue_push  queue.c:12
//	main.serve
//	global server+0x18
//	held by global server
func (r *Report) nameHolders(n *naming, numbers []int) {
	module := n.addModule(nowhereHeld)
	for _, number := range numbers {
		f := n.list[number]
		h := holders.Holder{Name: "something unknown"}
		if which := f.Address() - 1; which < uint64(len(r.Holders)) {
			h = r.Holders[which]
		}
		lines := []symbolize.Line{holderLine(heldBy(h.Name))}
		if h.Detail != "" {
			lines = []symbolize.Line{holderLine(h.Detail), lines[0]}
		}
		n.named[number] = named{frame: f, module: module, lines: n.addLines(lines)}
	}
}

func holderLine(name string) symbolize.Line { return symbolize.Line{Function: name, SystemName: name} }

func heldBy(name string) string {
	if name == holders.NotLooked {
		return name
	}
	return "held by " + name
}
