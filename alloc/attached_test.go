//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/victim"
)

// segment makes a System V segment that is gone at the end of the test.
func segment(t *testing.T, size int) int {
	t.Helper()
	id, err := unix.SysvShmGet(unix.IPC_PRIVATE, size, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := unix.SysvShmCtl(id, unix.IPC_RMID, nil); err != nil {
			t.Error(err)
		}
	})
	return id
}

//go:noinline
func attachIt(id int) unsafe.Pointer { return victim.Attach(id) }

//go:noinline
func attachItOver(id int, at unsafe.Pointer) unsafe.Pointer { return victim.AttachOver(id, at) }

func TestASegmentThatIsAttachedOverOtherMemory(t *testing.T) {
	r := start(t, everything)
	p := mapIt(8 * page)
	defer victim.Unmap(p, 8*page)
	from := unsafe.Add(p, 2*page)
	if at := attachItOver(segment(t, 4*page-5), from); at != from {
		t.Fatal(at)
	}
	defer victim.Detach(from)
	list, _ := mapped(t, r)
	for i := range 8 {
		m, caller := at(list, unsafe.Add(p, i*page)), "mapIt"
		if i >= 2 && i < 6 {
			caller = "attachItOver"
		}
		if m == nil || !through(m, caller) {
			t.Errorf("page %d: %+v, want one of %s", i, m, caller)
		}
	}
}

func TestAttachedSegments(t *testing.T) {
	r := start(t, everything)
	id := segment(t, 4*page-5)
	first, second := attachIt(id), attachIt(id)
	defer victim.Detach(second)
	for _, p := range []unsafe.Pointer{first, second} {
		m := known(t, r, unsafe.Add(p, 3*page))
		if !through(m, "attachIt") || m.Start != uint64(uintptr(p)) || m.Limit-m.Start != 4*page || m.Length != 4*page || !m.Shared || m.File {
			t.Errorf("%+v at %p", m, p)
		}
	}

	t.Run("what is left of one is known, with other rights too", func(t *testing.T) {
		call := known(t, r, first).Call
		if err := victim.Unmap(unsafe.Add(first, page), page); err != nil {
			t.Fatal(err)
		}
		last := unsafe.Add(first, 3*page)
		if err := unix.Mprotect(unsafe.Slice((*byte)(last), page), unix.PROT_READ); err != nil {
			t.Fatal(err)
		}
		list, _ := mapped(t, r) // others may have mapped something where the hole is
		for i := range 4 {
			m := at(list, unsafe.Add(first, i*page))
			if ours := m != nil && m.Call == call; ours != (i != 1) || ours && m.Length != 3*page {
				t.Errorf("page %d: %+v", i, m)
			}
		}
	})

	t.Run("what is mapped over a part has its own stack", func(t *testing.T) {
		over := unsafe.Add(second, 2*page)
		if victim.Map(over, page, true) != over {
			t.Fatal("it was not mapped")
		}
		list, _ := mapped(t, r)
		m, before, after := at(list, over), at(list, unsafe.Add(second, page)), at(list, unsafe.Add(second, 3*page))
		if m == nil || before == nil || after == nil || m.Call == before.Call || before.Call != after.Call || through(m, "attachIt") {
			t.Errorf("%+v %+v %+v", before, m, after)
		}
		if err := victim.Unmap(over, page); err != nil {
			t.Error(err)
		}
	})

	t.Run("what is detached is gone", func(t *testing.T) {
		call := known(t, r, first).Call
		if err := victim.Detach(first); err != nil {
			t.Fatal(err)
		}
		list, _ := mapped(t, r) // others may have mapped something there
		for i := range 4 {
			if m := at(list, unsafe.Add(first, i*page)); m != nil && m.Call == call {
				t.Errorf("page %d: %+v", i, m)
			}
		}
	})

	t.Run("an attachment of before Start is in no range, and no part of another one", func(t *testing.T) {
		p, err := unix.SysvShmAttach(id, 0, 0) // a system call without libc
		if err != nil {
			t.Fatal(err)
		}
		list, _ := mapped(t, r)
		if m := at(list, unsafe.Pointer(&p[0])); m != nil {
			t.Errorf("%+v", m)
		}
		if err := unix.SysvShmDetach(p); err != nil {
			t.Error(err)
		}
	})
	lossless(t, r)
}

// Random ranges and parts of segments are compared page by page.
func TestPartsOfSegmentsAmongOtherRanges(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var byRange, byPart, want [60]uint64
		ranges, parts := randomRanges(random, 0, &byRange), randomRanges(random, 1, &byPart)
		for i := range want {
			want[i] = max(byRange[i], byPart[i])
			if byPart[i] != 0 && byRange[i] > byPart[i] {
				want[i] = 0
			}
		}
		var got [60]uint64
		var last uint64
		for _, m := range appendWithParts(nil, ranges, parts) {
			if m.Start < last || m.Start >= m.Limit {
				t.Fatalf("%+v after %d", m, last)
			}
			for last = m.Start; last < m.Limit; last++ {
				got[last] = m.Call
			}
		}
		if got != want {
			t.Fatalf("ranges %v, parts %v: %v, want %v", byRange, byPart, got, want)
		}
	}
}

// randomRanges returns ranges of pages of one byte, each with a call of its own, and the calls by page. The last bit of a call is odd.
func randomRanges(random *rand.Rand, odd uint64, by *[60]uint64) (list []cgo.Mapped) {
	for at := random.Uint64N(8); at < uint64(len(by)); at += random.Uint64N(5) {
		m := cgo.Mapped{Start: at, Limit: min(at+1+random.Uint64N(9), uint64(len(by))), Call: 2 + 2*random.Uint64N(1000) + odd}
		for ; at < m.Limit; at++ {
			by[at] = m.Call
		}
		list = append(list, m)
	}
	return list
}

func TestSegmentsThatTheKernelDoesNotListKeepTheirFirstPages(t *testing.T) {
	const open = layout.MappedOpen | layout.MappedShared
	ranges := []cgo.Mapped{{Start: 0x1000, Limit: 0x2000, Length: 7, Call: 1, Flags: open}, {Start: 0x8000, Limit: 0x9000, Length: 8, Call: 2, Flags: open},
		{Start: 0xa000, Limit: 0xb000, Length: 5, Call: 3}}
	openOnes := map[attachment]cgo.Mapped{{0x1000, 7}: ranges[0], {0x8000, 8}: ranges[1]}
	parts := partsOf(openOnes, []account.Attached{{Range: account.Range{Start: 0x1000, Limit: 0x4000}, Base: 0x1000, Segment: 7},
		{Range: account.Range{Start: 0x5000, Limit: 0x6000}, Base: 0x1000, Segment: 9}, {Range: account.Range{Start: 0x8000, Limit: 0xa000}, Base: 0x8000, Segment: 9}})
	all := appendWithParts(nil, firstPages(ranges, parts), parts)
	want := []cgo.Mapped{{Start: 0x1000, Limit: 0x4000, Length: 0x3000, Call: 1, Flags: layout.MappedShared},
		{Start: 0x8000, Limit: 0x9000, Length: 0x1000, Call: 2, Flags: open}, {Start: 0xa000, Limit: 0xb000, Length: 5, Call: 3}}
	if len(all) != 3 || all[0] != want[0] || all[1] != want[1] || all[2] != want[2] {
		t.Errorf("%+v, want %+v", all, want)
	}
}
