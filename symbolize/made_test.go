package symbolize

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func wantsOf(addresses ...uint64) []madeWant {
	wants := make([]madeWant, len(addresses))
	for i, a := range addresses {
		wants[i].address = a
	}
	return wants
}

func namesOf(wants []madeWant) (names []string) {
	for _, w := range wants {
		names = append(names, string(w.name))
	}
	return names
}

func TestNamesOfAPerfMap(t *testing.T) {
	for about, c := range map[string]struct {
		text string
		want string // the name of 0x1005
	}{
		"a line":                                {"1000 10 first\n", "first"},
		"with prefixes, as some runtimes write": {"0x1000 0x10 first\n", "first"},
		"a name with spaces":                    {"1000 10 LazyCompile:~f a b.js:1:2\n", "LazyCompile:~f a b.js:1:2"},
		"the later line wins":                   {"1000 10 first\n1004 2 second\n", "second"},
		"the earlier line keeps the rest":       {"1000 10 first\n1006 2 second\n", "first"},
		"half a line at the end":                {"1000 10 first\n1004 2 sec", "first"},
		"lines that are none":                   {"x\n\n1000\n1000 10\n1000 10 \nzz 10 f\n1000 zz f\n1000 10 first\n", "first"},
		"a size beyond all addresses":           {"1000 ffffffffffffffff f\n", ""},
		"code of no bytes":                      {"1005 0 f\n", ""},
		"code that ends just before":            {"1000 5 f\n", ""},
		"control characters and no UTF-8":       {"1000 10 a\x1b[1m\xffb\n", "a?[1m?b"},
		"a long line is cut":                    {"1000 10 " + strings.Repeat("a", 3*perfLine) + "\n1000 10 b\n", "b"},
		"a long name is cut":                    {"1000 10 " + strings.Repeat("a", 3*perfLine) + "\n", strings.Repeat("a", perfName)},
		"a long line without an end":            {"1000 10 f\n1000 10 " + strings.Repeat("a", 3*perfLine), "f"},
		"more claims than anybody makes":        {strings.Repeat("1000 10 f\n", perfClaims+2), ""},
	} {
		t.Run(about, func(t *testing.T) {
			wants := wantsOf(0x1005)
			readPerfMap(strings.NewReader(c.text), wants)
			if got := string(wants[0].name); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}

	t.Run("are what the slow road finds", func(t *testing.T) {
		random := rand.New(rand.NewPCG(3, 4))
		var text strings.Builder
		slow := make(map[uint64]string)
		for i := range 3000 {
			start, size := uint64(random.IntN(1000)), uint64(random.IntN(20))
			fmt.Fprintf(&text, "%x %x f%d\n", start, size, i)
			for a := start; a < start+size; a++ {
				slow[a] = fmt.Sprint("f", i)
			}
		}
		var addresses []uint64
		for a := range uint64(1100) {
			addresses = append(addresses, a)
		}
		wants := wantsOf(addresses...)
		readPerfMap(strings.NewReader(text.String()), wants)
		for i, name := range namesOf(wants) {
			if name != slow[addresses[i]] {
				t.Fatalf("%#x: %q, want %q", addresses[i], name, slow[addresses[i]])
			}
		}
	})
}

func FuzzPerfMap(f *testing.F) {
	f.Add("1000 10 first\n1004 2 second\n", uint64(0x1005))
	f.Add("0x1000 0x10 a b\n1004", uint64(0x1000))
	f.Fuzz(func(t *testing.T, text string, address uint64) {
		wants := wantsOf(address, address|0xff)
		readPerfMap(strings.NewReader(text), wants)
		for _, name := range namesOf(wants) {
			if len(name) > 3*perfName || strings.ContainsAny(name, "\n\x1b\x00") {
				t.Fatalf("%q", name)
			}
		}
	})
}
