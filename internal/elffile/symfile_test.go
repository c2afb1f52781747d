package elffile

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
)

// symfile is an image with two sections of code and a symbol table, of any type.
func symfile(kind elf.Type, symbols []elf.Sym64, names []byte) []byte {
	var table bytes.Buffer
	binary.Write(&table, binary.LittleEndian, append([]elf.Sym64{{}}, symbols...))
	data := native(
		content{name: ".text", kind: uint32(elf.SHT_NOBITS), addr: 0x10000, claims: 0x1000},
		content{name: ".text.more", kind: uint32(elf.SHT_NOBITS), addr: 0x30000, claims: 0x100},
		content{name: ".symtab", kind: uint32(elf.SHT_SYMTAB), link: 4, data: table.Bytes()},
		content{name: ".strtab", kind: uint32(elf.SHT_STRTAB), data: names},
		content{name: ".comment", kind: uint32(elf.SHT_PROGBITS), data: bytes.Repeat([]byte("no name\x00"), maxSymfileName)},
	).bytes()
	binary.LittleEndian.PutUint16(data[16:], uint16(kind))
	data[20] = byte(elf.EV_CURRENT)
	return data
}

// describe lists what a Symfile says, from an image that begins somewhere in a reader.
func describe(tb testing.TB, data []byte) (list []elf.Symbol) {
	tb.Helper()
	const base = 77
	var s Symfile
	if err := s.Open(bytes.NewReader(append(make([]byte, base), data...)), base, uint64(len(data))); err != nil {
		return nil
	}
	var all []SymfileFunction
	s.Each(func(f SymfileFunction) bool {
		all = append(all, f)
		return true
	})
	for _, f := range all {
		name := s.Name(f)
		if len(name) > maxSymfileName || f.Size == 0 || f.Start+f.Size < f.Start {
			tb.Fatalf("%q, %#x bytes at %#x", name, f.Size, f.Start)
		}
		list = append(list, elf.Symbol{Name: name, Value: f.Start, Size: f.Size})
	}
	return list
}

// slowly does the same by the standard library, which has all of the image in memory.
func slowly(t *testing.T, data []byte) (list []elf.Symbol) {
	t.Helper()
	file, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	all, err := file.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		kind := elf.ST_TYPE(s.Info)
		if kind != elf.STT_FUNC && kind != elf.STT_GNU_IFUNC || s.Size == 0 || s.Name == "" {
			continue
		}
		low, high := uint64(0), ^uint64(0)
		if s.Section != elf.SHN_ABS {
			if s.Section == elf.SHN_UNDEF || int(s.Section) >= len(file.Sections) {
				continue
			}
			section := file.Sections[s.Section]
			low, high = section.Addr, section.Addr+section.Size
			if file.Type == elf.ET_REL {
				s.Value += low
			}
		}
		if s.Value >= low && s.Value+s.Size <= high && s.Value+s.Size > s.Value {
			list = append(list, elf.Symbol{Name: s.Name, Value: s.Value, Size: s.Size})
		}
	}
	return list
}

func TestSymfilesAreReadAsTheStandardLibraryReadsThem(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, count := range []int{0, 1, 10, 1000, 5000} {
		for _, kind := range []elf.Type{elf.ET_REL, elf.ET_EXEC, elf.ET_DYN} {
			names, symbols := []byte{0}, []elf.Sym64(nil)
			for range count {
				s := elf.Sym64{
					Name: uint32(len(names)), Info: elf.ST_INFO(elf.STB_LOCAL, elf.SymType(random.IntN(4))),
					Shndx: []uint16{0, 1, 1, 1, 2, 3, 9, uint16(elf.SHN_ABS)}[random.IntN(8)],
					Value: random.Uint64N(0x1100), Size: random.Uint64N(0x100),
				}
				if kind != elf.ET_REL {
					s.Value += []uint64{0x10000, 0x30000}[random.IntN(2)]
				}
				symbols = append(symbols, s)
				names = append(append(names, bytes.Repeat([]byte{'a' + byte(random.IntN(26))}, 1+random.IntN(40))...), 0)
			}
			data := symfile(kind, symbols, names)
			got, want := describe(t, data), slowly(t, data)
			if !slices.Equal(got, want) || count >= 1000 && len(want) < count/20 {
				t.Errorf("%d symbols, %v: %d functions, want %d", count, kind, len(got), len(want))
			}
		}
	}
}

func TestNamesInSymfiles(t *testing.T) {
	long := bytes.Repeat([]byte{'a'}, maxSymfileName+1)
	for about, c := range map[string]struct {
		names []byte
		at    uint32
		want  string
	}{
		"a name":                      {[]byte("\x00abc\x00"), 1, "abc"},
		"the end of another":          {[]byte("\x00abc\x00"), 3, "c"},
		"none":                        {[]byte("\x00abc\x00\x00"), 5, ""},
		"behind the table":            {[]byte("\x00abc\x00"), 6, ""},
		"without an end":              {[]byte("\x00abc"), 1, ""},
		"a long one, which is cut":    {append([]byte{0}, append(long, 0)...), 1, string(long[1:])},
		"as long as may be":           {append([]byte{0}, append(long[1:], 0)...), 1, string(long[1:])},
		"long and without an end":     {append([]byte{0}, long...), 1, string(long[1:])},
		"near the end and without it": {append([]byte{0}, long...), 3, ""},
	} {
		if got := describe(t, symfile(elf.ET_EXEC, []elf.Sym64{{
			Name: c.at, Info: elf.ST_INFO(elf.STB_LOCAL, elf.STT_FUNC), Shndx: 1, Value: 0x10000, Size: 1,
		}}, c.names)); len(got) != 1 || got[0].Name != c.want {
			t.Errorf("%s: %v, want %q", about, got, c.want)
		}
	}
}

func TestASymfileIsOneForThisKindOfMachine(t *testing.T) {
	good := symfile(elf.ET_REL, []elf.Sym64{{Name: 1, Info: elf.ST_INFO(elf.STB_LOCAL, elf.STT_FUNC), Shndx: 1, Size: 1}}, []byte("\x00f\x00"))
	if len(describe(t, good)) != 1 {
		t.Fatal("it has no function")
	}
	for at, b := range map[int]byte{0: 0, elf.EI_CLASS: 1, elf.EI_DATA: 2, 58: 40, 60: 0} {
		bad := bytes.Clone(good)
		bad[at] = b
		if got := describe(t, bad); got != nil {
			t.Errorf("byte %d: %v", at, got)
		}
	}
	for size := range good {
		if got := describe(t, good[:size]); len(got) > 1 {
			t.Errorf("%d bytes: %v", size, got)
		}
	}
}

func FuzzSymfile(f *testing.F) {
	function := elf.ST_INFO(elf.STB_LOCAL, elf.STT_FUNC)
	symbols := []elf.Sym64{
		{Name: 1, Info: function, Shndx: 1, Value: 0x10, Size: 0x20},
		{Name: 1, Info: function, Shndx: uint16(elf.SHN_ABS), Value: 1<<64 - 2, Size: 1},
		{Name: 3, Info: function, Shndx: 2, Value: 1, Size: 3},
	}
	for _, kind := range []elf.Type{elf.ET_REL, elf.ET_EXEC} {
		f.Add(symfile(kind, symbols, []byte("\x00f\x00g\x00")))
	}
	f.Add(symfile(elf.ET_REL, symbols, make([]byte, 3*windowBytes)))
	f.Fuzz(func(t *testing.T, data []byte) {
		describe(t, data)
	})
}
