package account

import (
	"slices"
	"testing"
)

// Two roads: every page of an area is asked for alone.
func TestPiecesOfAnAreaAreWhatEachPageIs(t *testing.T) {
	const unit = arenaBytes
	a := area{Range: Range{5*unit + 100*4096, 8*unit + 3*4096}}
	for _, threads := range [][]uint64{nil, {a.Start + 4096}, {1, a.Start, 6*unit - 1, 7*unit + 5, a.Limit - 1, a.Limit}} {
		w := walk{threads: threads}
		stacks := (&walk{threads: threads}).stacksIn(&a)
		w.cut(&a)
		if len(w.pieces) == 0 || w.pieces[0].Start != a.Start || w.pieces[len(w.pieces)-1].Limit != a.Limit {
			t.Fatalf("%+v", w.pieces)
		}
		for at := a.Start; at < a.Limit; at += 4096 {
			var in []piece
			for _, p := range w.pieces {
				if p.Start <= at && at < p.Limit {
					in = append(in, p)
				}
			}
			stack := slices.ContainsFunc(stacks, func(s Range) bool { return s.Start <= at && at < s.Limit })
			if len(in) != 1 || in[0].stack != stack || in[0].arena {
				t.Fatalf("%v: %#x lies in %+v, and in a stack: %v", threads, at, in, stack)
			}
		}
	}
}

func TestGroupsAreAreasThatAreLookedUpAlike(t *testing.T) {
	named := func(start uint64, name string) area { return area{Range: Range{start, start + 1}, name: []byte(name)} }
	list := []area{named(1, ""), named(2, "[heap]"), named(3, "/a"), named(4, "/memfd:x"), named(5, ""), named(6, "/anon_hugepage (deleted)"),
		named(7, ""), named(1<<63, "[vsyscall]")}
	var got [][]uint64
	for group := range groups(list) {
		var starts []uint64
		for _, a := range group {
			starts = append(starts, a.Start)
		}
		got = append(got, starts)
	}
	want := [][]uint64{{1, 2}, {3, 4}, {5}, {7}}
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%v, want %v", got, want)
	}
}

// An owner with precedence has the page, whoever else claims it.
func TestHoldersOfAPiece(t *testing.T) {
	for _, c := range []struct {
		piece
		claim *claim
		want  holder
	}{
		{piece{}, nil, nobody}, {piece{stack: true}, nil, threadStack}, {piece{arena: true}, nil, goArena},
		{piece{arena: true, stack: true}, nil, goArena},
		{piece{arena: true}, &claim{holder: profiler}, profiler}, {piece{arena: true}, &claim{holder: segment}, goArena},
		{piece{arena: true}, &claim{holder: programMap}, goArena}, {piece{stack: true}, &claim{holder: programMap}, programMap},
	} {
		if got := c.holder(c.claim); got != c.want {
			t.Errorf("%+v, %+v: %d, want %d", c.piece, c.claim, got, c.want)
		}
	}
}
