package elffile

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"io"
)

// Symfile is an ELF image in memory that describes code which its program has made: what GDB's JIT interface calls a
// symfile. It may change or vanish while it is read, and may contain anything. So it is read through windows of a fixed
// size, and nothing in it makes the Symfile take more memory: it keeps no tables, only the position of its symbol table:
//
//	header ─► section headers ─► .symtab ─► function: value, size, section ─► address in memory
//	                                └► .strtab ─► name
//
// In an object file (ET_REL), which most symfiles are, a symbol's value counts from the start of its section, and the
// section header says where that is in memory.
//
// The zero value is ready for Open, and an open one for another Open.
type Symfile struct {
	kind             elf.Type
	headers          uint64 // the offset of the section headers
	sections         uint64 // how many there are
	symbols, strings symfileSection
	windows          [3]window
}

// symfileSection has what counts of an elf.Section64.
type symfileSection struct {
	kind               elf.SectionType
	link               uint64
	addr, offset, size uint64
}

// SymfileFunction is a function that a Symfile describes, at a runtime address.
type SymfileFunction struct {
	Start, Size uint64
	name        uint64
}

// Each of the parts that are read by turns has a window, unless one window holds the whole image.
const (
	headerWindow = iota
	symbolWindow
	stringWindow
)

func (s *Symfile) window(i int) *window {
	if s.windows[0].size <= windowBytes {
		i = 0
	}
	return &s.windows[i]
}

const (
	headerSize     = 64      // bytes of an elf.Header64
	sectionSize    = 64      // bytes of an elf.Section64
	maxSymfileName = 1 << 10 // bytes of a name
)

var errSymfile = errors.New("not an ELF image with symbols for this kind of machine")

// Open finds the symbol table of the image that is size bytes of r, from base on.
func (s *Symfile) Open(r io.ReaderAt, base int64, size uint64) error {
	for i := range s.windows {
		s.windows[i].open(r, base, size)
	}
	h := s.window(headerWindow).at(0, headerSize)
	if h == nil || string(h[:elf.EI_VERSION]) != elf.ELFMAG+"\x02\x01" || binary.LittleEndian.Uint16(h[58:]) != sectionSize {
		return errSymfile
	}
	s.kind = elf.Type(binary.LittleEndian.Uint16(h[16:]))
	s.headers = binary.LittleEndian.Uint64(h[40:])
	s.sections = uint64(binary.LittleEndian.Uint16(h[60:]))
	return s.findSymbols()
}

func (s *Symfile) findSymbols() error {
	for i := range s.sections {
		table, ok := s.section(i)
		if !ok {
			break
		}
		if table.kind != elf.SHT_SYMTAB {
			continue
		}
		s.symbols = table
		if s.strings, ok = s.section(table.link); ok && s.strings.kind == elf.SHT_STRTAB {
			return nil
		}
		break
	}
	return errSymfile
}

func (s *Symfile) section(i uint64) (symfileSection, bool) {
	offset := s.headers + i*sectionSize
	if i >= s.sections || offset < s.headers {
		return symfileSection{}, false
	}
	h := s.window(headerWindow).at(offset, sectionSize)
	if h == nil {
		return symfileSection{}, false
	}
	return symfileSection{
		kind:   elf.SectionType(binary.LittleEndian.Uint32(h[4:])),
		addr:   binary.LittleEndian.Uint64(h[16:]),
		offset: binary.LittleEndian.Uint64(h[24:]),
		size:   binary.LittleEndian.Uint64(h[32:]),
		link:   uint64(binary.LittleEndian.Uint32(h[40:])),
	}, true
}

// Each passes on all functions with a size, until yield returns false or the table cannot be read any further.
func (s *Symfile) Each(yield func(SymfileFunction) bool) {
	for i := range min(s.symbols.size/elf.Sym64Size, MaxFunctions) {
		offset := s.symbols.offset + i*elf.Sym64Size
		if offset < s.symbols.offset {
			return
		}
		data := s.window(symbolWindow).at(offset, elf.Sym64Size)
		if data == nil {
			return
		}
		symbol := decodeSymbol(data)
		if f, ok := s.locate(&symbol); ok && !yield(f) {
			return
		}
	}
}

// locate returns where a function is in memory; false if it is nowhere, or not inside its section.
func (s *Symfile) locate(symbol *elf.Sym64) (SymfileFunction, bool) {
	f := SymfileFunction{symbol.Value, symbol.Size, uint64(symbol.Name)}
	if !isFunction(symbol) || f.Size == 0 {
		return f, false
	}
	if elf.SectionIndex(symbol.Shndx) != elf.SHN_ABS {
		section, ok := s.section(uint64(symbol.Shndx))
		if !ok {
			return f, false
		}
		if s.kind == elf.ET_REL {
			f.Start += section.addr
		}
		if inside := f.Start - section.addr; inside > section.size || f.Size > section.size-inside {
			return f, false
		}
	}
	return f, f.Start+f.Size > f.Start
}

// Name returns the name of a function of this Symfile, at most its first maxSymfileName bytes; "" if it has none.
func (s *Symfile) Name(f SymfileFunction) string {
	if f.name >= s.strings.size || s.strings.offset+f.name < s.strings.offset {
		return ""
	}
	data := s.window(stringWindow).at(s.strings.offset+f.name, min(s.strings.size-f.name, maxSymfileName))
	if end := bytes.IndexByte(data, 0); end >= 0 {
		data = data[:end]
	} else if len(data) < maxSymfileName {
		return ""
	}
	return string(data)
}
