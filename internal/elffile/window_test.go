package elffile

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

func TestAWindowHoldsWhatTheReaderHas(t *testing.T) {
	const base, size, more = 100, 5 * windowBytes, 50
	random := rand.New(rand.NewPCG(7, 8))
	data := make([]byte, base+size+more)
	for i := range data {
		data[i] = byte(random.Uint32())
	}
	var w window
	w.open(bytes.NewReader(data), base, size)
	offset := uint64(0)
	for range 100_000 {
		if n := random.Uint64N(10); n == 0 {
			offset = random.Uint64N(size + 2*more)
		} else {
			offset += random.Uint64N(200) - 100 // may be below zero, which is far off
		}
		n := random.Uint64N(100)
		var want []byte
		if offset <= size && n <= size-offset {
			want = data[base+offset:][:n]
		}
		if got := w.at(offset, n); !bytes.Equal(got, want) || (got == nil) != (want == nil) {
			t.Fatalf("%d bytes at %#x: % x, want % x", n, offset, got, want)
		}
	}
	for n, want := range map[uint64]bool{windowBytes: true, windowBytes + 1: false, size: false, size + 1: false, 1<<64 - 1: false} {
		if got := w.at(0, n); (got != nil) != want {
			t.Errorf("%d bytes: %d", n, len(got))
		}
	}
	w.open(bytes.NewReader(data), base, size+2*more)
	if w.at(size+more-1, 1) == nil || w.at(size+more, 1) != nil || w.at(size+more-1, 2) != nil {
		t.Error("it has more than the reader, or less")
	}
}
