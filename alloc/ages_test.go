//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"math"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/cgoheap/cgoheap/cgo"
)

func TestAgeOfTicks(t *testing.T) {
	const now = 1 << 39
	for ticks, want := range map[int64]time.Duration{
		1: cgo.Tick, 60: 60 * cgo.Tick, 1 << 33: 1 << 33 * cgo.Tick, 1<<39 - 1: (1<<39 - 1) * cgo.Tick,
		0: -1, -1: -1, -1000: -1,
	} {
		age, known := ageOf(now, uint64(now-ticks))
		if !known {
			age = -1
		}
		if age != want {
			t.Errorf("%d ticks are %v, want %v", ticks, age, want)
		}
	}
	if age, _ := ageOf(1<<62, 1); age != math.MaxInt64/cgo.Tick*cgo.Tick {
		t.Errorf("an age that no Duration holds is %v", age)
	}
}

// A slot of the live table that is freed and taken again all the while gives one block or another, never parts of two.
func TestRecordThatChangesIsReadWhole(t *testing.T) {
	start(t, everything)
	bucket, ok := cgo.Reserve(int(cgo.BucketSize))
	if !ok {
		t.Fatal("no room")
	}
	var written atomic.Uint64
	var enough atomic.Bool
	stopped := make(chan bool)
	go func() {
		defer close(stopped)
		for !enough.Load() {
			takeSlot(bucket, written.Add(1))
		}
	}()
	var read, torn int
	for read < 1000 || written.Load() < 300000 {
		if b, ok := loadBlock(bucket, 0); ok {
			read++
			if b.objects != b.bytes || uint64(b.site) != b.objects.low || b.born != uint64(b.site) {
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
func takeSlot(bucket, n uint64) {
	key, record := bucket+uint64(cgo.BucketKeys), bucket+uint64(cgo.BucketBlocks)
	store64(key, 0)
	store64(key, cgo.KeyReserved)
	store64(record+uint64(cgo.BlockWeight), n)
	store64(record+uint64(cgo.BlockWeight)+8, n)
	store64(record+uint64(cgo.BlockSite), n|n<<32) // born lies behind it
	store64(key, 1000+n%2)
}

func store64(offset, value uint64) {
	atomic.StoreUint64((*uint64)(unsafe.Pointer(&cgo.Region()[offset])), value)
}
