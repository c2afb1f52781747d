package symbolize

import (
	"debug/dwarf"
	"errors"
	"io"
	"path"
)

// row is a place in the source.
type row struct {
	file         string
	line, column int
}

// unitLines is a unit's line table.
type unitLines struct {
	reader    *dwarf.LineReader // nil if the unit has none
	directory string            // where the compiler ran
}

// openLines reads the header of a unit's line table.
func (s *search) openLines(root *dwarf.Entry) (lines unitLines, err error) {
	offset, ok := root.Val(dwarf.AttrStmtList).(int64)
	if !ok {
		return lines, nil
	}
	lines.directory, _ = root.Val(dwarf.AttrCompDir).(string)
	if len(lines.directory) > pathLimit {
		return lines, errLying
	}
	if err := checkLineHeader(s.debug.line, offset); err != nil {
		return lines, err
	}
	lines.reader, err = s.debug.data.LineReader(root)
	return lines, err
}

// files are the names behind the file numbers of the unit's entries.
func (l unitLines) files() []string {
	if l.reader == nil {
		return nil
	}
	var names []string
	for _, file := range l.reader.Files() {
		names = append(names, l.path(file))
	}
	return names
}

// path is a file's name, absolute if possible: in DWARF 5 debug/dwarf leaves it relative to the compiler's directory.
func (l unitLines) path(file *dwarf.LineFile) string {
	if file == nil {
		return ""
	}
	if l.directory == "" || path.IsAbs(file.Name) {
		return file.Name
	}
	return path.Join(l.directory, file.Name)
}

// readRows gives each of the wants the row that covers it: the last one at or before its address in a sequence that
// reaches beyond it. Sequences may come in any order.
func (s *search) readRows(lines unitLines, w wants) error {
	if lines.reader == nil {
		return nil
	}
	var from, to dwarf.LineEntry
	inSequence, live := false, false
	for {
		if err := lines.reader.Next(&to); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		if err := s.spend(1); err != nil {
			return err
		}
		if len(lines.reader.Files()) > fileLimit {
			return errLying
		}
		if !inSequence {
			live = s.code.contain(to.Address)
		} else if live {
			lines.place(w, &from, to.Address)
		}
		from, inSequence = to, !to.EndSequence
	}
}

// place gives a row to the wants from its address up to the next row's that have none.
func (l unitLines) place(w wants, from *dwarf.LineEntry, limit uint64) {
	found := w.covered(span{from.Address, limit})
	for i := range found {
		if found[i].row == (row{}) {
			found[i].row = row{file: l.path(from.File), line: from.Line, column: from.Column}
		}
	}
}
