package elffile

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
)

// countingReader is a file that counts the bytes that are read of it. Behind its data it has zeros without end.
type countingReader struct {
	data []byte
	read uint64
}

func (r *countingReader) ReadAt(p []byte, offset int64) (int, error) {
	if clear(p); offset < int64(len(r.data)) {
		copy(p, r.data[offset:])
	}
	r.read += uint64(len(p))
	return len(p), nil
}

func openCounting(t *testing.T, data []byte, size int64) (*File, *countingReader) {
	t.Helper()
	reader := &countingReader{data: data}
	f, err := New(reader, size, "image")
	if err != nil {
		t.Fatal(err)
	}
	reader.read = 0
	return f, reader
}

func TestOneSymbolTableOfEachKindIsRead(t *testing.T) {
	names := content{name: ".strtab", kind: uint32(elf.SHT_STRTAB), data: []byte("\x00f\x00")}
	entries := make([]elf.Sym64, 1000)
	for i := range entries {
		entries[i] = elf.Sym64{Name: 1, Info: byte(elf.STT_FUNC), Shndx: 1, Value: uint64(i)}
	}
	im := native(names)
	for _, kind := range []elf.SectionType{elf.SHT_SYMTAB, elf.SHT_DYNSYM} {
		for range 50 {
			im.sections = append(im.sections, symbolTable(kind, 1, entries...))
		}
	}
	data := im.bytes()
	f, reader := openCounting(t, data, int64(len(data)))
	symbols, err := f.Symbols()
	if err != nil || len(symbols) != len(entries) || reader.read > 3*24*1000 {
		t.Errorf("%d symbols, %v, of %d bytes", len(symbols), err, reader.read)
	}
}

func TestSymbolsAreReadUpToTheirLimits(t *testing.T) {
	f := native().open(t)
	table := func(count int, name uint32) []byte {
		var one bytes.Buffer
		binary.Write(&one, binary.LittleEndian, elf.Sym64{Name: name, Info: byte(elf.STT_FUNC), Shndx: 1, Value: 1})
		return bytes.Repeat(one.Bytes(), count)
	}
	if got := len(f.functions(table(symbolLimit+5, 0), "f\x00")); got != symbolLimit {
		t.Errorf("%d symbols", got)
	}
	const enough = namesLimit/maxName + 10
	long := strings.Repeat("f", maxName-1) + "\x00"
	if got := len(f.functions(table(enough, 0), long)); got < enough/2 || got > enough-5 {
		t.Errorf("%d symbols with long names", got)
	}
	endless := append(table(enough, 0), table(1, maxName+9)...)
	if got := len(f.functions(endless, strings.Repeat("f", maxName+9)+"f\x00")); got != 0 {
		t.Errorf("%d symbols behind names without an end", got)
	}
	if got := len(f.functions(endless[len(endless)-48:], strings.Repeat("f", maxName+9)+"f\x00")); got != 1 {
		t.Errorf("%d symbols behind a name without an end", got)
	}
}

func TestNoMoreNotesAreReadThanTheLimit(t *testing.T) {
	im := native()
	for range 40 {
		im.programs = append(im.programs, content{kind: uint32(elf.PT_NOTE), claims: maxNotes / 4})
	}
	im.programs = append(im.programs, content{kind: uint32(elf.PT_NOTE), claims: 1 << 28})
	f, reader := openCounting(t, im.bytes(), 1<<30)
	if id, err := f.BuildID(); id != "" || !errors.Is(err, errNotes) || reader.read > maxNotes {
		t.Errorf("%q, %v, of %d bytes", id, err, reader.read)
	}
	section := native(content{name: ".note.gnu.build-id", kind: uint32(elf.SHT_NOTE), claims: 1 << 28})
	f, reader = openCounting(t, section.bytes(), 1<<30)
	if id, err := f.BuildID(); id != "" || !errors.Is(err, errNotes) || reader.read > maxNotes {
		t.Errorf("%q, %v, of %d bytes of a section", id, err, reader.read)
	}
}

func TestAllThatIsDecompressedOfAFileHasALimit(t *testing.T) {
	text := []byte(strings.Repeat("a string of .debug_str\x00", 100))
	im := native()
	for way, section := range map[string]content{
		"zlib":     im.compressed(elf.COMPRESS_ZLIB, deflated(text), uint64(len(text))),
		"zstd":     im.compressed(elf.COMPRESS_ZSTD, zstandard(text), uint64(len(text))),
		"zlib-gnu": old(deflated(text), uint64(len(text))),
	} {
		f := native(section).open(t)
		f.unpacked.Store(maxUnpacked - 2*uint64(len(text)))
		for i := range 3 {
			got, err := f.SectionData(".debug_str")
			if i < 2 && (err != nil || !bytes.Equal(got, text)) {
				t.Errorf("%s, time %d: %d bytes, %v", way, i, len(got), err)
			}
			if i == 2 && (got != nil || !errors.Is(err, errUnpacked)) {
				t.Errorf("%s, beyond the limit: %d bytes, %v", way, len(got), err)
			}
		}
	}
}

func TestSectionNamesBeyondTheirLimitAreNotRead(t *testing.T) {
	data := native(content{name: ".text", kind: uint32(elf.SHT_PROGBITS), data: []byte{1}}).bytes()
	names := data[len(data)-binary.Size(elf.Section64{}):] // the last header
	for size, whole := range map[uint64]bool{maxSectionNames: true, maxSectionNames + 1: false} {
		binary.LittleEndian.PutUint64(names[32:], size)
		f, _ := openCounting(t, data, 1<<30)
		if _, found := f.Section(".text"); found != whole || (f.sectionErr == nil) != whole {
			t.Errorf("%d bytes of names: found %v, %v", size, found, f.sectionErr)
		}
	}
}
