//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"slices"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/usage"
	"github.com/cgoheap/cgoheap/internal/victim"
	"github.com/cgoheap/cgoheap/stack"
)

// residentOfKind returns what is resident of a kind of blocks, and of other blocks in use.
func residentOfKind(t *testing.T, r *Recording, kind string) (of, others int64) {
	t.Helper()
	for _, s := range residence(t, r).Samples {
		if slices.Contains(s.Labels, stack.Label{Key: "kind", Text: kind}) {
			of += s.InuseBytes
		} else {
			others += s.InuseBytes
		}
	}
	return of, others
}

// lines returns what is resident of each line of an account.
func lines(t *testing.T, r *Recording) map[string]int64 {
	t.Helper()
	a, err := r.AccountNow(usage.Running, nil)
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]int64)
	for _, l := range a.Lines {
		found[l.Name] = l.Resident
	}
	return found
}

func report(start uintptr, count, size int, kind string) {
	for i := range count {
		cgo.Allocated(start+uintptr(i*size), uintptr(size), kind)
	}
}

func forget(start uintptr, count, size int) {
	for i := range count {
		cgo.Freed(start + uintptr(i*size))
	}
}

func TestWhereReportedBlocksCount(t *testing.T) {
	const count, size = 64, 2 * page
	r := start(t, everything)
	_, before := residentOfKind(t, r, "none")

	t.Run("at addresses of a device, nowhere", func(t *testing.T) {
		const device = uintptr(1) << 46
		report(device, count, size, "device")
		defer forget(device, count, size)
		of, others := residentOfKind(t, r, "device")
		if of != 0 || others < before*9/10 {
			t.Errorf("%d bytes are resident, and %d of other blocks; before, %d", of, others, before)
		}
	})

	t.Run("in what a call of the program mapped, at the stack of the call", func(t *testing.T) {
		mapped := victim.Map(nil, count*size, false)
		defer func() { _ = victim.Unmap(mapped, count*size) }()
		touch(mapped, count*size)
		report(uintptr(mapped), count, size, "carved")
		defer forget(uintptr(mapped), count, size)
		var memory scratch.Memory
		defer memory.Free()
		s, err := r.ResidentIn(&memory, usage.Running, nil)
		if err != nil {
			t.Fatal(err)
		}
		var bytes int64
		for _, one := range s.Mapped[account.MappedBy] {
			bytes += one.InuseBytes
		}
		if of, _ := residentOfKind(t, r, "carved"); of != 0 || bytes < count*size {
			t.Errorf("%d bytes are resident of the blocks, %d of what was mapped", of, bytes)
		}
	})

	t.Run("in a chunk of malloc's, as far as it was touched", func(t *testing.T) {
		chunk := victim.OpenPool(largeSize) // mapped by itself
		defer victim.Free(chunk)
		first := unsafe.Add(chunk, size-uintptr(chunk)%size)
		report(uintptr(first), count, size, "carved")
		defer forget(uintptr(first), count, size)
		touch(first, count*size/2)
		if of, _ := residentOfKind(t, r, "carved"); of != count*size/2 {
			t.Errorf("%d bytes are resident, want %d", of, count*size/2)
		}
	})

	t.Run("pinned for a device, on a line of its own, whoever mapped it", func(t *testing.T) {
		mapped := victim.Map(nil, count*size, false)
		defer func() { _ = victim.Unmap(mapped, count*size) }()
		touch(mapped, count*size/2)
		before := lines(t, r)
		report(uintptr(mapped), count, size, "cuda pinned")
		defer forget(uintptr(mapped), count, size)
		cgo.Allocated(1<<62|uintptr(mapped), count*size, "cuda pinned") // registered: what it is, it was before
		defer cgo.Freed(1<<62 | uintptr(mapped))
		after := lines(t, r)
		if got := after[account.Pinned]; got != count*size/2 || before[account.Pinned] != 0 {
			t.Errorf("the line has %d bytes, want %d; before, %d", got, count*size/2, before[account.Pinned])
		}
		if gone := before[account.MappedBy] - after[account.MappedBy]; gone < count*size/2-8*page {
			t.Errorf("%d bytes left the line of what was mapped", gone)
		}
		if of, _ := residentOfKind(t, r, "cuda pinned"); of != count*size/2 {
			t.Errorf("%d bytes are resident of the kind, want %d", of, count*size/2)
		}
	})

	t.Run("pinned for a device, by one stack, in a chunk of malloc's and outside", func(t *testing.T) {
		chunk := victim.OpenPool(largeSize)
		defer victim.Free(chunk)
		mapped := victim.Map(nil, count*size, false)
		defer func() { _ = victim.Unmap(mapped, count*size) }()
		const ofMalloc, outside = count * size, 5 * size // small blocks of malloc's count as resident
		first := unsafe.Add(chunk, size-uintptr(chunk)%size)
		touch(first, ofMalloc)
		touch(mapped, outside)
		for _, at := range []unsafe.Pointer{first, mapped} {
			report(uintptr(at), count, size, "cuda pinned")
			defer forget(uintptr(at), count, size)
		}
		var others, pinned int64
		var memory scratch.Memory
		defer memory.Free()
		s, err := r.ResidentIn(&memory, usage.Running, []account.Malloc{{Name: "glibc", Ranges: []account.Range{{Start: uint64(uintptr(chunk)), Limit: uint64(uintptr(chunk)) + largeSize}}}})
		if err != nil {
			t.Fatal(err)
		}
		s.Unpack()
		for i := range s.Samples {
			switch one := &s.Samples[i]; {
			case OnPinnedLine(one):
				pinned += one.InuseBytes
			case slices.Contains(one.Labels, stack.Label{Key: "kind", Text: "cuda pinned"}):
				others += one.InuseBytes
			}
		}
		if pinned != outside || others != ofMalloc {
			t.Errorf("samples of the line have %d bytes, want %d; others of the kind %d, want %d", pinned, outside, others, ofMalloc)
		}
		if got := line(t, s.Account, account.Pinned); got != pinned {
			t.Errorf("the line has %d bytes, and its samples %d", got, pinned)
		}
	})

	t.Run("elsewhere, as far as it was touched", func(t *testing.T) {
		memory, err := unix.Mmap(-1, 0, count*size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = unix.Munmap(memory) }()
		first := unsafe.Pointer(unsafe.SliceData(memory))
		for i := range count { // the first page of each
			touch(unsafe.Add(first, i*size), 1)
		}
		report(uintptr(first), count, size, "carved")
		defer forget(uintptr(first), count, size)
		if of, _ := residentOfKind(t, r, "carved"); of != count*size/2 {
			t.Errorf("%d bytes are resident, want %d", of, count*size/2)
		}
	})
}
