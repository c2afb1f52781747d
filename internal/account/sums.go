package account

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"

	"github.com/cgoheap/cgoheap/internal/descriptor"
)

// Where pagemap is refused, as to a program that has capabilities of its file, smaps may still be readable: the kernel's sums for
// each mapping. Most mappings have one owner, to whom the whole sum belongs. The pages of anonymous memory that has several are looked
// up by mincore, which may count too many: the zero page, pages in the swap cache, or all of them, in a sandbox that does not
// know. By as many as it counts too many, each owner may have fewer:
//
//	mincore   ├── owner A ──┼─ B ─┼──── C ────┤    more than the kernel's sum by e
//	certain   ├─────────┤e  ├─┤e  ├───────┤e       at least this is resident of each
//
// What is left of the sum has no certain owner, and counts as "mapped, caller unknown". So the lines add up to the kernel's sums.

// sum is a mapping and its figures in smaps, in bytes.
type sum struct {
	area
	resident, anonymous, swapped int64
}

// sums yields the mappings of a file in the form of /proc/self/smaps, ascending. Each is valid until the next one.
func sums(path string) iter.Seq2[*sum, error] {
	return func(yield func(*sum, error) bool) {
		f, err := descriptor.Open(path)
		if err != nil {
			yield(nil, err)
			return
		}
		defer f.Close()
		for s, err := range sumsIn(f) {
			if err != nil {
				err = fmt.Errorf("%s: %w", path, err)
			}
			if !yield(s, err) {
				return
			}
		}
	}
}

func sumsIn(f io.Reader) iter.Seq2[*sum, error] {
	return func(yield func(*sum, error) bool) {
		var now, last sum
		for lines := bufio.NewReaderSize(f, mapsBuffer); ; {
			line, err := lines.ReadSlice('\n')
			if err == nil && now.field(line) {
				continue
			}
			if more := now; more.without(&last) && !yield(&more, nil) || errors.Is(err, io.EOF) && len(line) == 0 {
				return
			}
			if now.Limit > last.Limit {
				last = now
			}
			if err == nil {
				err = now.begin(line)
			}
			if err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

// begin begins a mapping with its first line.
func (s *sum) begin(line []byte) error {
	a, ok := parseArea(line[:len(line)-1])
	if !ok {
		return fmt.Errorf("%q is not a mapping", line)
	}
	a.name = append(s.name[:0], a.name...)
	*s = sum{area: a}
	return nil
}

// without removes what was listed before, as parts says, and reports whether something remains. The last one is as it was listed. If
// they begin alike, it has grown, and the growth has the difference of the figures; else its part has at most its size.
func (s *sum) without(last *sum) bool {
	listed := s.Range
	if !s.cutBefore(last.Limit) || s.Range == listed {
		return s.Limit > last.Limit
	}
	for figure, before := range map[*int64]int64{&s.resident: last.resident, &s.anonymous: last.anonymous, &s.swapped: last.swapped} {
		if listed.Start != last.Start {
			before = 0
		}
		*figure = min(max(0, *figure-before), int64(s.Limit-s.Start))
	}
	return true
}

// field takes a line of "Name:   number kB", and is false for any other: the first line of a mapping has no colon in its first word.
func (s *sum) field(line []byte) bool {
	name, value, found := bytes.Cut(line, []byte(":"))
	if !found || bytes.IndexByte(name, ' ') >= 0 {
		return false
	}
	kilobytes, _ := number(bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimSpace(value), []byte("kB"))), 10)
	switch string(name) {
	case "Rss":
		s.resident = int64(kilobytes << 10)
	case "Anonymous":
		s.anonymous = int64(kilobytes << 10)
	case "Swap":
		s.swapped = int64(kilobytes << 10)
	}
	return true
}

func readable(path string) bool {
	f, err := descriptor.Open(path)
	if err == nil {
		_, err = f.Read(make([]byte, 1))
		f.Close()
	}
	return err == nil
}

// unsure is how many resident bytes have no certain owner.
type unsure struct {
	anonymous, files int64
}

func (w *walk) allSums(p pages, smaps string) error {
	for s, err := range sums(smaps) {
		if err != nil {
			return err
		}
		if s.outside() {
			continue
		}
		rest := w.sum(p, s)
		if s.nature().ofFile() {
			w.survey.unsure.files += rest
		} else {
			w.survey.unsure.anonymous += rest
		}
	}
	return nil
}

// owner is who has a part of a mapping.
type owner struct {
	holder holder
	claim  *claim // of programMap, where each call has its own
}

// shares are how many bytes each owner has.
type shares map[owner]int64

// sum adds a mapping to the survey, and returns how many bytes have no certain owner.
func (w *walk) sum(p pages, s *sum) int64 {
	n, before := s.nature(), w.claims.at
	w.cut(&s.area)
	found := make(shares)
	w.share(&s.area, s.Range, found)
	w.claims.at = before
	owners := slices.Collect(maps.Keys(found))
	clear(found)
	if !n.ofFile() && (len(owners) > 1 || w.blocks.in(s.Range)) {
		err := p.runs([]area{s.area}, func(a *area, r run) { w.share(a, r.Range, found); w.blocks.add(&r) })
		if err != nil && !gone(err) {
			w.blocks.add(&run{Range: s.Range})
		}
	}
	if len(owners) != 1 || owners[0].holder != pinned {
		w.survey.addDevice(&s.area, n, resident, uint64(s.resident))
	}
	if len(owners) == 1 {
		w.give(s, owners[0], n, s.resident)
		return 0
	}
	return w.giveCertain(s, found, n)
}

// share adds the parts of a range in an area to what their owners have.
func (w *walk) share(a *area, r Range, to shares) {
	for i := range w.pieces {
		p := &w.pieces[i]
		if part := (Range{max(r.Start, p.Start), min(r.Limit, p.Limit)}); part.Start < part.Limit {
			w.claims.divide(part, func(c *claim, bytes uint64) {
				o := owner{p.holder(w.fitting(a, c)), c}
				if o.holder != programMap {
					o.claim = nil
				}
				to[o] += int64(bytes)
			})
		}
	}
}

// giveCertain gives each owner what is certain, and the rest to nobody. It returns the rest.
func (w *walk) giveCertain(s *sum, found shares, n nature) int64 {
	excess, rest := -s.resident, s.resident
	for _, bytes := range found {
		excess += bytes
	}
	for o, bytes := range found {
		if certain := bytes - max(0, excess); certain > 0 {
			w.survey.addBytes(o.holder, o.claim, n, resident, uint64(certain))
			rest -= certain
		}
	}
	w.give(s, owner{holder: nobody}, n, rest)
	return rest
}

// give gives an owner resident bytes of a mapping, and all that is swapped out. Pages of a private mapping of a file that are not
// the file's were written to.
func (w *walk) give(s *sum, to owner, n nature, bytes int64) {
	v := w.survey
	if n.copies() {
		written := min(s.anonymous, bytes)
		v.outside.add(&s.area, s.Start, to.holder, fileWritten, resident, uint64(written))
		v.addBytes(to.holder, to.claim, fileWritten, resident, uint64(written))
		bytes -= written
	}
	v.outside.add(&s.area, s.Start, to.holder, n, resident, uint64(bytes))
	v.addBytes(to.holder, to.claim, n, resident, uint64(bytes))
	v.addBytes(to.holder, to.claim, n, swapped, uint64(s.swapped))
}
