package elffile

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestVariables(t *testing.T) {
	object := elf.ST_INFO(elf.STB_LOCAL, elf.STT_OBJECT)
	table := func(symbols ...elf.Sym64) []byte {
		var b bytes.Buffer
		binary.Write(&b, binary.LittleEndian, append([]elf.Sym64{{}}, symbols...))
		return b.Bytes()
	}
	names := content{name: ".strtab", kind: uint32(elf.SHT_STRTAB), data: []byte("\x00a_variable\x00variable_\x00")}
	file := native(
		content{name: ".symtab", kind: uint32(elf.SHT_SYMTAB), link: 3, data: table(
			elf.Sym64{Name: 1, Info: object, Shndx: 1, Value: 0x10}, // a_variable
			elf.Sym64{Name: 3, Info: object, Shndx: 1, Value: 0x30}, // variable
			elf.Sym64{Name: 3, Info: object, Shndx: 1, Value: 0x20},
			elf.Sym64{Name: 3, Info: object, Value: 0x40}, // not defined here
			elf.Sym64{Name: 3, Info: elf.ST_INFO(elf.STB_LOCAL, elf.STT_FUNC), Shndx: 1, Value: 0x50},
			elf.Sym64{Name: 12, Info: object, Shndx: 1, Value: 0x60}, // variable_
		)},
		content{name: ".dynsym", kind: uint32(elf.SHT_DYNSYM), link: 3, data: table(
			elf.Sym64{Name: 3, Info: object, Shndx: 1, Value: 0x30},
			elf.Sym64{Name: 3, Info: object, Shndx: 1, Value: 0x70},
		)},
		names,
	).open(t)
	if got, err := file.Variable("variable"); err != nil || !slices.Equal(got, []uint64{0x20, 0x30, 0x70}) {
		t.Errorf("%#x, %v", got, err)
	}
	if got, err := file.Variable("none"); err != nil || got != nil {
		t.Errorf("%#x, %v", got, err)
	}
	if got, err := native(names).open(t).Variable("variable"); err != nil || got != nil {
		t.Errorf("%#x, %v, without tables", got, err)
	}
}

func TestStringsAreFoundWhereverTheyAre(t *testing.T) {
	pattern := []byte("pattern\x00")
	random := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{0, 7, 8, 9, 1<<16 - 1, 1 << 16, 1<<16 + 1, 1<<16 + 7, 1 << 17, 300000} {
		data := make([]byte, size)
		for _, at := range []int{0, size - 8, 1<<16 - 8, 1<<16 - 7 + random.IntN(7), 1 << 17, 1<<17 - 10} {
			if at >= 0 && at+8 <= size {
				copy(data[at:], pattern)
			}
		}
		var want []uint64
		for at := range data {
			if bytes.HasPrefix(data[at:], pattern) {
				want = append(want, uint64(at))
			}
		}
		p := part{bytes.NewReader(data), uint64(size)}
		if got, err := p.find(pattern); err != nil || !slices.Equal(got, want) {
			t.Errorf("%d bytes: %v, want %v, %v", size, got, want, err)
		}
	}
}
