package check

import (
	"bytes"
	"runtime"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

// many is a profile with so many of one thing.
type many struct {
	about string
	of    func(n int) []byte
}

// fields repeats a field of a profile.
func fields(number uint64, content ...byte) func(int) []byte {
	var w wire
	w.content(number, content)
	return func(n int) []byte { return bytes.Repeat(w.Bytes(), n) }
}

// within repeats a field inside one field of a profile.
func within(number uint64, inner func(int) []byte) func(int) []byte {
	return func(n int) []byte {
		var w wire
		w.content(number, inner(n))
		return w.Bytes()
	}
}

var parts = []many{
	{"sample types", fields(1)},
	{"samples", fields(2)},
	{"samples of a frame", fields(2, 1<<3, 1)},
	{"samples of a value", fields(2, 2<<3, 1)},
	{"samples with an empty label", fields(2, 3<<3|kindBytes, 0)},
	{"samples with a label", fields(2, 3<<3|kindBytes, 4, 1<<3, 1, 2<<3, 1)},
	{"samples with a number", fields(2, 3<<3|kindBytes, 6, 1<<3, 1, 3<<3, 1, 4<<3, 1)},
	{"samples of two labels", fields(2, 3<<3|kindBytes, 4, 1<<3, 1, 2<<3, 1, 3<<3|kindBytes, 4, 1<<3, 2, 3<<3, 1)},
	{"frames", within(2, func(n int) []byte { return bytes.Repeat([]byte{1 << 3, 1}, n) })},
	{"packed frames", within(2, func(n int) []byte { var w wire; w.content(1, bytes.Repeat([]byte{1}, n)); return w.Bytes() })},
	{"packed values", within(2, func(n int) []byte { var w wire; w.content(2, bytes.Repeat([]byte{1}, n)); return w.Bytes() })},
	{"labels", within(2, fields(3, 1<<3, 1, 2<<3, 1))},
	{"mappings", fields(3)},
	{"locations", fields(4)},
	{"locations of a line", fields(4, 4<<3|kindBytes, 0)},
	{"lines", within(4, fields(4))},
	{"functions", fields(5)},
	{"strings", fields(6)},
	{"strings of a letter", fields(6, 'x')},
	{"comments", func(n int) []byte { return bytes.Repeat([]byte{fieldComment << 3, 0}, n) }},
	{"packed comments", func(n int) []byte { var w wire; w.content(fieldComment, make([]byte, n)); return w.Bytes() }},
}

// withStrings puts the strings that parts refer to before them.
func withStrings(raw []byte) []byte {
	var w wire
	for _, text := range []string{"", "a", "b"} {
		w.content(6, []byte(text))
	}
	return append(w.Bytes(), raw...)
}

// What is counted for a part is at least what google/pprof keeps for it.
func TestTheCountedMemoryIsWhatAReaderTakes(t *testing.T) {
	for _, part := range parts {
		const n = 50_000
		raw := withStrings(part.of(n))
		d := decoder{budget: budget{memory: 1 << 40}}
		d.weigh(raw)
		counted := 1<<40 - d.budget.memory
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		p, err := profile.ParseUncompressed(raw)
		runtime.GC()
		runtime.ReadMemStats(&after)
		kept := int(after.HeapAlloc) - int(before.HeapAlloc)
		if err != nil || d.err != nil || kept > counted {
			t.Errorf("%s: %d bytes each, and %d are counted; %v, %v", part.about, kept/n, counted/n, err, d.err)
		}
		if counted > 10*max(0, kept)+60*n { // strings are gone by then
			t.Errorf("%s: %d bytes each, and as many as %d are counted", part.about, kept/n, counted/n)
		}
		runtime.KeepAlive(p)
	}
}

// Gzips of 70 KB to 1 MB that take a reader gigabytes.
func TestSmallFilesOfHugeProfilesAreRefused(t *testing.T) {
	for _, part := range append(parts, many{"zeroes", func(n int) []byte { return make([]byte, 10*n) }}) {
		n := 8 << 20
		if strings.HasPrefix(part.about, "packed") || part.about == "frames" {
			n = 24 << 20
		}
		file := gzipped(t, withStrings(part.of(n)))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Read(bytes.NewReader(file))
		runtime.ReadMemStats(&after)
		took := after.TotalAlloc - before.TotalAlloc
		if err == nil || took > 1<<29 {
			t.Errorf("%s, %d bytes: %v, and %d MiB were taken", part.about, len(file), err, took>>20)
		}
		if faults, err := Profile(bytes.NewReader(file)); err == nil || faults != nil {
			t.Errorf("%s: %v", part.about, err)
		}
	}
}

// Each sample, label or mapping refers to the same long text, or to a location of many lines.
func TestProfilesThatReferToTooMuchAreRefused(t *testing.T) {
	long := strings.Repeat("x", 4<<20)
	for about, c := range map[string]struct {
		do   func(d *draft)
		want string
	}{
		"names":        {func(d *draft) { d.functions[0].file = d.text(long) }, "more text"},
		"label keys":   {func(d *draft) { d.samples[0].labels[0].key = d.text(long) }, "more text"},
		"label values": {func(d *draft) { d.samples[1].labels[0].text = d.text(long) }, "more text"},
		"holders":      {func(d *draft) { d.functions[0].name = d.text(long[:1<<20]) }, "more memory"},
		"lines":        {func(d *draft) { d.locations[0].lines = make([]uint64, 100_000) }, "more memory"},
	} {
		d := healthy()
		c.do(d)
		for len(d.samples) < 10_000 {
			d.samples = append(d.samples, d.samples[:2]...)
		}
		raw := d.encode()
		if _, err := Read(bytes.NewReader(gzipped(t, raw))); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", about, err)
		}
	}
	d := healthy()
	d.mappings[0].file = d.text(long)
	d.mappings[1].file = d.mappings[0].file
	for len(d.mappings) < 100_000 { // looked at once
		d.mappings = append(d.mappings, d.mappings[0])
	}
	if _, err := Profile(bytes.NewReader(d.encode())); err != nil {
		t.Error(err)
	}
}

// A profile of many stacks and labels, as large services have them, is no bomb.
func TestALargeProfileIsRead(t *testing.T) {
	d := healthy()
	for i := len(d.locations); i < 50_000; i++ {
		d.locations = append(d.locations, location{id: uint64(i + 1), mapping: 2, address: uint64(0x2000 + i), lines: []uint64{1, 1}})
	}
	for i := range 100_000 {
		s := sample{values: []int64{1, int64(i), 1, int64(i)}[:2], locations: make([]uint64, 48), labels: d.samples[i&1].labels}
		for frame := range s.locations {
			s.locations[frame] = uint64(1 + (i/(frame+1)+7*frame)%len(d.locations))
		}
		d.samples = append(d.samples, s)
	}
	packed := gzipped(t, d.encode())
	f, err := Read(bytes.NewReader(packed))
	if err != nil || !bytes.Equal(f.Packed, packed) {
		t.Fatalf("%d bytes: %v", len(packed), err)
	}
	t.Logf("%d bytes, %d unpacked", len(packed), len(f.Raw))
	if _, err := profile.ParseUncompressed(f.Raw); err != nil {
		t.Error(err)
	}
}

func TestTheSizeOfAFileIsBounded(t *testing.T) {
	for _, c := range []struct{ size, most int }{{1000, 1000}, {1001, 1000}} {
		if text, err := readAll(bytes.NewReader(make([]byte, c.size)), c.most); (err != nil) != (c.size > c.most) || err == nil && len(text) != c.size {
			t.Errorf("%d of %d bytes: %v", len(text), c.most, err)
		}
	}
}
