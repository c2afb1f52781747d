package dwarf

import (
	"sync/atomic"
	"testing"
)

// Both ways to read an entry are asked for every entry of programs.
func TestEntriesInTheWindowAreReadAsAnywhere(t *testing.T) {
	for i, flags := range [][]string{{"-g", "-O2"}, {"-g", "-O2", "-gdwarf-4"}, {"-g", "-O0", "-gdwarf-2", "-gstrict-dwarf"}} {
		if testing.Short() && i > 0 {
			t.Skip("long: make test-all runs it")
		}
		data, err := Open(program(t, compile(t, "g++", "shapes.cc", flags...)))
		if err != nil {
			t.Fatal(err)
		}
		defer data.Close()
		r := newReader(new(atomic.Int64))
		all, quick := 0, 0
		for i := range data.file.units {
			u := newUnit(data.file, &data.file.units[i])
			if !r.takeTable(u) {
				t.Fatal("no abbreviations")
			}
			a, q := readBothWays(t, r, u)
			all, quick = all+a, quick+q
		}
		if t.Logf("%d of %d entries in the window", quick, all); quick < all*9/10 {
			t.Errorf("only %d of %d entries were read in the window", quick, all)
		}
	}
}

func readBothWays(t *testing.T, r *reader, u *unit) (all, quick int) {
	t.Helper()
	c := &r.cursors[secInfo]
	c.open(&u.file.sections[secInfo], u.entries, u.end)
	for c.offset() < u.end {
		var want, got entry
		start := c.offset()
		if !want.nextAnywhere(c, u) {
			t.Fatalf("no entry at %#x", start)
		}
		end := c.offset()
		c.seek(start)
		if all++; got.nextInWindow(c, u) {
			if quick++; want != got || c.offset() != end {
				t.Fatalf("the entry at %#x: %+v up to %#x, want %+v up to %#x", start, got, c.offset(), want, end)
			}
		}
		c.seek(end)
	}
	return all, quick
}
