package account

import (
	"bytes"
	"testing"
)

const twoSums = `00400000-00405000 r-xp 00000000 fe:00 12                           /a: b kB
Size:                 20 kB
Rss:                  12 kB
Anonymous:             4 kB
AnonHugePages:         8 kB
Swap:                  8 kB
SwapPss:               4 kB
VmFlags: rd ex mr mw me
7fef40000000-7fef40021000 rw-p 00000000 00:00 0 
Rss:                   0 kB
`

func TestSumsAreTheFieldsOfSmaps(t *testing.T) {
	n := 0
	for s, err := range sums(mapsFile(t, twoSums)) {
		if err != nil {
			t.Fatal(err)
		}
		first := s.Range == Range{0x400000, 0x405000} && s.exec && string(s.name) == "/a: b kB" && s.resident == 12<<10 && s.anonymous == 4<<10 &&
			s.swapped == 8<<10
		second := s.Range == Range{0x7fef40000000, 0x7fef40021000} && s.resident == 0 && s.anonymous == 0 && s.swapped == 0 && len(s.name) == 0
		if n == 0 && !first || n == 1 && !second {
			t.Errorf("%d: %+v", n, s)
		}
		n++
	}
	if n != 2 {
		t.Errorf("%d mappings", n)
	}
}

// A mapping that grew after it was listed is listed again; its growth has what is new.
func TestSumsOfWhatIsListedAgain(t *testing.T) {
	text := "10000-20000 rw-p 00000000 00:00 0 \nRss: 40 kB\nAnonymous: 40 kB\nSwap: 8 kB\n" +
		"10000-28000 rw-p 00000000 00:00 0 \nRss: 52 kB\nAnonymous: 52 kB\nSwap: 4 kB\n" +
		"10000-2a000 rw-p 00000000 00:00 0 \nRss: 56 kB\nAnonymous: 56 kB\nSwap: 4 kB\n" +
		"18000-24000 rw-p 00000000 00:00 0 \nRss: 4 kB\n" +
		"20000-2c000 rw-p 00000000 00:00 0 \nRss: 48 kB\nAnonymous: 4 kB\n"
	want := []sum{{area{Range: Range{0x10000, 0x20000}}, 40 << 10, 40 << 10, 8 << 10}, {area{Range: Range{0x20000, 0x28000}}, 12 << 10, 12 << 10, 0},
		{area{Range: Range{0x28000, 0x2a000}}, 4 << 10, 4 << 10, 0}, {area{Range: Range{0x2a000, 0x2c000}}, 8 << 10, 4 << 10, 0}}
	n := 0
	for s, err := range sums(mapsFile(t, text)) {
		if err != nil {
			t.Fatal(err)
		}
		if n >= len(want) || s.Range != want[n].Range || s.resident != want[n].resident || s.anonymous != want[n].anonymous || s.swapped != want[n].swapped {
			t.Errorf("%d: %+v", n, s)
		}
		n++
	}
	if n < len(want) {
		t.Errorf("%d mappings", n)
	}
}

func TestSumsThatAreNoneAreErrors(t *testing.T) {
	for _, bad := range []string{"x\n", "10-20 r--p 0 0:0 0", twoSums + "Rss:", twoSums + "y z\n"} {
		var last error
		for s, err := range sums(mapsFile(t, bad)) {
			if last = err; err == nil && s.Limit == 0 {
				t.Errorf("%.20q: %+v", bad, s)
			}
		}
		if last == nil {
			t.Errorf("%.20q is no error", bad)
		}
	}
	for _, err := range sums("/no/such/file") {
		if err == nil {
			t.Error("a file that is not there is no error")
		}
	}
}

func FuzzSums(f *testing.F) {
	f.Add([]byte(twoSums))
	f.Fuzz(func(t *testing.T, text []byte) {
		for s, err := range sumsIn(bytes.NewReader(text)) {
			if err == nil && (s.Start >= s.Limit || s.resident < 0 || s.anonymous < 0 || s.swapped < 0) {
				t.Errorf("%q: %+v", text, s)
			}
		}
	})
}
