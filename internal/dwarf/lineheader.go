package dwarf

import "path"

// lineTable is the header of a unit's line table (6.2.4).
type lineTable struct {
	unit           *unit
	encoding              // of the table, which need not be the unit's
	program, end   uint64 // where the opcodes begin, and where the table ends
	minInstruction uint64
	maxOperations  uint64
	lineBase       int64
	lineRange      uint64
	opcodeBase     uint8
	operands       [256]uint8 // how many each standard opcode has
	directories    []fileName
	files          []fileName // by number: from 0 in DWARF 5, from 1 before
	paths          map[uint64]string
}

// fileName is a name in the header, not yet read. Most files of a unit are never asked about.
type fileName struct {
	name      value
	directory uint64 // an index
}

// fileLimit is how many directories, and files, of one table are believed.
const fileLimit = 1 << 16

// readLineHeader reads the header of a unit's line table; nil if the unit has none. The table lives until the next is
// read.
func (r *reader) readLineHeader(u *unit) (*lineTable, error) {
	if !u.stmtList.present() || u.file.sections[secLine].size() == 0 {
		return nil, nil
	}
	c := r.open(u.file, secLine, u.stmtList.number)
	t := &r.lines
	*t = lineTable{unit: u, encoding: u.encoding, directories: t.directories[:0], files: t.files[:0]}
	length, offsetSize := c.unitLength()
	if length > c.limit-c.offset() {
		return nil, errDamaged
	}
	t.offsetSize, t.end = offsetSize, c.offset()+length
	if t.version = c.u16(); t.version >= 5 {
		t.addressSize = c.u8()
		c.skip(1) // segment selector size
	}
	if t.version < 2 || t.version > 5 {
		return nil, errDamaged
	}
	headerLength := c.number(offsetSize)
	if t.program = c.offset() + headerLength; c.short || headerLength > t.end-c.offset() {
		return nil, errDamaged
	}
	if t.readMachine(c); t.lineRange == 0 || t.maxOperations == 0 {
		return nil, errDamaged
	}
	if good := t.readNames(c); !good || c.short {
		return nil, errDamaged
	}
	r.budget.spend(len(t.directories) + len(t.files))
	return t, nil
}

// readMachine reads what the opcodes depend on.
func (t *lineTable) readMachine(c *cursor) {
	t.minInstruction, t.maxOperations = uint64(c.u8()), 1
	if t.version >= 4 {
		t.maxOperations = uint64(c.u8())
	}
	c.skip(1) // default of is_stmt
	t.lineBase, t.lineRange = int64(int8(c.u8())), uint64(c.u8())
	t.opcodeBase = c.u8()
	for i := 1; i < int(t.opcodeBase); i++ {
		t.operands[i] = c.u8()
	}
}

func (t *lineTable) readNames(c *cursor) bool {
	if t.version >= 5 {
		return t.readTable(c, &t.directories) && t.readTable(c, &t.files)
	}
	t.directories, t.files = append(t.directories, fileName{}), append(t.files, fileName{})
	return t.readList(c, &t.directories, false) && t.readList(c, &t.files, true)
}

// readList reads one of the two lists of a header before DWARF 5: names up to an empty one, names of files each with its
// directory, time and size.
func (t *lineTable) readList(c *cursor, names *[]fileName, files bool) bool {
	for len(*names) < fileLimit {
		before := c.offset()
		name := c.value(t.encoding, formString, 0)
		if c.short || c.offset()-before == 1 {
			return !c.short
		}
		f := fileName{name: name}
		if files {
			f.directory = c.uleb()
			c.uleb()
			c.uleb()
		}
		*names = append(*names, f)
	}
	return false
}

// The contents of entries of the tables in DWARF 5 (7.22).
const (
	contentPath      = 1
	contentDirectory = 2
)

// readTable reads a table of directories or of files (6.2.4.1).
func (t *lineTable) readTable(c *cursor, names *[]fileName) bool {
	contents := make([][2]uint64, c.u8())
	for i := range contents {
		contents[i] = [2]uint64{c.uleb(), c.uleb()}
	}
	count := c.uleb()
	if c.short || count > fileLimit || count > 0 && len(contents) == 0 {
		return false
	}
	for range count {
		before, f := c.offset(), fileName{}
		for _, content := range contents {
			v := c.value(t.encoding, form(min(content[1], 1<<16-1)), 0)
			switch content[0] {
			case contentPath:
				f.name = v
			case contentDirectory:
				f.directory = v.number
			}
		}
		if c.short || c.offset() == before {
			return false
		}
		*names = append(*names, f)
	}
	return true
}

// path returns the name behind a file number, absolute if the compiler recorded its directory; "" if there is none.
func (r *reader) path(t *lineTable, number uint64) string {
	if t == nil || number >= uint64(len(t.files)) {
		return ""
	}
	if known, ok := t.paths[number]; ok {
		return known
	}
	found := r.makePath(t, t.files[number])
	r.budget.spend(len(found))
	if t.paths == nil {
		t.paths = make(map[uint64]string)
	}
	t.paths[number] = found
	return found
}

func (r *reader) makePath(t *lineTable, f fileName) string {
	name := r.lineText(t, f.name)
	if name == "" || path.IsAbs(name) {
		return name
	}
	if f.directory < uint64(len(t.directories)) {
		name = join(r.directory(t, f.directory), name)
	}
	if path.IsAbs(name) {
		return name
	}
	return join(r.text(t.unit, t.unit.directory), name)
}

func join(directory, name string) string {
	if directory == "" || len(directory)+len(name) > pathLimit {
		return name
	}
	return path.Join(directory, name)
}

// pathLimit is the longest path that the kernel takes.
const pathLimit = 1 << 12

// directory returns the name of a directory. Before DWARF 5 the first is the compiler's, which the unit names.
func (r *reader) directory(t *lineTable, index uint64) string {
	if index == 0 && t.version < 5 {
		return r.text(t.unit, t.unit.directory)
	}
	return r.lineText(t, t.directories[index].name)
}

// lineText returns the string that a value in the header of a line table means. A name among the header's own bytes lies in
// another section than one among entries.
func (r *reader) lineText(t *lineTable, v value) string {
	if v.form != formString {
		return r.text(t.unit, v)
	}
	section := &t.unit.file.sections[secLine]
	r.far.open(section, v.number, section.size())
	return r.far.text(pathLimit)
}
