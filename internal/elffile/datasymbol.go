package elffile

import "debug/elf"

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
