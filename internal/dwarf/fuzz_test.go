package dwarf

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// inMemory is the debug sections of a file as bytes that a test may change.
type inMemory map[string][]byte

func (m inMemory) Section(name string) (Section, error) { return Section{Bytes: m[name]}, nil }

// copySections reads the sections that names are read from.
func copySections(t testing.TB, source Source) inMemory {
	t.Helper()
	m := make(inMemory)
	for _, name := range sectionNames {
		s, err := source.Section(".debug_" + name)
		if err != nil {
			t.Fatal(err)
		}
		m[".debug_"+name] = s.read(0, s.size(), make([]byte, s.size()))
	}
	return m
}

// mutationSize is how many bytes encode a change: the section, the position in it, the new byte.
const mutationSize = 6

// mutate returns the sections with changed bytes. Unchanged sections are shared.
func (m inMemory) mutate(mutations []byte) inMemory {
	mutated, cloned := make(inMemory), make(map[string]bool)
	for name, data := range m {
		mutated[name] = data
	}
	for ; len(mutations) >= mutationSize; mutations = mutations[mutationSize:] {
		name := ".debug_" + sectionNames[mutations[0]%byte(sectionKinds)]
		if len(m[name]) == 0 {
			continue
		}
		if !cloned[name] {
			mutated[name], cloned[name] = bytes.Clone(mutated[name]), true
		}
		mutated[name][binary.LittleEndian.Uint32(mutations[1:])%uint32(len(m[name]))] = mutations[5]
	}
	return mutated
}

func FuzzHostileDebugDataIsReadWithinBounds(f *testing.F) {
	var programs []Program
	var addresses [][]uint64
	for _, flags := range []string{"-gdwarf-4", "-gdwarf-5"} {
		path := compile(f, "g++", "shapes.cc", "-g", "-O2", flags)
		p := program(f, path)
		p.Source = copySections(f, p.Source)
		programs, addresses = append(programs, p), append(addresses, everyByte(f, path, 200))
	}
	seeds := 64
	if testing.Short() {
		seeds = 8
	}
	for i := range seeds {
		f.Add(i%2 == 0, []byte{byte(i), byte(i * 37), byte(i / 7), 0, 0, byte(i * 91)})
	}
	f.Fuzz(func(t *testing.T, old bool, mutations []byte) {
		which := 0
		if old {
			which = 1
		}
		p := programs[which]
		p.Source = p.Source.(inMemory).mutate(mutations)
		p.Alternate = func() (Source, error) { return p.Source, nil } // another file to be led astray to
		p.Split = func(SplitUnit) (Source, error) { return p.Source, nil }
		data, err := Open(p)
		if err != nil || data == nil {
			return
		}
		defer data.Close()
		answers, _ := data.Find(addresses[which])
		checkBounds(t, plain(answers), len(addresses[which]))
	})
}

// checkBounds makes sure that answers are no larger than the limits allow.
func checkBounds(t *testing.T, answers []Answer, wanted int) {
	t.Helper()
	if len(answers) != wanted {
		t.Fatalf("%d answers to %d questions", len(answers), wanted)
	}
	for _, answer := range answers {
		if len(answer.Frames) > inlineLimit+2 {
			t.Fatalf("%d frames", len(answer.Frames))
		}
		for _, frame := range answer.Frames {
			if frame.Line < 0 || frame.Column < 0 || len(frame.File) > 2*nameLimit {
				t.Fatalf("%+v", frame.Position)
			}
			if f := frame.Function; f != nil && (f.StartLine < 0 || len(f.Name) > scopeLimit+2*nameLimit || len(f.Linkage) > nameLimit) {
				t.Fatalf("%+v", f)
			}
		}
	}
}

func FuzzCursor(f *testing.F) {
	f.Add([]byte{1, 2, 3, 0x80, 0xff, 0, 9}, []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	f.Fuzz(func(t *testing.T, data, steps []byte) {
		parts := cursor{reach: 1}
		parts.open(&Section{Reader: bytes.NewReader(data), Size: uint64(len(data))}, 0, uint64(len(data)))
		whole := cursor{}
		whole.open(&Section{Bytes: data}, 0, uint64(len(data)))
		for _, step := range steps {
			a, b := whole.step(step), parts.step(step)
			if a != b || whole.offset() != parts.offset() || whole.short != parts.short {
				t.Fatalf("step %d: %v at %d, through a window %v at %d", step, a, whole.offset(), b, parts.offset())
			}
			if whole.offset() > uint64(len(data)) {
				t.Fatal("beyond the limit")
			}
		}
	})
}

// step does one of the things that a cursor can do, and returns what it read.
func (c *cursor) step(kind byte) any {
	switch kind % 11 {
	case 0:
		return c.u8()
	case 1:
		return c.u16()
	case 2:
		return c.u32()
	case 3:
		return c.u64()
	case 4:
		return c.uleb()
	case 5:
		return c.sleb()
	case 6:
		return c.text(int(kind))
	case 7:
		c.skipText()
	case 8:
		c.skip(uint64(kind) / 8)
	case 9:
		c.seek(uint64(kind) / 4)
	case 10:
		return c.number(kind / 11)
	}
	return nil
}
