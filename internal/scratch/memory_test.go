package scratch

import (
	"bytes"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

func TestPiecesAreZeroAndAligned(t *testing.T) {
	for name, m := range map[string]*Memory{"mapped": {}, "Go's heap": nil} {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int{0, 1, 8, 24, least - 1, least, least + 1, 3<<20 + 5} {
				b := m.Bytes(n)
				if len(b) != n {
					t.Fatalf("%d bytes, want %d", len(b), n)
				}
				if n > 0 && n%8 == 0 && uintptr(unsafe.Pointer(&b[0]))%8 != 0 {
					t.Errorf("%d bytes begin at %p", n, b)
				}
				for i := range b {
					if b[i] != 0 {
						t.Fatalf("byte %d of %d is %d", i, n, b[i])
					}
					b[i] = 0xff
				}
			}
			m.Free()
		})
	}
}

func TestASliceGrowsAndKeepsItsValues(t *testing.T) {
	type pair struct{ a, b uint32 }
	for name, m := range map[string]*Memory{"mapped": {}, "Go's heap": nil} {
		t.Run(name, func(t *testing.T) {
			var s, other []pair
			for i := range uint32(300_000) {
				s = Append(m, s, pair{i, ^i})
				other = Append(m, other, pair{^i, i})
			}
			for i := range uint32(300_000) {
				if s[i] != (pair{i, ^i}) || other[i] != (pair{^i, i}) {
					t.Fatalf("value %d is %v and %v", i, s[i], other[i])
				}
			}
			ReleaseSlice(m, s)
			ReleaseSlice(m, other)
		})
	}
}

// mappedBytes returns how much is mapped at the pieces' addresses, by the kernel's list.
func mappedBytes(t *testing.T) int {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("scratch memory is mapped on Linux only")
	}
	maps, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	pages := 0
	for _, digit := range strings.Fields(string(maps))[0] {
		pages = 10*pages + int(digit-'0')
	}
	return pages * os.Getpagesize()
}

func TestMemoryGoesBackToTheKernel(t *testing.T) {
	const large = 512 << 20
	for name, giveBack := range map[string]func(m *Memory, b []byte){
		"Release": func(m *Memory, b []byte) { m.Release(b) },
		"Free":    func(m *Memory, _ []byte) { m.Free() },
	} {
		t.Run(name, func(t *testing.T) {
			var m Memory
			defer m.Free()
			before := mappedBytes(t)
			b := m.Bytes(large)
			held := mappedBytes(t) - before
			giveBack(&m, b)
			if left := mappedBytes(t) - before; held < large || left > large/2 {
				t.Errorf("%d bytes were mapped, %d are left", held, left)
			}
		})
	}
}

func TestWhatIsHeldIsCounted(t *testing.T) {
	const size = 3 << 20
	before, _ := Held()
	var m Memory
	a := m.Bytes(size)
	m.Release(m.Bytes(2 * size))
	s := Append(&m, Slice[uint64](&m, 1<<20), 7)
	now, most := Held()
	if runtime.GOOS == "linux" && (now-before != size+16<<20 || most-before != 3*size && most != now) {
		t.Errorf("%d bytes are held, %d were", now-before, most-before)
	}
	m.Release(a)
	ReleaseSlice(&m, s)
	m.Free()
	if now, _ := Held(); now != before {
		t.Errorf("%d bytes are still held", now-before)
	}
}

func TestADroppedPartIsGivenBackAndTheRestStays(t *testing.T) {
	var m Memory
	defer m.Free()
	b := m.Bytes(1 << 20)
	for i := range b {
		b[i] = 7
	}
	m.Drop(b, 1<<19)
	if b[1<<19] != 7 || b[len(b)-1] != 7 {
		t.Error("a byte behind the part was dropped")
	}
	if runtime.GOOS == "linux" && (b[0] != 0 || b[1<<19-1] != 0) {
		t.Error("the part's pages are still there")
	}
}

func TestWhatIsNotAPieceIsLeftAlone(t *testing.T) {
	before, _ := Held()
	var m Memory
	b, other := m.Bytes(1<<20), make([]byte, 1<<20)
	during, _ := Held()
	for _, s := range [][]byte{b, other} {
		for i := range s {
			s[i] = 7
		}
	}
	for about, apart := range map[string][]byte{"a part": b[least:], "another slice": other, "no slice": nil} {
		m.Drop(apart, 1<<20)
		m.Release(apart)
		if now, _ := Held(); now != during {
			t.Errorf("%s: %d bytes are held, not %d", about, now, during)
		}
	}
	if n := bytes.Count(slices.Concat(b, other), []byte{7}); n != 2<<20 {
		t.Errorf("only %d bytes are still as they were", n)
	}
	m.Free()
	if now, _ := Held(); now != before {
		t.Errorf("%d bytes are still held", now-before)
	}
}
