//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"math"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/stack"
)

// These states take weeks to come about, so the tests write them into the tables.

// add adds to a word of the region.
func add(at, n uint64) {
	atomic.AddUint64((*uint64)(unsafe.Pointer(&cgo.Region()[at])), n)
}

// siteOfSize returns the offset of the site that has only blocks of this size.
func siteOfSize(t *testing.T, r *Recording, size uint64) uint64 {
	t.Helper()
	for _, s := range snapshot(t, r).Samples {
		if at := site(&s); region().Load64(at+layout.SiteSize) == size {
			return at
		}
	}
	t.Fatalf("there is no site of %d bytes", size)
	return 0
}

// pass makes a site as if that many units of each measure had been allocated and freed at once before, in each of the two
// words of a sum, and settles both.
func pass(t *testing.T, r *Recording, site, units uint64) {
	t.Helper()
	defer snapshot(t, r)
	defer snapshot(t, r)
	for measure := range uint64(2) {
		if measure == 1 && region().Load64(site+layout.SiteSize) != layout.SiteMixed {
			return
		}
		for parity := range uint64(2) {
			add(site+layout.SizeofSite+measure*layout.SizeofFlow+layout.FlowAllocated+8*parity, units)
			add(site+layout.SizeofSite+measure*layout.SizeofFlow+layout.FlowFreed+8*parity, units)
		}
	}
}

const size = 5_003

// pair is one allocation and its free; at the root of a goroutine all are of one site.
func pair() { victim.Free(allocateOther(size)) }

// someOfManySizes makes one site of blocks of mixed sizes, beside some others.
func someOfManySizes() { free(ofManySizes(300)) }

func TestMoreThan2To47AllocationsAtOneSite(t *testing.T) {
	long := Lifetimes()[len(Lifetimes())-1]
	for name, c := range map[string]struct {
		units uint64 // in each of two words
		more  int64  // pairs after that
	}{
		"2^47 in each word":            {1 << 63, 1},
		"just below what a word holds": {1<<64 - 1000<<16, 10},
		"a word wraps":                 {1<<64 - 5<<16, 100},
		"few":                          {1 << 20, 3},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t, everything)
			atRoot(pair)
			site := siteOfSize(t, r, size)
			pass(t, r, site, c.units)
			for i := range c.more {
				atRoot(pair)
				if i%50 == 0 {
					snapshot(t, r) // the other words come next
				}
			}
			block := allocateOther(size)
			defer victim.Free(block)
			objects := int64(c.units>>16)*2 + c.more + 2
			want := stack.Values{AllocObjects: objects, AllocBytes: saturated(objects, size), InuseObjects: 1, InuseBytes: size}
			if got := sum(snapshot(t, r).through("allocateOther")); got != want {
				t.Errorf("%+v, want %+v", got, want)
			}
			// Once more, after the words of the other parity have settled.
			if got := sum(snapshot(t, r).through("allocateOther")); got != want {
				t.Errorf("then %+v, want %+v", got, want)
			}
			want = stack.Values{AllocObjects: objects - 1, AllocBytes: saturated(objects-1, size)}
			brief := view(t, func() (*Snapshot, error) { return r.ShortLivedIn(nil, long) })
			if got := sum(brief.through("allocateOther")); got != want {
				t.Errorf("short-lived are %+v, want %+v", got, want)
			}
			if got := sum(view(t, func() (*Snapshot, error) { return r.PeakIn(nil) }).through("allocateOther")); got != inuse(1, size) {
				t.Errorf("at the peak were %+v", got)
			}
			if wraps := c.units+uint64(c.more)<<16 < c.units; (region().Load64(layout.HeaderCarries) != 0) != wraps {
				t.Errorf("whether a word wrapped: %v", !wraps)
			}
			if n := value(t, r, "lost_carry"); n != 0 {
				t.Errorf("%d sums are too small", n)
			}
		})
	}
}

// saturated is a product, or the largest number.
func saturated(n, size int64) int64 {
	if n > math.MaxInt64/size {
		return math.MaxInt64
	}
	return n * size
}

func TestMoreThan2To59BytesOfMixedSizes(t *testing.T) {
	r := start(t, everything)
	atRoot(someOfManySizes)
	site := siteOfSize(t, r, layout.SiteMixed)
	pass(t, r, site, 1<<64-1<<20)
	before := sum(snapshot(t, r).through("ofManySizes"))
	atRoot(someOfManySizes)
	atRoot(someOfManySizes)
	got := sum(snapshot(t, r).through("ofManySizes"))
	want := stack.Values{AllocObjects: before.AllocObjects + 2*300, AllocBytes: before.AllocBytes + 300*299}
	if got != want || before.AllocBytes < 1<<60 {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestMoreSumsThatWrapThanCanBeKept(t *testing.T) {
	r := start(t, everything)
	atRoot(pair)
	site := siteOfSize(t, r, size)
	for i := range uint64(layout.Carries) {
		atomic.StoreUint64((*uint64)(unsafe.Pointer(&cgo.Region()[layout.HeaderCarries+i*layout.SizeofCarry+layout.CarryWord])), 16)
	}
	pass(t, r, site, 1<<64-3<<16)
	for range 10 {
		atRoot(pair)
	}
	if n := value(t, r, "lost_carry"); n == 0 {
		t.Error("nothing says so")
	}
}

func TestABlockOfYears(t *testing.T) {
	age := 900 * 24 * time.Hour // 2^32 ticks are 834 days
	r := start(t, everything)
	old, freed := allocate(), allocateOther(100)
	add(layout.HeaderClock, ^uint64(age)+1) // as if the recording had begun so much earlier
	defer victim.Free(old)
	victim.Free(freed)
	young := allocate()
	defer victim.Free(young)
	time.Sleep(3 * cgo.Tick)

	t.Run("is not taken for a young one", func(t *testing.T) {
		got := make(map[int64]int64)
		for _, s := range view(t, func() (*Snapshot, error) { return r.AgesIn(nil, 0) }).through("allocate") {
			got[s.Labels[0].Number] += s.InuseObjects
		}
		if len(got) != 2 || got[0] != 1 || got[24*60*60] != 1 {
			t.Errorf("blocks by age: %v", got)
		}
	})

	t.Run("was not short-lived", func(t *testing.T) {
		brief := view(t, func() (*Snapshot, error) { return r.ShortLivedIn(nil, Lifetimes()[len(Lifetimes())-1]) })
		if got := brief.through("allocateOther"); len(got) != 0 {
			t.Errorf("%+v", got)
		}
	})
}

func TestTablesThatNoRefReaches(t *testing.T) {
	o := everything
	o.TableBytes = 64<<30 + 4096
	if r, err := Start(o); err == nil {
		stop(t, r)
		t.Error("they are accepted")
	}
}

func TestMoreInUseThanTheTotalCanBe(t *testing.T) {
	const most = 1 << 48 // bytes
	r := start(t, everything)
	add(layout.HeaderInuse, 16*most*2*layout.InUseUnit)
	if n := r.InUse(); n != most {
		t.Errorf("%d bytes are in use, want %d", n, int64(most))
	}
	if err := r.ResetPeak(); err != nil {
		t.Fatal(err)
	}
	block := allocate()
	defer victim.Free(block)
	view(t, func() (*Snapshot, error) { return r.PeakIn(nil) })
	under := uint64(16 * most * 2 * layout.InUseUnit)
	add(layout.HeaderInuse, -under)
	if n := r.InUse(); n < 1000 || n > 1<<20 {
		t.Errorf("%d bytes are in use", n)
	}
}
