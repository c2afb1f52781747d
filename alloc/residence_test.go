//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"os"
	"testing"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/tables"
	"github.com/cgoheap/cgoheap/internal/usage"
	"github.com/cgoheap/cgoheap/internal/victim"
)

// largeSize is large enough that glibc maps each such block by itself, whatever was freed before: nothing of it was touched.
const largeSize = 40 << 20

//go:noinline
func allocateLarge() unsafe.Pointer { return victim.Malloc(largeSize) }

// touch writes to the first n bytes of every page of a block, and returns how many pages that were.
func touch(p unsafe.Pointer, bytes int) (pages int) {
	b := unsafe.Slice((*byte)(p), bytes)
	for i := 0; i < bytes; i += os.Getpagesize() {
		b[i] = 1
		pages++
	}
	return pages
}

func residence(t *testing.T, r *Recording) *Snapshot {
	t.Helper()
	var memory scratch.Memory
	defer memory.Free()
	s, err := r.ResidentIn(&memory, usage.Running, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.Unpack()
	return s
}

func line(t *testing.T, a *account.Account, name string) int64 {
	t.Helper()
	if a.Err != nil {
		t.Fatal(a.Err)
	}
	for _, l := range a.Lines {
		if l.Name == name {
			return l.Resident
		}
	}
	return 0
}

func TestLargeBlocksCountAsFarAsTheyWereTouched(t *testing.T) {
	r := start(t, everything)
	block := allocateLarge()
	defer victim.Free(block)
	const huge = 2 << 20 // the kernel may give huge pages
	if got := sum(residence(t, r).through("allocateLarge")); got.InuseBytes > huge {
		t.Errorf("%+v, and nothing was touched but the header before it", got)
	}
	want := int64(os.Getpagesize()) * int64(touch(block, largeSize/2))
	got := sum(residence(t, r).through("allocateLarge"))
	if got.InuseBytes < want-huge || got.InuseBytes > want+huge || got.InuseObjects != 1 || got.AllocBytes != 0 {
		t.Errorf("%+v, want %d bytes", got, want)
	}
}

func TestSmallBlocksCountAsResident(t *testing.T) {
	r := start(t, everything)
	defer victim.Free(allocate())
	if got := sum(residence(t, r).through("allocate")); got.InuseBytes != 1000 || got.InuseObjects != 1 {
		t.Errorf("%+v", got)
	}
}

func TestSampledLargeBlocksStandForTheirShare(t *testing.T) {
	r := start(t, Options{SampleBytes: 1 << 20, MaxDepth: 64, TableBytes: 64 << 20, Seed: 1})
	const blocks = 8
	for range blocks {
		block := allocateLarge()
		defer victim.Free(block)
		touch(block, largeSize/4)
	}
	// A block of 40 MiB is sampled, with a chance of 1 less 10^-17, and stands for one.
	got := sum(residence(t, r).through("allocateLarge"))
	const huge = 2 << 20
	if want := int64(blocks * largeSize / 4); got.InuseBytes < want-blocks*huge || got.InuseBytes > want+blocks*huge {
		t.Errorf("%+v, want %d bytes", got, want)
	}
}

func TestTheAccountHasWhatTheSamplesHave(t *testing.T) {
	r := start(t, everything)
	block := allocateLarge()
	defer victim.Free(block)
	touch(block, largeSize)
	s := residence(t, r)
	if got, want := line(t, s.Account, account.Native), s.Total().InuseBytes; got != want || want < largeSize/10*9 {
		t.Errorf("%d on the line, %d in the samples", got, want)
	}
}

func TestTheProfilersTablesAreALine(t *testing.T) {
	r := start(t, everything)
	before := line(t, residence(t, r).Account, account.Tables)
	var memory scratch.Memory
	defer memory.Free()
	const bytes = 4 << 20
	touch(unsafe.Pointer(&memory.Bytes(bytes)[0]), bytes)
	after := line(t, residence(t, r).Account, account.Tables)
	if after < before+bytes*9/10 || before == 0 {
		t.Errorf("%d, then with scratch memory of %d more %d", before, bytes, after)
	}
}

func TestVariablesThatBeginAsZeroAreThePrograms(t *testing.T) {
	r := start(t, everything)
	touch(unsafe.Pointer(&zeroed), len(zeroed))
	if got := line(t, residence(t, r).Account, account.Written); got < int64(len(zeroed)) {
		t.Errorf("%d, of which %d are known", got, len(zeroed))
	}
}

var zeroed [4 << 20]byte

func TestThereIsNoAccountAfterStop(t *testing.T) {
	r := start(t, everything)
	stop(t, r)
	if _, err := r.AccountNow(usage.Running, nil); err == nil {
		t.Error("there is one")
	}
	var memory scratch.Memory
	defer memory.Free()
	if _, err := r.ResidentIn(&memory, usage.Running, nil); err == nil {
		t.Error("there is a snapshot")
	}
}

func TestABlockOfWhichNothingIsResidentIsNoObject(t *testing.T) {
	r := start(t, everything)
	defer victim.Free(allocate())
	for _, touched := range []int64{0, account.LargeBlock / 2, account.LargeBlock} {
		read, live := r.reader(nil), account.NewLive(nil, nil)
		var block tables.Block
		read.Blocks(func(b tables.Block) {
			if read.SizeOf(&b) == 1000 && len(live.Large()) == 0 {
				block = b
				live.Add(&b, account.LargeBlock, 0)
			}
		})
		live.Large()[0].Resident = touched
		live.Finish()
		list := read.InUse(live.Sums).Unpack()
		if objects := int64(len(list)); objects != min(touched, 1) {
			t.Fatalf("%d resident bytes: %+v", touched, list)
		}
		if want := block.Bytes.Rounded(4, 0) * touched / account.LargeBlock; touched > 0 && list[0].InuseBytes != want {
			t.Errorf("%d resident bytes of a block: %+v, want %d", touched, list[0], want)
		}
	}
}
