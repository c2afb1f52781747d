package symbolize

import (
	"bytes"
	"debug/elf"
	"encoding/binary"

	"github.com/cgoheap/cgoheap/internal/elffile"
)

// A file calls the functions of others through stubs, each of which jumps to the address that the loader has put into a
// slot of the global offset table. The stubs have no symbols. But the jump says which slot it is, and a relocation says
// which symbol's address goes there. A stub jumps, so no call returns into one: an address in a stack lies there only if the
// walk went wrong, and then the name shows it.

// endbr64 marks the targets of indirect jumps in programs with branch protection.
var endbr64 = []byte{0xf3, 0x0f, 0x1e, 0xfa}

// stubSections have stubs of one size each, of 16 bytes with endbr64.
var stubSections = []struct {
	name string
	size uint64
}{{".plt", 16}, {".plt.sec", 16}, {".plt.got", 8}}

// nameStubs sets the lines of wants without any that lie in stubs: malloc@plt, as disassemblers write it.
func nameStubs(f *elffile.File, w wants, style Style) {
	if f.Machine != elf.EM_X86_64 {
		return
	}
	var table *stubTable
	for _, s := range stubSections {
		section, _ := f.Section(s.name)
		inside := w.inside(section.Addr, section.Addr+section.Size)
		if inside.named() {
			continue
		}
		if table == nil {
			table = newStubTable(f)
		}
		code, _ := f.SectionData(s.name)
		size := s.size
		if bytes.HasPrefix(code, endbr64) {
			size = 16
		}
		for want := range inside.unnamed() {
			at := (want.address - section.Addr) / size * size
			if at+size > uint64(len(code)) {
				continue
			}
			if name := table.name(code[at:at+size], section.Addr+at); name != "" {
				want.lines = []Line{{Function: style.readable(name) + "@plt", SystemName: name + "@plt"}}
			}
		}
	}
}

// stubTable maps each slot to its symbol, one of .dynsym, which has imported symbols too.
type stubTable struct {
	slots         map[uint64]uint32 // address → index of the symbol
	symbols, text []byte
}

func newStubTable(f *elffile.File) *stubTable {
	t := &stubTable{slots: make(map[uint64]uint32)}
	for _, name := range []string{".rela.plt", ".rela.dyn"} {
		data, _ := f.SectionData(name)
		readSlots(data, t.slots)
	}
	t.symbols, _ = f.SectionData(".dynsym")
	t.text, _ = f.SectionData(".dynstr")
	return t
}

// name returns the symbol that a stub at an address leads to; "" if unknown.
func (t *stubTable) name(stub []byte, address uint64) string {
	slot, ok := stubSlot(stub, address)
	at := uint64(t.slots[slot]) * elf.Sym64Size
	if !ok || at == 0 || at+elf.Sym64Size > uint64(len(t.symbols)) {
		return ""
	}
	offset := uint64(binary.LittleEndian.Uint32(t.symbols[at:]))
	if offset >= uint64(len(t.text)) {
		return ""
	}
	name := t.text[offset:]
	return string(name[:max(0, bytes.IndexByte(name[:min(len(name), stubNameLimit)], 0))])
}

const stubNameLimit = 1 << 12

// readSlots reads relocations, of which each has an address, a symbol and a type, and something to add.
func readSlots(entries []byte, slots map[uint64]uint32) {
	const size = 24
	for ; len(entries) >= size; entries = entries[size:] {
		info := binary.LittleEndian.Uint64(entries[8:])
		switch elf.R_X86_64(elf.R_TYPE64(info)) {
		case elf.R_X86_64_GLOB_DAT, elf.R_X86_64_JMP_SLOT:
			slots[binary.LittleEndian.Uint64(entries)] = elf.R_SYM64(info)
		}
	}
}

// stubSlot finds jmp *offset(%rip) in a stub, which may begin with endbr64 or bnd, and returns the address it reads.
func stubSlot(stub []byte, address uint64) (slot uint64, ok bool) {
	stub, end := bytes.TrimPrefix(stub, endbr64), address+uint64(len(stub))
	stub = bytes.TrimPrefix(stub, []byte{0xf2})
	if len(stub) < 6 || stub[0] != 0xff || stub[1] != 0x25 {
		return 0, false
	}
	next := end - uint64(len(stub)) + 6
	return next + uint64(int64(int32(binary.LittleEndian.Uint32(stub[2:])))), true
}
