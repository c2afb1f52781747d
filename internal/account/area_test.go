package account

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

func TestAreasAreTheLinesOfMaps(t *testing.T) {
	text := "00400000-00405000 r-xp 00000000 fe:00 12                           /a b (deleted)\n" +
		"7fef40000000-7fef40021000 rw-p 00000000 00:00 0 \n" +
		"7fef40021000-7fef40022000 rw-s 0001f000 00:01 7                        /dev/zero (deleted)\n" +
		"7fef40022000-7fef40023000 rw-p 00000000 00:05 4                        /dev/zero\n" +
		"7fef40023000-7fef40024000 rw-s 00000000 00:05 9                        /dev/nvidia-uvm\n" +
		"7fef40024000-7fef40025000 rw-s 00000000 00:16 9                        /dev/shm/ring\n" +
		"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]\n"
	want := []struct {
		area
		name string
		nature
	}{
		{area{Range: Range{0x400000, 0x405000}, exec: true, inode: 12}, "/a b (deleted)", fileCode},
		{area{Range: Range{0x7fef40000000, 0x7fef40021000}}, "", anonymous},
		{area{Range: Range{0x7fef40021000, 0x7fef40022000}, shared: true, offset: 0x1f000, inode: 7}, "/dev/zero (deleted)", sharedMemory},
		{area{Range: Range{0x7fef40022000, 0x7fef40023000}, inode: 4}, "/dev/zero", anonymous},
		{area{Range: Range{0x7fef40023000, 0x7fef40024000}, shared: true, inode: 9}, "/dev/nvidia-uvm", device},
		{area{Range: Range{0x7fef40024000, 0x7fef40025000}, shared: true, inode: 9}, "/dev/shm/ring", sharedMemory},
		{area{Range: Range{0xffffffffff600000, 0xffffffffff601000}, exec: true}, "[vsyscall]", kernel},
	}
	i := 0
	for a, err := range areas(mapsFile(t, text)) {
		w := want[i]
		if err != nil || a.Range != w.Range || a.exec != w.exec || a.shared != w.shared || a.offset != w.offset || a.inode != w.inode ||
			string(a.name) != w.name || a.nature() != w.nature {
			t.Errorf("%d: %+v %q %d, %v, want %+v", i, a, a.name, a.nature(), err, w)
		}
		i++
	}
	if i != len(want) {
		t.Errorf("%d areas", i)
	}
}

// A mapping that grows after it was listed is listed again; so is one that its neighbours join.
func TestWhatIsListedAgainIsYieldedOnce(t *testing.T) {
	text := "10000-20000 rw-p 00000000 00:00 0 \n" + // the heap
		"10000-28000 rw-p 00000000 00:00 0 \n" + // has grown
		"10000-28000 rw-p 00000000 00:00 0 \n" +
		"18000-24000 rw-p 00000000 00:00 0 \n" + // was cut out of it
		"28000-30000 r--p 00003000 fe:00 12 /file\n" +
		"20000-34000 r--p 00001000 fe:00 12 /file\n" + // was joined to what is before and behind
		"34000-35000 rw-p 00000000 00:00 0 \n"
	want := []area{{Range: Range{0x10000, 0x20000}}, {Range: Range{0x20000, 0x28000}}, {Range: Range{0x28000, 0x30000}, offset: 0x3000},
		{Range: Range{0x30000, 0x34000}, offset: 0x11000}, {Range: Range{0x34000, 0x35000}}}
	for name, r := range map[string]io.Reader{"at once": strings.NewReader(text), "halves": iotest.HalfReader(strings.NewReader(text))} {
		l, n := listing{f: r, buffer: make([]byte, 100)}, 0
		if name == "at once" {
			l.buffer = make([]byte, mapsBuffer)
		}
		for part, err := l.next(); !errors.Is(err, io.EOF); part, err = l.next() {
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range part {
				if n >= len(want) || a.Range != want[n].Range || want[n].offset != 0 && a.offset != want[n].offset {
					t.Errorf("%s: %d: %#x at %#x", name, n, a.Range, a.offset)
				}
				n++
			}
		}
		if n < len(want) {
			t.Errorf("%s: %d areas", name, n)
		}
	}
}

