package tables

import (
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/layout"
)

// A slot of the live table that is freed and reused all the time holds one block or another, never parts of two.
func TestRecordThatChangesIsReadWhole(t *testing.T) {
	words := make([]uint64, layout.SizeofBucket/8)
	g := Region(unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), layout.SizeofBucket))
	var written atomic.Uint64
	var enough atomic.Bool
	stopped := make(chan bool)
	go func() {
		defer close(stopped)
		for !enough.Load() {
			takeSlot(words, written.Add(1))
		}
	}()
	var read, torn int
	for read < 1000 || written.Load() < 300000 {
		if b, ok := g.loadBlock(0, 0); ok {
			read++
			if b.Objects != b.Bytes || uint64(b.Site) != b.Objects.Low || b.born != uint64(b.Site) {
				torn++
			}
		}
	}
	enough.Store(true)
	<-stopped
	if torn > 0 {
		t.Errorf("of %d records %d are parts of two blocks", read, torn)
	}
}

// takeSlot writes a record as cgo/live.c does, all of whose words are n.
func takeSlot(bucket []uint64, n uint64) {
	store := func(offset, value uint64) { atomic.StoreUint64(&bucket[offset/8], value) }
	const key, record = layout.BucketKeys, layout.BucketBlocks
	store(key, 0)
	store(key, layout.KeyReserved)
	store(record+layout.BlockWeight, n)
	store(record+layout.BlockWeight+8, n)
	store(record+layout.BlockSite, n|n<<32) // born lies behind it
	store(key, 1000+n%2)
}

// A record counts only if nothing changed between the first read and the last.
func TestRecordThatChangedIsReadAgain(t *testing.T) {
	var one, other Block
	other.Site = 1
	for _, c := range []struct {
		addresses [3]uint64
		records   [2]Block
		alike     bool
	}{
		{[3]uint64{7, 7, 7}, [2]Block{one, one}, true},
		{[3]uint64{7, 7, 7}, [2]Block{one, other}, false},
		{[3]uint64{8, 7, 7}, [2]Block{one, one}, false},
		{[3]uint64{7, 8, 7}, [2]Block{one, one}, false},
		{[3]uint64{7, 7, 8}, [2]Block{one, one}, false},
		{[3]uint64{7, 7, 0}, [2]Block{one, one}, false},
	} {
		if got := alike(c.addresses, c.records); got != c.alike {
			t.Errorf("addresses %d, records alike: %t: %t, want %t", c.addresses, c.records[0] == c.records[1], got, c.alike)
		}
	}
}
