package symbolize

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"slices"
	"testing"

	"github.com/cgoheap/cgoheap/internal/debugfile"
	"github.com/cgoheap/cgoheap/internal/elffile"
)

// mutation is a change to a debug section: the byte at a position becomes another. The fuzzer writes each as ten bytes.
const mutationSize = 10

// mutate changes bytes in the debug sections and symbol tables of a program, and nowhere else, so that the fuzzer does
// not spend its time on headers.
func mutate(program []byte, places []elf.SectionHeader, mutations []byte) []byte {
	mutated := bytes.Clone(program)
	for ; len(mutations) >= mutationSize; mutations = mutations[mutationSize:] {
		place := places[int(mutations[0])%len(places)]
		if place.Size == 0 {
			continue
		}
		at := place.Offset + binary.LittleEndian.Uint64(mutations[1:])%place.Size
		mutated[at] = mutations[9]
	}
	return mutated
}

// debugSections are where a program keeps its names.
func debugSections(tb testing.TB, program []byte) []elf.SectionHeader {
	file, err := elf.NewFile(bytes.NewReader(program))
	if err != nil {
		tb.Fatal(err)
	}
	var places []elf.SectionHeader
	for _, name := range []string{".debug_info", ".debug_abbrev", ".debug_line", ".debug_rnglists", ".debug_str",
		".debug_line_str", ".debug_info", ".debug_line", ".symtab", ".strtab"} {
		if s := file.Section(name); s != nil {
			places = append(places, s.SectionHeader)
		}
	}
	return places
}

func FuzzHostileDebugDataGivesLinesOrAReason(f *testing.F) {
	path := compile(f, "g++", "shapes.cc", "-g", "-O2")
	program, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	places := debugSections(f, program)
	var addresses []uint64
	for i, a := range everyByte(f, path) {
		if i%97 == 0 {
			addresses = append(addresses, uint64(a))
		}
	}
	seeds := 64
	if testing.Short() {
		seeds = 8
	}
	for i := range seeds {
		f.Add([]byte{byte(i), byte(i * 37), byte(i / 7), 0, 0, 0, 0, 0, 0, byte(i * 91)})
	}
	f.Fuzz(func(t *testing.T, mutations []byte) {
		mutated := mutate(program, places, mutations)
		file, err := elffile.New(bytes.NewReader(mutated), int64(len(mutated)), "mutated")
		if err != nil {
			return
		}
		defer file.Close()
		files := debugfile.Finder{}.Open(debugfile.Module{File: file})
		defer files.Close()
		w := newWants(slices.Clone(addresses))
		o := readObject(files, newSymbolIndex)
		defer o.close()
		o.resolve(w, Full)
		for i := range w {
			if (w[i].reason == named) == (len(w[i].lines) == 0) {
				t.Fatalf("%#x: %v, %v", w[i].address, w[i].lines, w[i].reason)
			}
		}
	})
}
