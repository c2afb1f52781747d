package account

import (
	"cmp"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/usage"
)

// changing returns sources by whose account a call is recorded between the list and the first look.
func changing(list []Mapped) *Sources {
	asked := uint64(0)
	return &Sources{Mapped: list, AsOf: 100, Calls: func() uint64 {
		asked = min(asked+1, 2)
		return 99 + asked
	}}
}

func TestWhatCameMeanwhileIsAttributedByTheListReadAfterwards(t *testing.T) {
	const n = 100
	of := func(kind Kind, call uint64) Mapped {
		return Mapped{Range: rangeOf(mapped(t, -1, n, unix.MAP_PRIVATE|unix.MAP_ANON)), Kind: kind, Call: call}
	}
	stays, came, late, golang, allocators, unfit := of(Program, 7), of(Program, 100), of(Program, 101), of(Go, 0), of(Allocator, 8), of(Program, 9)
	gone, goLater := of(Program, 1), of(Go, 0)
	var memory scratch.Memory
	defer memory.Free()
	first := []Mapped{stays, golang, allocators, gone}
	byAddress := func(a, b Mapped) int { return cmp.Compare(a.Start, b.Start) }
	slices.SortFunc(first, byAddress)
	v := Take(usage.Running, changing(first), &memory)
	before := *v
	before.late = nil
	after := []Mapped{stays, came, late, golang, allocators, unfit, goLater}
	slices.SortFunc(after, byAddress)
	found := v.Settle(len(after), func(i int) Mapped { return after[i] }, func(i int, _, _ bool) bool { return after[i].Range != unfit.Range })
	half := Size{Resident: n / 2 * page}
	if got := v.Mapped[slices.IndexFunc(first, func(m Mapped) bool { return m.Call == 7 })]; got != (ByLine{Anonymous: half}) {
		t.Errorf("%+v", got)
	}
	for i, m := range after {
		want := m.Call == 100
		if got := found[i]; (got != nil) != want || want && *got != (ByLine{Anonymous: half}) {
			t.Errorf("%+v: %+v", m, got)
		}
	}
	for h, want := range map[holder]int64{programMap: 2, goMapped: 1, allocator: 1} {
		if got := v.of(h).Resident - before.of(h).Resident; got != want*half.Resident {
			t.Errorf("%d bytes of holder %d, want %d", got, h, want*half.Resident)
		}
	}
	if got := v.of(nobody).Resident - before.of(nobody).Resident; got < 4*half.Resident || v.Unsure || v.Late() {
		t.Errorf("%d bytes are nobody's; %+v", got, v.Unsure)
	}
}

func TestNothingIsPutOffIfNoCallWasRecorded(t *testing.T) {
	var memory scratch.Memory
	defer memory.Free()
	list := []Mapped{{Range: rangeOf(mapped(t, -1, 10, unix.MAP_PRIVATE|unix.MAP_ANON)), Call: 7}}
	v := Take(usage.Running, &Sources{Mapped: list, AsOf: 100, Calls: func() uint64 { return 100 }}, &memory)
	if v.Late() || v.Unsure || v.Mapped[0].Anonymous.Resident != 5*page {
		t.Errorf("%d parts, %v, %+v", len(v.late), v.Unsure, v.Mapped)
	}
}

// Every other page is resident, so each is a part of its own.
func TestPartsWithoutRoomAreAttributedByTheFirstList(t *testing.T) {
	var memory scratch.Memory
	defer memory.Free()
	list := []Mapped{{Range: rangeOf(mapped(t, -1, 2*lateParts+20, unix.MAP_PRIVATE|unix.MAP_ANON)), Call: 7}}
	v := Take(usage.Running, changing(list), &memory)
	if !v.Unsure || v.Mapped[0].Anonymous.Resident < 10*page || len(v.late) != lateParts {
		t.Errorf("%d parts, %v, %+v", len(v.late), v.Unsure, v.Mapped)
	}
	v.Settle(1, func(int) Mapped { return list[0] }, func(int, bool, bool) bool { return true })
	if got := v.Mapped[0].Anonymous.Resident; got != (lateParts+10)*page {
		t.Errorf("%d bytes, want %d", got, (lateParts+10)*page)
	}
}

// A part that nobody's call has remains a thread's stack.
func TestAPartStaysAThreadsStack(t *testing.T) {
	var memory scratch.Memory
	defer memory.Free()
	stack := rangeOf(mapped(t, -1, 10, unix.MAP_PRIVATE|unix.MAP_ANON))
	s := changing(nil)
	s.Stacks = []Stack{{Range: stack, Thread: 1 << 30}}
	v := Take(usage.Running, s, &memory)
	before := v.of(threadStack).Resident
	v.Settle(0, nil, nil)
	if got := v.of(threadStack).Resident - before; got < 5*page {
		t.Errorf("%d bytes", got)
	}
}