// However the kernel cuts its text, the areas are the same.
func TestAreasAreReadFromPartsOfAnyLength(t *testing.T) {
	text := ""
	for i := range 100 {
		text += fmt.Sprintf("%x000-%x005 r-xp 00000000 fe:00 12                           /a b\n%x005-%x021 rw-p 00000000 00:00 0 \n", i+1, i+1, i+1, i+1)
	}
	for name, r := range map[string]io.Reader{"bytes": iotest.OneByteReader(strings.NewReader(text)), "halves": iotest.HalfReader(strings.NewReader(text)),
		"at once": strings.NewReader(text), "the end with the text": iotest.DataErrReader(strings.NewReader(text))} {
		l, n := listing{f: r, buffer: make([]byte, 150)}, 0
		for part, err := l.next(); !errors.Is(err, io.EOF); part, err = l.next() {
			if err != nil || len(part) == 0 {
				t.Fatalf("%s: %d areas, %v", name, len(part), err)
			}
			for _, a := range part {
				start := uint64(n/2+1) << 12
				want := area{Range: Range{start, start + 5}, exec: true, inode: 12, name: []byte("/a b")}
				if n%2 == 1 {
					want = area{Range: Range{start + 5, start + 0x21}}
				}
				if !reflect.DeepEqual(a, want) {
					t.Fatalf("%s: %d: %+v %q", name, n, a, a.name)
				}
				n++
			}
		}
		if n != 200 {
			t.Errorf("%s: %d areas", name, n)
		}
	}
}

func mapsFile(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "maps")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLinesThatAreNoMappingsAreErrors(t *testing.T) {
	for _, bad := range []string{"\n", "x\n", "10-20\n", "20-10 r--p 0 0:0 0\n", "10-10 r--p 0 0:0 0\n", "1g-20 r--p 0 0:0 0\n",
		"10-20 r- 0 0:0 0\n", "11111111111111111-20 r--p 0 0:0 0\n", "10-20 r--p 0 0:0 x\n", strings.Repeat("a", 2*mapsBuffer)} {
		n := 0
		for _, err := range areas(mapsFile(t, bad)) {
			if n++; err == nil {
				t.Errorf("%.20q is a mapping", bad)
			}
		}
		if n != 1 {
			t.Errorf("%.20q: %d areas", bad, n)
		}
	}
	for _, err := range areas("/no/such/file") {
		if err == nil {
			t.Error("a file that is not there is no error")
		}
	}
}

func FuzzParseArea(f *testing.F) {
	f.Add([]byte("00400000-00405000 r-xp 00000000 fe:00 12                           /a b (deleted)\n"))
	f.Add([]byte("7fef40000000-7fef40021000 rw-p 00000000 00:00 0 \n"))
	f.Fuzz(func(t *testing.T, line []byte) {
		a, ok := parseArea(line)
		switch {
		case ok && a.Start >= a.Limit:
			t.Errorf("%q: an empty area", line)
		case !ok && (a.Start != 0 || a.Limit != 0 || a.name != nil):
			t.Errorf("%q: %+v, and no mapping", line, a)
		}
		a.nature()
	})
}

func FuzzStackPointer(f *testing.F) {
	f.Add([]byte("202 0x7ffe 0x80 0x0 0x0 0x0 0x0 0x7ffd3b0 0x47fa23\n"))
	f.Add([]byte("running\n"))
	f.Add([]byte("-1 0x7ffd3b0 0x47fa23\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if sp, ok := stackPointer(text); !ok && sp != 0 {
			t.Errorf("%q: %#x, and no stack pointer", text, sp)
		}
	})
}

func TestStackPointerIsTheLastButOneField(t *testing.T) {
	for text, want := range map[string]uint64{
		"202 0x7ffe 0x80 0x0 0x0 0x0 0x0 0x7ffd3b0 0x47fa23\n": 0x7ffd3b0, "-1 0xc000 0x47fa23\n": 0xc000, "running\n": 0, "": 0, "1 x y\n": 0,
	} {
		if got, ok := stackPointer([]byte(text)); got != want || ok != (want != 0) {
			t.Errorf("%q: %#x, %v", text, got, ok)
		}
	}
}
