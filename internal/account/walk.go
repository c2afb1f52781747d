package account

import "iter"

// walk adds the pages of all areas to a survey, in the order of addresses.
type walk struct {
	survey  *Survey
	claims  *claims
	blocks  blocks
	fits    func(mapped int, shared, inode bool) bool
	late    late
	mapped  []Mapped // by claim.which
	foreign bool     // the pages are another process's, of whose arenas nothing is known
	threads []uint64 // stack pointers, ascending; those below the area are done
	of      Range    // the area that the pieces are of
	pieces  []piece
	piece   int // no later run of the area begins below this piece
}

// piece is a part of an area of which more is known than the claims say. Each area is cut into pieces when its first resident
// page is found, so areas without any cost nothing.
type piece struct {
	Range
	arena bool // of the Go runtime: no claim but the profiler's is stronger
	stack bool // of a thread: every claim is stronger
}

// groups yields areas that follow each other and are looked up alike. It leaves out huge pages, and the vsyscall page, which no
// process has.
func groups(list []area) iter.Seq[[]area] {
	return func(yield func([]area) bool) {
		for len(list) > 0 {
			n, ofFile := 0, list[0].nature().ofFile()
			for n < len(list) && !list[n].outside() && list[n].nature().ofFile() == ofFile {
				n++
			}
			if n > 0 && !yield(list[:n:n]) {
				return
			}
			list = list[max(n, 1):]
		}
	}
}

func (a *area) outside() bool { return a.huge() || a.Start >= 1<<63 }

// run adds a run of an area's pages.
func (w *walk) run(a *area, r run) {
	n := a.nature()
	if n.copies() && r.state != residentOfFile {
		n = fileWritten
	}
	if w.of != a.Range {
		w.cut(a)
	}
	for w.pieces[w.piece].Limit <= r.Start {
		w.piece++
	}
	for i := w.piece; i < len(w.pieces) && w.pieces[i].Start < r.Limit; i++ {
		p := &w.pieces[i]
		part := Range{max(r.Start, p.Start), min(r.Limit, p.Limit)}
		w.claims.divide(part, func(c *claim, bytes uint64) {
			c = w.fitting(a, c)
			of := run{Range{part.Start, part.Start + bytes}, r.state}
			if p.holder(c) == pinned {
				w.survey.pinned.add(&of)
			} else {
				w.survey.addDevice(a, n, r.state, bytes)
			}
			w.survey.outside.add(a, of.Start, p.holder(c), n, of.state, bytes)
			if part.Start += bytes; !w.putOff(a, p, c, n, of) {
				w.survey.add(p.holder(c), c, n, of)
			}
		})
	}
	w.blocks.add(&r)
}

// putOff leaves a part of a run to Settle if recorded calls may have changed whose it is, and there is room.
func (w *walk) putOff(a *area, p *piece, c *claim, n nature, r run) bool {
	if !w.late.changed() {
		return false
	}
	otherwise, concerned := concerns(p.holder(c), c)
	if !concerned {
		return false
	}
	done := w.late.put(latePart{Range: r.Range, calls: w.late.noted, otherwise: otherwise, nature: n, state: r.state,
		shared: a.shared, inode: a.inode != 0, byGo: c != nil && c.holder == goMapped && w.mapped[c.which].Call == 0})
	w.survey.Unsure = w.survey.Unsure || !done
	return done
}

// fitting returns nil instead of a claim that cannot be of the area.
func (w *walk) fitting(a *area, c *claim) *claim {
	if c != nil && c.which >= 0 && w.fits != nil && !w.fits(int(c.which), a.shared, a.inode != 0) {
		return nil
	}
	return c
}

// holder returns the owner of a part of the piece that a claim is for; c is nil where there is none.
func (p *piece) holder(c *claim) holder {
	switch {
	case p.arena && (c == nil || c.holder > goArena):
		return goArena
	case c != nil:
		return c.holder
	case p.stack:
		return threadStack
	}
	return nobody
}

// cut cuts an area into pieces.
func (w *walk) cut(a *area) {
	w.of, w.pieces, w.piece = a.Range, w.pieces[:0], 0
	if a.nature() != anonymous {
		w.pieces = append(w.pieces, piece{Range: a.Range})
		return
	}
	stacks := w.stacksIn(a)
	for unit := range units(a.Range) {
		arena := !w.foreign && inArena(unit)
		for len(stacks) > 0 && stacks[0].Start < unit.Limit {
			s := stacks[0]
			w.put(piece{Range{unit.Start, s.Start}, arena, false})
			w.put(piece{Range{max(unit.Start, s.Start), min(unit.Limit, s.Limit)}, arena, true})
			if unit.Start = min(unit.Limit, s.Limit); s.Limit > unit.Limit {
				break
			}
			stacks = stacks[1:]
		}
		w.put(piece{unit, arena, false})
	}
}

// put appends a piece, which may be empty, or joins it to the one before.
func (w *walk) put(p piece) {
	if p.Start >= p.Limit {
		return
	}
	if n := len(w.pieces); n > 0 && w.pieces[n-1].arena == p.arena && w.pieces[n-1].stack == p.stack {
		w.pieces[n-1].Limit = p.Limit
		return
	}
	w.pieces = append(w.pieces, p)
}

func (v *Survey) add(h holder, c *claim, n nature, r run) {
	v.leave(h, n, r)
	v.addMapped(h, c, n, r.state, r.Limit-r.Start)
}

func (v *Survey) addMapped(h holder, c *claim, n nature, s state, bytes uint64) {
	if h == programMap {
		v.Mapped[c.which].add(n, s, bytes)
	}
}

// addBytes adds pages of which only the number is known.
func (v *Survey) addBytes(h holder, c *claim, n nature, s state, bytes uint64) {
	v.found[h][n].add(s, bytes)
	v.addMapped(h, c, n, s, bytes)
}

// blocks are blocks that are looked up, in the order of addresses.
type blocks struct {
	list []Block
	at   int // those before it lie below the last run
}

func (b *blocks) skip(to uint64) {
	for b.at > 0 && b.list[b.at-1].Limit > to { // what was put off comes later
		b.at--
	}
	for b.at < len(b.list) && b.list[b.at].Limit <= to {
		b.at++
	}
}

// in reports whether a block lies in a range.
func (b *blocks) in(r Range) bool {
	b.skip(r.Start)
	return b.at < len(b.list) && b.list[b.at].Start < r.Limit
}

// add adds a run to the blocks that it lies in.
func (b *blocks) add(r *run) {
	b.skip(r.Start)
	for i := b.at; i < len(b.list) && b.list[i].Start < r.Limit; i++ {
		one := &b.list[i]
		if start, limit := max(one.Start, r.Start), min(one.Limit, r.Limit); start < limit {
			one.add(r.state, limit-start)
		}
	}
}
