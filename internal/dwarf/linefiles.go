package dwarf

import "path"

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
