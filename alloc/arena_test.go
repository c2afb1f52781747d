//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import "testing"

func TestArena(t *testing.T) {
	start(t, everything) // for a region

	t.Run("a retired part is used again only once the gate has settled", func(t *testing.T) {
		var a arena
		old := reserve(t, &a, 1000)
		a.retire(old)
		if e := reserve(t, &a, 1000); e.offset == old.offset {
			t.Error("it was used again at once")
		}
		a.settled()
		if e := reserve(t, &a, 1000); e.offset != old.offset {
			t.Errorf("it was not used again: %v, then %v", old, e)
		}
		a.settled()
		if e := reserve(t, &a, 1000); e.offset == old.offset {
			t.Error("it was used twice")
		}
	})

	t.Run("the tightest free part is used, and the rest of it stays free", func(t *testing.T) {
		var a arena
		large, small := reserve(t, &a, 100_000), reserve(t, &a, 1000)
		a.retire(large)
		a.retire(small)
		a.settled()
		first, second := reserve(t, &a, 100), reserve(t, &a, 100)
		if first.offset != small.offset || second.offset != small.offset+uint64(first.size) {
			t.Errorf("%v and %v are not the beginning of %v", first, second, small)
		}
		if e := reserve(t, &a, 100_000); e != large {
			t.Errorf("%v was taken, not %v", e, large)
		}
	})
}

func TestParts(t *testing.T) {
	start(t, everything)

	t.Run("parts do not overlap, and begin at multiples of 64", func(t *testing.T) {
		var a arena
		var taken []extent
		for size := 1; size < 5000; size += 37 {
			e := reserve(t, &a, size)
			if e.size < size || e.offset%64 != 0 {
				t.Fatalf("%d bytes: %v", size, e)
			}
			for _, other := range taken {
				if e.offset < other.offset+uint64(other.size) && other.offset < e.offset+uint64(e.size) {
					t.Fatalf("%v overlaps %v", e, other)
				}
			}
			if taken = append(taken, e); size%3 == 0 {
				a.retire(taken[len(taken)/2])
				taken = append(taken[:len(taken)/2], taken[len(taken)/2+1:]...)
				a.settled()
			}
		}
	})

	t.Run("more than the tables hold is refused, and something smaller is still given", func(t *testing.T) {
		var a arena
		if e, err := a.reserve(int(everything.TableBytes)); err == nil {
			t.Errorf("%v was given", e)
		}
		reserve(t, &a, 1000)
	})
}

func reserve(t *testing.T, a *arena, size int) extent {
	t.Helper()
	e, err := a.reserve(size)
	if err != nil {
		t.Fatal(err)
	}
	return e
}
