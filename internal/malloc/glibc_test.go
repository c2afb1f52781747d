//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package malloc

import (
	"fmt"
	"math"
	"testing"
	"time"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/victim"
)

const longEnough = time.Minute

// ofGlibc returns what glibc keeps.
func ofGlibc(t *testing.T) Kept {
	t.Helper()
	k, found := glibc(processorTime().Add(longEnough))
	if !found {
		t.Skip("this libc has no arenas")
	}
	if k.Unknown != "" {
		t.Fatal(k.Unknown)
	}
	return k
}

func free(blocks []unsafe.Pointer) {
	for _, b := range blocks {
		victim.Free(b)
	}
}

// kinds of use: small blocks that go to fast bins, some that do not, blocks of pages, and large ones.
var kinds = []victim.Kept{
	{Threads: 1, Blocks: 100000, Size: 100, Every: 1000},
	{Threads: 27, Blocks: 20000, Size: 40, Every: 300},
	{Threads: 27, Blocks: 2000, Size: 5000, Every: 50},
	{Threads: 27, Blocks: 1500, Size: 20000, Every: 100},
	{Threads: 8, Blocks: 800, Size: 120000, Every: 10},
}

func eachKind(t *testing.T, test func(t *testing.T)) {
	victim.AllowArenas(28)
	for i, kind := range kinds {
		t.Run(fmt.Sprintf("%d threads with blocks of %d bytes", kind.Threads, kind.Size), func(t *testing.T) {
			if testing.Short() && i > 1 {
				t.Skip("long: make test-all runs it")
			}
			blocks := victim.Keep(kind)
			defer func() { free(blocks); Trim() }()
			test(t)
		})
	}
}

func TestTrimGivesBackWhatWasSaid(t *testing.T) {
	eachKind(t, func(t *testing.T) {
		k := ofGlibc(t)
		rss := residentNow(k)
		given := Trim()
		if given == 0 || math.Abs(float64(given)-float64(k.Trimmable)) > 0.1*float64(k.Trimmable) {
			t.Errorf("a trim of %d resident bytes returned %d, %d were said", rss, given, k.Trimmable)
		}
		if after := ofGlibc(t); after.Trimmable > k.Trimmable/100 || math.Abs(float64(after.FreeResident+given)/float64(k.FreeResident)-1) > 0.01 {
			t.Errorf("of %d free resident bytes, a trim returned %d and left %d, and %d to return", k.FreeResident, given,
				after.FreeResident, after.Trimmable)
		}
	})
}

func TestTwentyEightArenas(t *testing.T) {
	victim.AllowArenas(28)
	blocks := victim.Keep(kinds[3])
	defer func() { free(blocks); Trim() }()
	k := ofGlibc(t)
	if k.Arenas != 28 || len(k.Ranges) < 28 {
		t.Errorf("%d arenas with %d heaps, want 28", k.Arenas, len(k.Ranges))
	}
	addsUp(t, k)
}

// Each figure of residency is bounded by what is mapped and resident.
func TestLookingMakesNothingResident(t *testing.T) {
	victim.AllowArenas(28)
	blocks := victim.Keep(kinds[3])
	defer func() { free(blocks); Trim() }()
	Trim()
	k := ofGlibc(t)
	before := residentNow(k)
	for range 10 {
		k = ofGlibc(t)
	}
	if after := residentNow(k); after > before+1<<20 {
		t.Errorf("%d bytes were resident, %d are after looking", before, after)
	}
	if k.FreeResident > before || k.InUse+k.Free < before {
		t.Errorf("%d bytes of %d free ones are resident, of %d that are mapped and %d that are resident",
			k.FreeResident, k.Free, k.InUse+k.Free, before)
	}
}

func TestNoTimeToLook(t *testing.T) {
	victim.AllowArenas(28)
	blocks := victim.Keep(kinds[3])
	defer func() { free(blocks); Trim() }()
	inUse := ofGlibc(t).InUse
	if k, _ := glibc(time.Time{}); k.HasResidency || k.Unknown != errTime.Error() || k.InUse < inUse/2 {
		t.Errorf("%+v", k)
	}
}

func BenchmarkGlibc(b *testing.B) {
	victim.AllowArenas(28)
	for _, kind := range kinds {
		b.Run(fmt.Sprintf("%d threads with blocks of %d bytes", kind.Threads, kind.Size), func(b *testing.B) {
			blocks := victim.Keep(kind)
			defer func() { free(blocks); Trim() }()
			var k Kept
			for b.Loop() {
				k, _ = glibc(processorTime().Add(longEnough))
			}
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N)/float64(residentNow(k))*1e9, "ms/GB")
		})
	}
}

// Two roads to what is free in a heap of many blocks: an estimate from the first part of it for which there was time, and a look at all of it.
func TestAnEstimateOfALargeHeap(t *testing.T) {
	blocks := victim.Keep(victim.Kept{Threads: 1, Blocks: 15_000, Size: 20_000, Every: 5})
	defer func() { free(blocks); Trim() }()
	whole := ofGlibc(t)
	var k Kept
	for within := 200 * time.Microsecond; (k.ShareRead < 0.05 || k.ShareRead == 1) && within < time.Minute; {
		k, _ = glibc(processorTime().Add(within))
		if k.ShareRead == 1 { // the time was enough for all of it
			within -= within / 8
		} else {
			within += within / 4
		}
	}
	if off := float64(k.FreeResident)/float64(whole.FreeResident) - 1; !k.HasResidency || k.ShareRead == 1 || math.Abs(off) > 0.1 {
		t.Errorf("estimated: %+v; in truth: %+v", k, whole)
	}
}
