package elffile

import (
	"bytes"
	"cmp"
	"debug/elf"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestHeaders(t *testing.T) {
	im := native()
	t.Run("segments and sections are read", func(t *testing.T) {
		im.programs = []content{
			{kind: uint32(elf.PT_LOAD), flags: uint64(elf.PF_R | elf.PF_X), addr: 0x1000, data: make([]byte, 16)},
			{kind: uint32(elf.PT_NOTE)},
		}
		im.sections = []content{{name: ".text", kind: uint32(elf.SHT_PROGBITS), addr: 0x1000, data: []byte("code")}}
		f := im.open(t)
		segments := f.Segments()
		if len(segments) != 1 || segments[0].Vaddr != 0x1000 || segments[0].Filesz != 16 || !segments[0].Exec {
			t.Errorf("%+v", segments)
		}
		if s, ok := f.Section(".text"); !ok || s != (Section{".text", 0x1000, 4}) {
			t.Errorf("%+v", s)
		}
		if data, err := f.SectionData(".text"); string(data) != "code" || err != nil {
			t.Errorf("%q, %v", data, err)
		}
		if f.Truncated() {
			t.Error("said to be truncated")
		}
	})
}

func TestFilesThatNoProcessHereCanRunAreRefusedAsSuch(t *testing.T) {
	for about, ident := range map[string][2]byte{
		"32 bits":                 {byte(elf.ELFCLASS32), byte(elf.ELFDATA2LSB)},
		"big-endian":              {byte(elf.ELFCLASS64), byte(elf.ELFDATA2MSB)},
		"32 bits, big-endian":     {byte(elf.ELFCLASS32), byte(elf.ELFDATA2MSB)},
		"no class, no byte order": {},
	} {
		data := native(content{name: ".text", kind: uint32(elf.SHT_PROGBITS), data: []byte("code")}).bytes()
		data[elf.EI_CLASS], data[elf.EI_DATA] = ident[0], ident[1]
		f, err := New(bytes.NewReader(data), int64(len(data)), "image")
		if f != nil || !errors.Is(err, errForeign) || errors.Is(err, ErrNotELF) {
			t.Errorf("%s: %v", about, err)
		}
	}
}

func TestMissingSections(t *testing.T) {
	t.Run("a section that is not there is ErrNoSection", func(t *testing.T) {
		if _, err := native().open(t).SectionData(".text"); !errors.Is(err, ErrNoSection) {
			t.Error(err)
		}
	})
	t.Run("a section without bytes in the file is ErrNoSection", func(t *testing.T) {
		f := native(content{name: ".text", kind: uint32(elf.SHT_NOBITS), claims: 1 << 50}).open(t)
		if _, err := f.SectionData(".text"); !errors.Is(err, ErrNoSection) {
			t.Error(err)
		}
	})
	t.Run("a section beyond the end of the file is an error, and nothing is allocated for it", func(t *testing.T) {
		f := native(content{name: ".text", kind: uint32(elf.SHT_PROGBITS), claims: 1 << 50}).open(t)
		if _, err := f.SectionData(".text"); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Error(err)
		}
	})
}

func TestDamagedSectionHeaders(t *testing.T) {
	im := native(content{name: ".text", kind: uint32(elf.SHT_PROGBITS), data: []byte("code")})
	im.programs = []content{{kind: uint32(elf.PT_LOAD), data: make([]byte, 16)}}
	for what, damage := range map[string]func([]byte){
		"lie beyond the end":              func(b []byte) { order.PutUint64(b[40:], 1<<62) },
		"have another size":               func(b []byte) { order.PutUint16(b[58:], 40) },
		"are more than fit":               func(b []byte) { order.PutUint16(b[60:], 0xfff0) },
		"have their names in no section":  func(b []byte) { order.PutUint16(b[62:], 77) },
		"are counted in a bogus entry":    func(b []byte) { order.PutUint16(b[60:], 0) },
		"have names beyond all sections":  func(b []byte) { order.PutUint16(b[62:], 0xffff) },
		"have names in the empty section": func(b []byte) { order.PutUint16(b[62:], 0) },
	} {
		t.Run("segments stay readable when the section headers "+what, func(t *testing.T) {
			data := im.bytes()
			damage(data)
			f, err := New(bytes.NewReader(data), int64(len(data)), "image")
			if err != nil || len(f.Segments()) != 1 {
				t.Fatal(err)
			}
			if _, err := f.SectionData(".text"); err == nil {
				t.Error("no error for .text")
			}
		})
	}
}

func TestNotELF(t *testing.T) {
	whole := native().bytes()
	for what, data := range map[string][]byte{
		"an empty file":         {},
		"a text":                []byte("#!/bin/sh\nexit 0\n"),
		"half a header":         whole[:40],
		"an unknown class":      append([]byte("\x7fELF\x09\x01\x01"), make([]byte, 64)...),
		"an unknown byte order": append([]byte("\x7fELF\x02\x09\x01"), make([]byte, 64)...),
	} {
		t.Run(what+" is an error that names the file", func(t *testing.T) {
			f, err := New(bytes.NewReader(data), int64(len(data)), "the file")
			if err == nil || f != nil || !strings.Contains(err.Error(), "the file") {
				t.Errorf("%v, %v", f, err)
			}
		})
	}
	t.Run("a folder is an error", func(t *testing.T) {
		if f, err := Open(t.TempDir()); err == nil || f != nil {
			t.Error(err)
		}
	})
	t.Run("a missing file is os.ErrNotExist", func(t *testing.T) {
		if _, err := Open(t.TempDir() + "/none"); !errors.Is(err, os.ErrNotExist) {
			t.Error(err)
		}
	})
}

