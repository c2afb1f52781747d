package elffile

import (
	"bytes"
	"debug/elf"
	"errors"
	"slices"
)

// maxAlike bounds how many strings of a table may end in one name, and how many variables may have it.
const maxAlike = 16

// Variable returns the ELF addresses of the variables that .symtab and .dynsym call by a name and the file defines. There
// may be several: variables that only one source file sees. The tables are read piece by piece.
func (f *File) Variable(name string) (values []uint64, err error) {
	tables, err := f.FunctionTables()
	for _, t := range tables {
		found, failure := t.variable(name)
		values, err = append(values, found...), errors.Join(err, failure)
	}
	slices.Sort(values)
	return slices.Compact(values), err
}

// variable looks for the name among the table's strings first: hardly any file has it, and the symbols are then not read.
func (t *FunctionTable) variable(name string) (values []uint64, err error) {
	offsets, err := t.names.find(append([]byte(name), 0))
	if len(offsets) == 0 {
		return nil, err
	}
	failure := t.each(func(_ uint32, s elf.Sym64) {
		if isVariable(&s) && slices.Contains(offsets, uint64(s.Name)) && len(values) < maxAlike {
			values = append(values, s.Value)
		}
	})
	return values, errors.Join(err, failure)
}

func isVariable(s *elf.Sym64) bool {
	return elf.ST_TYPE(s.Info) == elf.STT_OBJECT && s.Shndx != uint16(elf.SHN_UNDEF)
}

// find returns where the pattern begins in the part, maxAlike times at most.
func (p *part) find(pattern []byte) (offsets []uint64, err error) {
	const atOnce = 64 << 10
	buffer := make([]byte, min(p.size, atOnce))
	overlap := len(pattern) - 1
	for start := uint64(0); start+uint64(overlap) < p.size; start += uint64(len(buffer) - overlap) {
		piece := buffer[:min(p.size-start, atOnce)]
		if n, err := p.ReadAt(piece, int64(start)); n < len(piece) {
			return offsets, err
		}
		for at := bytes.Index(piece, pattern); at >= 0 && len(offsets) < maxAlike; {
			offsets = append(offsets, start+uint64(at))
			next := bytes.Index(piece[at+1:], pattern)
			if next < 0 {
				break
			}
			at += 1 + next
		}
	}
	return offsets, nil
}

// DataSymbol is a variable of a symbol table. Value is its ELF address, or for a thread-local one its offset in the part of
// thread-local storage that a thread has for the file (PT_TLS); Size is in bytes.
type DataSymbol struct {
	Value, Size uint64
	Local       bool // only its source file sees it
	name, file  uint64
}

// EachVariable passes on the variables of the table that have a size and may have a name: the thread-local ones, or all others.
// The symbol is valid until yield returns.
func (t *FunctionTable) EachVariable(threadLocal bool, yield func(*DataSymbol)) error {
	kind, file := elf.STT_OBJECT, uint64(0)
	if threadLocal {
		kind = elf.STT_TLS
	}
	return t.each(func(_ uint32, s elf.Sym64) {
		switch elf.ST_TYPE(s.Info) {
		case elf.STT_FILE: // stands before the local symbols of its file (ELF, Symbol Table)
			file = uint64(s.Name)
		case kind:
			if s.Shndx == uint16(elf.SHN_UNDEF) || s.Size == 0 || s.Name == 0 || s.Value+s.Size < s.Value {
				return
			}
			v := DataSymbol{Value: s.Value, Size: s.Size, name: uint64(s.Name)}
			if v.Local = elf.ST_BIND(s.Info) == elf.STB_LOCAL; v.Local {
				v.file = file
			}
			yield(&v)
		}
	})
}

// NameOf returns the mangled name of a variable of this table, without a symbol version, and the name of the source file that
// alone sees it. Either is "" if there is none.
func (t *FunctionTable) NameOf(v *DataSymbol) (name, file string) {
	if v.file != 0 {
		file = t.name(v.file)
	}
	return unversioned(t.name(v.name)), file
}
