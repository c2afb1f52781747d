package account

import (
	"fmt"
	"os"
)

// Where the kernel's list of mappings cannot be read, as without /proc, the claims take its place: what somebody says to have mapped is
// looked up by mincore, which needs no file.
//
//	claimed, anonymous   mincore: Go's memory, malloc's heaps and large blocks, recorded mappings, stacks, the profiler's tables
//	claimed, otherwise   not readable: of a file, mincore reports what is in the page cache, whoever uses it
//	claimed by nobody    not known to exist
//
// If mincore is refused as well, the figures of the owners remain, which count what was never touched too.

// mostHoles bounds the calls for claims of which a part has been unmapped: mincore does not say which part.
const mostHoles = 1 << 12

// unlisted looks up what is claimed, instead of what was found until the list could not be read.
func (w *walk) unlisted(reason error) {
	v := w.survey
	v.maps, v.whole, v.found = reason, reason, [holders][natures]Size{}
	v.unsure, v.unclaimed.runs = unsure{}, v.unclaimed.runs[:0]
	clear(v.devices)
	clear(v.Mapped)
	for i := range w.blocks.list {
		w.blocks.list[i].Size = Size{}
	}
	w.late.parts, w.threads = w.late.parts[:0], nil
	w.claims.at, w.blocks.at, w.of = 0, 0, Range{}
	v.unclaimed.wanted = false // what nobody claims is not seen
	if v.foreign != nil {      // mincore looks at this process
		return
	}
	holes := mostHoles
	for i := range w.claims.list {
		c := &w.claims.list[i]
		if c.holder == segment || !w.private(c) {
			continue
		}
		w.late.note()
		if err := w.claimed(c.Range, newResidence(), &holes); err != nil && !gone(err) {
			v.blind = fmt.Errorf("%w; bytes are by their owners' own figures, touched or not", err)
			w.wholeBlocks()
			return
		}
	}
}

// private reports whether what was claimed was neither a file nor shared.
func (w *walk) private(c *claim) bool {
	return c.which < 0 || w.fits == nil || w.fits(int(c.which), false, false) && !w.fits(int(c.which), true, true)
}

// claimed looks up a range, of which a part may not be mapped any more.
func (w *walk) claimed(r Range, p pages, holes *int) (err error) {
	const most = entriesBytes // pages that mincore reports at once
	page := uint64(os.Getpagesize())
	for ; r.Start < r.Limit; r.Start += most * page {
		part := Range{r.Start, min(r.Limit, r.Start+most*page)}
		if err = p.runs([]area{{Range: part}}, w.run); err == nil {
			continue
		}
		half := part.Start + (part.Limit-part.Start)/2&^(page-1)
		if *holes--; !gone(err) || *holes < 0 || half == part.Start {
			return err
		}
		for _, part := range []Range{{part.Start, half}, {half, part.Limit}} {
			if err := w.claimed(part, p, holes); err != nil && !gone(err) {
				return err
			}
		}
	}
	return nil
}

// wholeBlocks counts large blocks as resident.
func (w *walk) wholeBlocks() {
	for i := range w.blocks.list {
		w.blocks.list[i].Size = Size{Resident: int64(w.blocks.list[i].Limit - w.blocks.list[i].Start)}
	}
}
