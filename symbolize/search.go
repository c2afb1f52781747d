package symbolize

import (
	"debug/dwarf"
	"errors"
	"fmt"
)

// search is one pass over the DWARF of a file on behalf of the addresses that a batch wants to know. It goes through
// the units once, in file order, and lets the addresses look at each entry, instead of building tables of entries for
// the addresses to look into. So what it keeps is as large as the answer, whatever the file's size, and each unit that
// no address lies in costs one entry.
type search struct {
	debug   *debugData
	code    spans // where the file has code
	symbols *symbolTable
	style   Style
	names   names
	steps   int   // spent so far, see spend
	damage  error // the first trouble; the search goes on with the next unit
}

// stepLimit bounds the time of a search: a step is an attribute, a range or a row of a line table read, some 20 ns each.
// The largest programs known have a tenth of this.
const stepLimit = 1 << 28

var errTooBig = errors.New("symbolize: debug data exceeds the search's limit")

func (s *search) spend(steps int) error {
	if s.steps += steps; s.steps > stepLimit {
		return errTooBig
	}
	return nil
}

// run gives lines to those of the wants whose addresses the debug data covers.
func (s *search) run(all wants) {
	for _, unit := range s.debug.units {
		open := unnamed(all)
		if len(open) == 0 {
			return
		}
		if err := s.tryUnit(unit, open); err != nil && s.damage == nil {
			s.damage = err
		}
		if s.steps > stepLimit {
			s.damage = errTooBig
			return
		}
	}
}

// unnamed reports the shortest stretch of the wants that holds all those without lines.
func unnamed(w wants) wants {
	for len(w) > 0 && w[0].lines != nil {
		w = w[1:]
	}
	for len(w) > 0 && w[len(w)-1].lines != nil {
		w = w[:len(w)-1]
	}
	return w
}

// tryUnit is searchUnit for hostile bytes, on which debug/dwarf can panic.
func (s *search) tryUnit(unit unitHeader, w wants) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("symbolize: reading debug data: %v", r)
		}
	}()
	return s.searchUnit(unit, w)
}

func (s *search) searchUnit(unit unitHeader, w wants) error {
	reader := s.debug.data.Reader()
	reader.Seek(unit.root)
	root, err := reader.Next()
	if err != nil || root == nil || root.Tag != dwarf.TagCompileUnit {
		return err
	}
	parts, err := s.parts(root, root, []wants{w})
	if err != nil || len(parts) == 0 {
		return err
	}
	lines, err := s.openLines(root)
	if err != nil {
		return err
	}
	walk := unitWalk{search: s, reader: reader, end: unit.end, root: root}
	err = errors.Join(walk.run(w), s.readRows(lines, w))
	files := lines.files()
	for i := range w {
		s.answer(&w[i], files)
	}
	return err
}

// parts are the wants that lie in an entry's address ranges. A range that does not begin in the file's code belongs to
// something that the linker dropped.
func (s *search) parts(root, entry *dwarf.Entry, outer []wants) ([]wants, error) {
	ranges, err := s.debug.data.Ranges(entry)
	if err != nil || len(ranges) == 0 {
		return nil, err
	}
	var inner []wants
	for _, r := range ranges {
		if !s.code.contain(r[0]) {
			continue
		}
		for _, part := range outer {
			if found := part.covered(span{r[0], r[1]}); len(found) > 0 {
				inner = append(inner, found)
			}
		}
	}
	return inner, s.spend(len(ranges)*len(outer) + len(root.Field)) // the root is read again for its base address
}

// answer turns a want's chain of calls into lines, innermost first.
func (s *search) answer(w *want, files []string) {
	if w.lines != nil {
		return
	}
	site := w.row
	for i := len(w.calls) - 1; i >= 0; i-- {
		c := w.calls[i]
		line := s.name(c.entry)
		if i == 0 && s.names.qualified && s.names.found[c.entry].linkage == "" {
			s.askSymbol(&line, w.address)
		}
		line.File, line.Line, line.Column = site.file, site.line, site.column
		w.lines = append(w.lines, line)
		site = c.site(files)
	}
	w.calls = nil
}
