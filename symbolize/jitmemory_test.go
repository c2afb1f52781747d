package symbolize

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"io"
)

// memoryAt is a stretch of memory. beforeRead, if it is not nil, is called before each read.
type memoryAt struct {
	start      int64
	bytes      []byte
	beforeRead func(address int64)
}

func (m *memoryAt) ReadAt(to []byte, address int64) (int, error) {
	if m.beforeRead != nil {
		m.beforeRead(address)
	}
	if address < m.start || address-m.start > int64(len(m.bytes)) {
		return 0, io.EOF
	}
	n := copy(to, m.bytes[address-m.start:])
	if n < len(to) {
		return n, io.EOF
	}
	return n, nil
}

// put appends something to the memory and returns its address.
func (m *memoryAt) put(what any) uint64 {
	var b bytes.Buffer
	binary.Write(&b, binary.NativeEndian, what)
	address := m.start + int64(len(m.bytes))
	m.bytes = append(m.bytes, b.Bytes()...)
	return uint64(address)
}

// set overwrites a word.
func (m *memoryAt) set(address, value uint64) {
	binary.NativeEndian.PutUint64(m.bytes[int64(address)-m.start:], value)
}

func (m *memoryAt) word(address uint64) uint64 {
	return binary.NativeEndian.Uint64(m.bytes[int64(address)-m.start:])
}

// listForGDB is a list in memory, changed as runtimes change theirs.
type listForGDB struct {
	*memoryAt
	descriptor uint64
	entries    []uint64 // their addresses, the first in the list first
}

func newListForGDB(symfiles ...[]byte) *listForGDB {
	l := &listForGDB{memoryAt: &memoryAt{start: 0x7000}}
	l.descriptor = l.put([]uint64{jitVersion, 0, 0})
	for i := len(symfiles) - 1; i >= 0; i-- {
		l.entries = append([]uint64{l.add(l.put(symfiles[i]), uint64(len(symfiles[i])))}, l.entries...)
	}
	return l
}

// add puts a new entry before all others.
func (l *listForGDB) add(symfile, size uint64) (entry uint64) {
	first := l.word(l.descriptor + jitFirst)
	entry = l.put([]uint64{first, 0, symfile, size})
	if first != 0 {
		l.set(first+8, entry)
	}
	l.set(l.descriptor+jitFirst, entry)
	return entry
}

// remove takes an entry out of the list, and leaves the entry as it was.
func (l *listForGDB) remove(entry uint64) {
	next, previous := l.word(entry), l.word(entry+8)
	if next != 0 {
		l.set(next+8, previous)
	}
	if previous != 0 {
		l.set(previous, next)
	} else {
		l.set(l.descriptor+jitFirst, next)
	}
}

func (l *listForGDB) names(addresses ...uint64) (names []string, whole bool) {
	wants := wantsOf(addresses...)
	whole = newJITReader(l).name(l.descriptor, wants)
	return namesOf(wants), whole
}

// function is a symbol of a symfile.
type function struct {
	name        string
	value, size uint64
	section     uint16
}

// symfileOf is an ELF image whose .text is at an address and has 256 bytes. Its names begin at least pad bytes behind its
// header.
func symfileOf(kind elf.Type, text uint64, pad int, functions ...function) []byte {
	names, symbols := make([]byte, pad+1), []elf.Sym64{{}}
	for _, f := range functions {
		symbols = append(symbols, elf.Sym64{
			Name: uint32(len(names)), Info: elf.ST_INFO(elf.STB_GLOBAL, elf.STT_FUNC), Shndx: f.section, Value: f.value, Size: f.size,
		})
		names = append(append(names, f.name...), 0)
	}
	const head, section = 64, 64
	symbolsSize := uint64(len(symbols) * elf.Sym64Size)
	header := elf.Header64{
		Type: uint16(kind), Machine: uint16(elf.EM_X86_64), Version: 1, Shoff: head, Ehsize: head, Shentsize: section, Shnum: 4, Shstrndx: 3,
	}
	copy(header.Ident[:], "\x7fELF\x02\x01\x01")
	var b bytes.Buffer
	binary.Write(&b, binary.LittleEndian, header)
	binary.Write(&b, binary.LittleEndian, []elf.Section64{
		{},
		{Type: uint32(elf.SHT_NOBITS), Addr: text, Size: 256},
		{Type: uint32(elf.SHT_SYMTAB), Off: head + 4*section, Size: symbolsSize, Link: 3, Entsize: elf.Sym64Size},
		{Type: uint32(elf.SHT_STRTAB), Off: head + 4*section + symbolsSize, Size: uint64(len(names))},
	})
	binary.Write(&b, binary.LittleEndian, symbols)
	b.Write(names)
	return b.Bytes()
}
