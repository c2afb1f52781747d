package dwarf

import (
	"debug/dwarf"
	"debug/elf"
	"errors"
	"io"
	"path"
	"testing"
)

// slow is the obvious road to the same answers: debug/dwarf reads everything into trees and lists, and an address is
// looked for in all of them.
type slow struct {
	data      *dwarf.Data
	units     []*slowUnit
	enclosing map[dwarf.Offset]string // names around a function, with a "::" at the end
	program   Program
}

type slowUnit struct {
	root      *dwarf.Entry
	ranges    [][2]uint64
	functions []*slowCall
	rows      []dwarf.LineEntry
	files     []*dwarf.LineFile
	directory string
}

// slowCall is a function, or a call that is inlined in one.
type slowCall struct {
	entry  *dwarf.Entry
	ranges [][2]uint64
	inner  []*slowCall
}

func newSlow(t testing.TB, file string, p Program) *slow {
	t.Helper()
	opened, err := elf.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	s := &slow{enclosing: make(map[dwarf.Offset]string), program: p}
	if s.data, err = opened.DWARF(); err != nil {
		t.Fatal(err)
	}
	for reader := s.data.Reader(); ; {
		root, err := reader.Next()
		if err != nil {
			t.Fatal(err)
		}
		if root == nil {
			return s
		}
		s.units = append(s.units, s.readUnit(t, reader, root))
	}
}

func (s *slow) readUnit(t testing.TB, reader *dwarf.Reader, root *dwarf.Entry) *slowUnit {
	u := &slowUnit{root: root, ranges: s.ranges(t, root)}
	u.directory, _ = root.Val(dwarf.AttrCompDir).(string)
	if root.Tag == dwarf.TagCompileUnit {
		u.readLines(t, s.data)
	}
	if root.Children {
		s.readChildren(t, reader, u, &slowCall{}, "")
	}
	return u
}

func (u *slowUnit) readLines(t testing.TB, data *dwarf.Data) {
	lines, err := data.LineReader(u.root)
	if err != nil {
		t.Fatal(err)
	}
	for lines != nil {
		var row dwarf.LineEntry
		if err := lines.Next(&row); errors.Is(err, io.EOF) {
			u.files = lines.Files()
			return
		} else if err != nil {
			t.Fatal(err)
		}
		u.rows = append(u.rows, row)
	}
}

// readChildren reads the entries up to the end of the list; around is the call that they lie in.
func (s *slow) readChildren(t testing.TB, reader *dwarf.Reader, u *slowUnit, around *slowCall, scope string) {
	for {
		entry, err := reader.Next()
		if err != nil || entry == nil {
			t.Fatal(entry, err)
		}
		name, _ := entry.Val(dwarf.AttrName).(string)
		inner, innerScope := around, scope
		switch entry.Tag {
		case 0:
			return
		case dwarf.TagSubprogram:
			inner = &slowCall{entry: entry, ranges: s.ranges(t, entry)}
			u.functions = append(u.functions, inner)
			s.enclosing[entry.Offset] = scope
			if name != "" {
				innerScope = scope + name + "::"
			}
		case dwarf.TagInlinedSubroutine:
			inner = &slowCall{entry: entry, ranges: s.ranges(t, entry)}
			around.inner = append(around.inner, inner)
		case dwarf.TagNamespace, dwarf.TagClassType, dwarf.TagStructType, dwarf.TagUnionType:
			if name == "" && entry.Tag == dwarf.TagNamespace {
				name = "(anonymous namespace)"
			} else if name == "" {
				name = "{unnamed}"
			}
			innerScope = scope + name + "::"
		}
		if entry.Children {
			s.readChildren(t, reader, u, inner, innerScope)
		}
	}
}

func (s *slow) ranges(t testing.TB, entry *dwarf.Entry) (live [][2]uint64) {
	all, err := s.data.Ranges(entry)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		if s.program.IsCode(r[0]) {
			live = append(live, r)
		}
	}
	return live
}

func holds(ranges [][2]uint64, address uint64) bool {
	for _, r := range ranges {
		if r[0] <= address && address < r[1] {
			return true
		}
	}
	return false
}

// find answers as Find does.
func (s *slow) find(address uint64) (answer Answer) {
	for _, u := range s.units {
		if u.root.Tag != dwarf.TagCompileUnit || !holds(u.ranges, address) {
			continue
		}
		at := s.place(u, address)
		if answer.Position == (Position{}) {
			answer.Position = at
		}
		for _, f := range u.functions {
			if holds(f.ranges, address) {
				answer.Position = at
				answer.Frames = s.frames(u, f, address, at)
				return answer
			}
		}
	}
	return answer
}

func (s *slow) frames(u *slowUnit, c *slowCall, address uint64, at Position) (frames []Frame) {
	for _, inner := range c.inner {
		if holds(inner.ranges, address) {
			frames = s.frames(u, inner, address, at)
			file, _ := inner.entry.Val(dwarf.AttrCallFile).(int64)
			line, _ := inner.entry.Val(dwarf.AttrCallLine).(int64)
			column, _ := inner.entry.Val(dwarf.AttrCallColumn).(int64)
			at = Position{u.path(int(file)), int(line), int(column)}
			break
		}
	}
	return append(frames, Frame{s.function(c.entry, u), at})
}

func (u *slowUnit) path(file int) string {
	if file >= len(u.files) || u.files[file] == nil {
		return ""
	}
	if path.IsAbs(u.files[file].Name) || u.directory == "" {
		return u.files[file].Name
	}
	return path.Join(u.directory, u.files[file].Name)
}

func (s *slow) place(u *slowUnit, address uint64) Position {
	live := false
	for i := 1; i < len(u.rows); i++ {
		from := u.rows[i-1]
		if i == 1 || u.rows[i-2].EndSequence {
			live = s.program.IsCode(from.Address)
		}
		if live && !from.EndSequence && from.Address <= address && address < u.rows[i].Address {
			for number, file := range u.files {
				if file == from.File {
					return Position{u.path(number), from.Line, from.Column}
				}
			}
			return Position{"", from.Line, from.Column}
		}
	}
	return Position{}
}

func (s *slow) function(entry *dwarf.Entry, u *slowUnit) *Function {
	var f Function
	language, _ := u.root.Val(dwarf.AttrLanguage).(int64)
	f.Scoped = scopedLanguage(uint64(language))
	for {
		if name, ok := entry.Val(dwarf.AttrName).(string); ok && f.Plain == "" {
			f.Plain = name
			if f.Name = name; f.Scoped {
				f.Name = s.enclosing[entry.Offset] + name
			}
		}
		if linkage, ok := entry.Val(dwarf.AttrLinkageName).(string); ok && f.Linkage == "" {
			f.Linkage = linkage
		}
		if line, ok := entry.Val(dwarf.AttrDeclLine).(int64); ok && f.StartLine == 0 {
			f.StartLine = int(line)
		}
		next, ok := entry.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
		if !ok {
			next, ok = entry.Val(dwarf.AttrSpecification).(dwarf.Offset)
		}
		if !ok {
			return &f
		}
		reader := s.data.Reader()
		reader.Seek(next)
		entry, _ = reader.Next()
	}
}
