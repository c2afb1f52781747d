package elffile

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"testing"
)

// image is an ELF file written by hand, with a few segments and sections.
type image struct {
	programs []content
	sections []content
}

// content is a segment or a section with its bytes.
type content struct {
	name   string
	kind   uint32
	flags  uint64
	addr   uint64
	align  uint64
	link   uint32
	data   []byte
	claims uint64 // size that the header states, if it is not data's size
}

func (c content) size() uint64 {
	if c.claims != 0 {
		return c.claims
	}
	return uint64(len(c.data))
}

// bytes lays the file out: header, program headers, contents, names, section headers.
func (im image) bytes() []byte {
	head, program := binary.Size(elf.Header64{}), binary.Size(elf.Prog64{})
	var body, programs, sections bytes.Buffer
	start := uint64(head + program*len(im.programs))
	for _, p := range im.programs {
		im.writeProgram(&programs, p, start+uint64(body.Len()))
		body.Write(p.data)
	}
	im.writeSection(&sections, content{}, 0, 0)
	names := []byte{0}
	for _, s := range im.sections {
		im.writeSection(&sections, s, uint32(len(names)), start+uint64(body.Len()))
		names = append(append(names, s.name...), 0)
		body.Write(s.data)
	}
	im.writeSection(&sections, content{kind: uint32(elf.SHT_STRTAB), data: names}, 0, start+uint64(body.Len()))
	body.Write(names)
	var file bytes.Buffer
	im.writeHeader(&file, start+uint64(body.Len()))
	file.Write(programs.Bytes())
	file.Write(body.Bytes())
	file.Write(sections.Bytes())
	return file.Bytes()
}

func (im image) writeHeader(file *bytes.Buffer, sections uint64) {
	ident := [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)}
	count, names := uint16(len(im.sections)+2), uint16(len(im.sections)+1)
	im.write(file, elf.Header64{
		Ident: ident, Type: uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Phoff: 64, Phentsize: 56,
		Phnum: uint16(len(im.programs)), Shoff: sections, Shentsize: 64, Shnum: count, Shstrndx: names,
	})
}

func (im image) writeProgram(file *bytes.Buffer, p content, offset uint64) {
	im.write(file, elf.Prog64{
		Type: p.kind, Flags: uint32(p.flags), Off: offset, Vaddr: p.addr, Filesz: p.size(), Memsz: p.size(), Align: p.align,
	})
}

func (im image) writeSection(file *bytes.Buffer, s content, name uint32, offset uint64) {
	im.write(file, elf.Section64{
		Name: name, Type: s.kind, Flags: s.flags, Addr: s.addr, Off: offset, Size: s.size(), Link: s.link,
	})
}

func (im image) write(file *bytes.Buffer, data any) {
	if err := binary.Write(file, order, data); err != nil {
		panic(err)
	}
}

func (im image) open(t *testing.T) *File {
	t.Helper()
	data := im.bytes()
	f, err := New(bytes.NewReader(data), int64(len(data)), "image")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func native(sections ...content) image { return image{sections: sections} }
