package pclntab

import (
	"bytes"
	"encoding/binary"
	"os"
	"testing"

	"github.com/cgoheap/cgoheap/internal/elffile"
)

// mutationSize is what the fuzzer writes for one changed byte: which part of the file, where in it, the new value.
const mutationSize = 10

// part is a range of bytes in a file.
type part struct{ offset, size uint64 }

// parts are where the table keeps what is looked up, small parts as often as large ones.
func parts(tb testing.TB, image []byte) []part {
	f, err := elffile.New(bytes.NewReader(image), int64(len(image)), "witness")
	if err != nil {
		tb.Fatal(err)
	}
	m, err := find(f)
	if err != nil {
		tb.Fatal(err)
	}
	offset := func(address uint64) uint64 {
		for _, s := range f.Segments() {
			if address-s.Vaddr < s.Filesz {
				return s.Offset + address - s.Vaddr
			}
		}
		tb.Fatalf("%#x is not in the file", address)
		return 0
	}
	module, _ := f.Section(".go.module")
	return []part{
		{offset(m.header.address), headerSize}, {offset(module.Addr), moduleWords * word},
		{offset(m.names.address), m.names.length}, {offset(m.units.address), 4 * m.units.length},
		{offset(m.files.address), m.files.length}, {offset(m.pcs.address), m.pcs.length},
		{offset(m.funcs.address), m.funcs.length}, {offset(m.functab.address), functabEntry * m.functab.length},
		{offset(m.trees), 1 << 15},
	}
}

func FuzzAHostileTableGivesFramesOrNone(f *testing.F) {
	image, err := os.ReadFile(build(f, "local", "-ldflags=-s"))
	if err != nil {
		f.Fatal(err)
	}
	places := parts(f, image)
	for i := range 64 {
		f.Add([]byte{byte(i), byte(i * 37), byte(i / 7), 0, 0, 0, 0, 0, 0, byte(i * 91)})
	}
	f.Fuzz(func(t *testing.T, mutations []byte) {
		mutated := bytes.Clone(image)
		for ; len(mutations) >= mutationSize; mutations = mutations[mutationSize:] {
			p := places[int(mutations[0])%len(places)]
			mutated[p.offset+binary.LittleEndian.Uint64(mutations[1:])%p.size] = mutations[9]
		}
		file, err := elffile.New(bytes.NewReader(mutated), int64(len(mutated)), "mutated")
		if err != nil {
			return
		}
		table, err := readTable(file)
		if (table == nil) == (err == nil) {
			t.Fatal(table, err)
		}
		if table != nil {
			lookAround(t, table)
		}
	})
}

// lookAround looks up addresses from before the code to after it.
func lookAround(t *testing.T, table *Table) {
	low, high := table.module.low, table.module.high
	for a := low - 16; a < high+16; a += (high-low)/500 + 1 {
		frames := table.Frames(a)
		if len(frames) > 0 && !table.Covers(a) || len(frames) > inlineLimit {
			t.Fatalf("%#x: %d frames", a, len(frames))
		}
		for _, f := range frames {
			if f.Line < 0 || f.StartLine < 0 || len(f.Symbol) > textLimit || len(f.File) > textLimit {
				t.Fatalf("%#x: %v", a, f)
			}
		}
	}
	if table.steps > stepLimit+textLimit {
		t.Fatal(table.steps, " steps")
	}
}

func TestATableThatNeverEndsIsGivenUp(t *testing.T) {
	_, table := open(t, build(t, "local", "-ldflags=-s"))
	for i := range table.pcs {
		table.pcs[i] = 2 // the value grows by one at each instruction
	}
	if table.Frames(table.module.high-1) == nil {
		t.Error("no function any more")
	}
	table.steps = stepLimit
	for _, f := range table.Frames(table.module.low) {
		if f.Line != 0 || f.File != "" {
			t.Error(f)
		}
	}
}
