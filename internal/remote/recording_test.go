package remote

import (
	"encoding/binary"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/internal/tables"
	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/stack"
	"github.com/cgoheap/cgoheap/symbolize"
)

// recordingOf returns a recording whose region is any bytes.
func recordingOf(damaged []byte) *Recording {
	words := make([]uint64, (len(damaged)+7)/8+layout.SizeofHeader/8)
	region := make(tables.Region, 8*len(words))
	copy(region, damaged)
	r := &Recording{Time: time.Unix(1_700_000_000, 0), region: region, started: started(region)}
	process := mappings.Of("/no/such/process")
	r.made = process.Made(layout.ModuleMade, nil)
	r.identify(process, nil)
	return r
}

func FuzzRegionsOfOthers(f *testing.F) {
	f.Add([]byte{})
	random := rand.New(rand.NewPCG(1, 2))
	for range 4 {
		b := make([]byte, 1<<16)
		for i := 0; i+8 <= len(b); i += 8 { // offsets and refs that mostly lead somewhere
			binary.NativeEndian.PutUint64(b[i:], random.Uint64N(1<<12)<<32|random.Uint64N(1<<12))
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r := recordingOf(b)
		for i, v := range []View{{View: report.Peak}, {View: report.Age}, {View: report.InUse}, {View: report.ShortLived, Within: 1}, {View: report.InUse}, {View: report.ShortLived, Within: 1}} {
			r.Living = i >= 4
			if err := r.Write(io.Discard, v, symbolize.New(symbolize.Options{})); err != nil {
				t.Errorf("%s: %v", v.Name, err)
			}
		}
	})
}

// memoryAt is memory from an address on.
type memoryAt struct {
	start uint64
	bytes []byte
}

func (m memoryAt) ReadAt(to []byte, address int64) (int, error) {
	if uint64(address) < m.start || uint64(address)-m.start >= uint64(len(m.bytes)) {
		return 0, io.EOF
	}
	n := copy(to, m.bytes[uint64(address)-m.start:])
	if n < len(to) {
		return n, io.EOF
	}
	return n, nil
}

func TestRegionsThatCannotBeRead(t *testing.T) {
	whole := make([]byte, 1<<20)
	binary.NativeEndian.PutUint64(whole, layout.Magic)
	binary.NativeEndian.PutUint32(whole[layout.HeaderVersion:], layout.Version)
	binary.NativeEndian.PutUint32(whole[layout.HeaderPid:], 1)
	binary.NativeEndian.PutUint64(whole[layout.HeaderSize:], uint64(len(whole)))
	binary.NativeEndian.PutUint64(whole[layout.HeaderUsed:], uint64(len(whole)))
	for about, c := range map[string]struct {
		change         func([]byte) []byte
		found, copying bool
	}{
		"a whole one":       {func(b []byte) []byte { return b }, true, true},
		"another program":   {func(b []byte) []byte { b[0]++; return b }, false, false},
		"another version":   {func(b []byte) []byte { b[layout.HeaderVersion]++; return b }, false, false},
		"a child's":         {func(b []byte) []byte { clear(b[layout.HeaderPid:][:4]); return b }, false, false},
		"of 2^60 bytes":     {func(b []byte) []byte { b[layout.HeaderSize+7] = 16; return b }, true, false},
		"of no bytes":       {func(b []byte) []byte { clear(b[layout.HeaderSize:][:8]); return b }, true, false},
		"cut short":         {func(b []byte) []byte { return b[:1<<19] }, true, false},
		"cut in the header": {func(b []byte) []byte { return b[:100] }, true, false},
		"more used than is": {func(b []byte) []byte { b[layout.HeaderUsed+7] = 16; return b }, true, true},
	} {
		t.Run(about, func(t *testing.T) {
			const start = 0x7f0000000000
			memory := memoryAt{start, c.change(append([]byte(nil), whole...))}
			found, err := regionAmong(func(yield func(uint64) bool) { _ = yield(0x1000) && yield(start) }, memory)
			if (err == nil) != c.found || c.found && found != start {
				t.Fatalf("%#x, %v", found, err)
			}
			if !c.found {
				return
			}
			region, err := copyRegion(memory, start, func(uint64, uint64) bool { return true })
			if (err == nil) != c.copying || c.copying && len(region) != len(whole) {
				t.Errorf("%d bytes, %v", len(region), err)
			}
		})
	}
}

// A library was mapped later where code of no file had been. That code is not the library's.
func TestCodeThatWasInNoFileIsNamedByNoLaterLibrary(t *testing.T) {
	r := recordingOf(nil)
	library := mappings.Of("/no/such/process").Unloaded("/lib/later.so", "", 0, mappings.Range{Start: 0x7000, Limit: 0x8000})
	library.ID = 1
	r.modules = []*mappings.Module{library}
	for noFile, id := range map[bool]stack.ModuleID{true: 0, false: 1} {
		if f := r.withModule(stack.NewFrame(0, 0x7010), noFile); f.Module() != id || f.Address() != 0x7010 {
			t.Errorf("in no file: %v: module %d, address %#x", noFile, f.Module(), f.Address())
		}
	}
}