// symbolTable is a .symtab of functions of our own making, with its names in the section behind it.
func symbolTable(kind elf.SectionType, link uint32, symbols ...elf.Sym64) content {
	var data bytes.Buffer
	binary.Write(&data, order, append([]elf.Sym64{{}}, symbols...))
	return content{name: ".symtab", kind: uint32(kind), link: link, data: data.Bytes()}
}

func TestSymbols(t *testing.T) {
	names := content{name: ".strtab", kind: uint32(elf.SHT_STRTAB), data: []byte("\x00memcpy@@GLIBC_2.14\x00memcpy\x00main\x00")}
	function := func(name uint32, value uint64) elf.Sym64 {
		return elf.Sym64{Name: name, Info: byte(elf.STT_FUNC), Shndx: 1, Value: value, Size: 8}
	}
	t.Run("functions of both tables come once, by address, without versions", func(t *testing.T) {
		undefined := function(27, 0x3000)
		undefined.Shndx = 0
		object := function(27, 0x3000)
		object.Info = byte(elf.STT_OBJECT)
		resolver := function(27, 0x800)
		resolver.Info = byte(elf.STT_GNU_IFUNC)
		f := native(
			symbolTable(elf.SHT_SYMTAB, 3, function(27, 0x2000), function(1, 0x1000), undefined, object, resolver),
			symbolTable(elf.SHT_DYNSYM, 3, function(20, 0x1000), function(9999, 0x1500)), names).open(t)
		want := []Symbol{{"main", 0x800, 8}, {"memcpy", 0x1000, 8}, {"main", 0x2000, 8}}
		if got, err := f.Symbols(); err != nil || !slices.Equal(got, want) {
			t.Errorf("%+v, %v", got, err)
		}
	})
	t.Run("a file without tables has no symbols and no error", func(t *testing.T) {
		if got, err := native().open(t).Symbols(); got != nil || err != nil {
			t.Errorf("%+v, %v", got, err)
		}
	})
	t.Run("a broken table does not hide the other", func(t *testing.T) {
		f := native(symbolTable(elf.SHT_SYMTAB, 99, function(27, 1)), symbolTable(elf.SHT_DYNSYM, 3, function(27, 2)), names).open(t)
		if got, err := f.Symbols(); err != nil || len(got) != 1 {
			t.Errorf("%+v, %v", got, err)
		}
	})
	t.Run("a broken table alone is an error", func(t *testing.T) {
		f := native(symbolTable(elf.SHT_SYMTAB, 99, function(27, 1))).open(t)
		if got, err := f.Symbols(); err == nil || got != nil {
			t.Errorf("%+v, %v", got, err)
		}
	})
	t.Run("only what looks like a version is cut off a name", func(t *testing.T) {
		for name, want := range map[string]string{
			"memcpy@@GLIBC_2.14": "memcpy", "open@GLIBC_2.2.5": "open", "@": "@", "plain": "plain",
			`pkg.F[go.shape.struct { A int "a@b" }]`: `pkg.F[go.shape.struct { A int "a@b" }]`,
		} {
			if got := unversioned(name); got != want {
				t.Errorf("%q became %q", name, got)
			}
		}
	})
}

// FuzzFile opens whatever comes and asks everything of it.
func FuzzFile(f *testing.F) {
	im := native()
	im.programs = []content{
		{kind: uint32(elf.PT_LOAD), flags: uint64(elf.PF_X), data: make([]byte, 16)},
		{kind: uint32(elf.PT_NOTE), data: gnuNote(3, []byte{1, 2, 3, 4}, 4), align: 4},
		{kind: uint32(elf.PT_GNU_EH_FRAME), data: []byte{1, 0x1b, 3, 0x3b, 0, 0, 0, 0, 0, 0, 0, 0}},
	}
	im.sections = []content{
		im.compressed(elf.COMPRESS_ZLIB, deflated([]byte("abc")), 3), im.compressed(elf.COMPRESS_ZSTD, zstandard([]byte("abc")), 3),
		old(deflated([]byte("abc")), 3), symbolTable(elf.SHT_SYMTAB, 5, elf.Sym64{Name: 1, Info: 2, Shndx: 1}),
		{name: ".strtab", kind: uint32(elf.SHT_STRTAB), data: []byte("\x00main\x00")},
		{name: ".debug_info", kind: 1, data: []byte{7, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8}}, {name: ".debug_abbrev", kind: 1, data: []byte{0}},
	}
	f.Add(im.bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := New(bytes.NewReader(data), int64(len(data)), "fuzz")
		if err != nil {
			if file != nil {
				t.Fatal("an error and a result")
			}
			return
		}
		checkAnswers(t, file, len(data))
	})
}

func checkAnswers(t *testing.T, file *File, size int) {
	t.Helper()
	for i := range file.sections {
		name := file.sections[i].Name
		content, err := file.SectionData(name)
		if err != nil && content != nil || len(content) > max(harmlessBytes, size*maxExpansion) {
			t.Fatalf("%q: %d bytes, %v", name, len(content), err)
		}
	}
	symbols, err := file.Symbols()
	ascending := slices.IsSortedFunc(symbols, func(a, b Symbol) int { return cmp.Compare(a.Value, b.Value) })
	if err != nil && symbols != nil || !ascending {
		t.Fatalf("%+v, %v", symbols, err)
	}
	if id, err := file.BuildID(); err != nil && id != "" {
		t.Fatalf("%q, %v", id, err)
	}
	if frames, addr, err := file.EhFrame(); err != nil && (frames != nil || addr != 0) {
		t.Fatalf("%d bytes at %#x, %v", len(frames), addr, err)
	}
	if dwarf, err := file.DWARF(); err != nil && dwarf != nil || dwarf != nil && !file.HasDWARF() {
		t.Fatalf("%v, %v", dwarf, err)
	}
}
