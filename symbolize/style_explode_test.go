package symbolize

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// long makes names of about a length that take the demangler long, each in its own way.
var long = map[string]func(length int) string{
	"deep pointers":  func(n int) string { return "_Z1f" + strings.Repeat("P", n) + "i" },
	"deep templates": func(n int) string { return "_Z1f" + strings.Repeat("1AI", n/4) + "i" + strings.Repeat("E", n/4) },
	"nested scopes":  func(n int) string { return "_Z" + strings.Repeat("Z", n/3) + "1fv" + strings.Repeat("E1a", n/3) },
	"conversions":    func(n int) string { return "_ZN1AcvT_I" + strings.Repeat("P", n) + "iEEv" },
	"nested conversions": func(n int) string {
		return "_ZN1A" + strings.Repeat("cvN1B", n/6) + "cvi" + strings.Repeat("E", n/6) + "Ev"
	},
	"a text twice as long": func(n int) string { return doubled("_Z1f1AIiiE", n, "1AI%[1]s%[1]sE", 1, 2) },
	"a tree that doubles":  func(n int) string { return doubled("_Z1fIiEvPFT_T_E", n, "F%[1]s%[1]sE", 2, 1) },
	"templates that double": func(n int) string {
		return doubled("_Z1fIJiiiEEv1AIT_T_E", n, "1AI%[1]s%[1]sE", 2, 2)
	},
	"a pack of a deep type": func(n int) string {
		return "_Z1fIJ" + strings.Repeat("i", n/2) + "EEvDp" + strings.Repeat("P", n/2) + "T_"
	},
	"many packs":   func(n int) string { return "_Z1fIJ" + strings.Repeat("i", n/2) + "EEv" + strings.Repeat("DpT_", n/8) },
	"nested packs": func(n int) string { return nestedPacks(n, n/16) },
	"plain packs in a pack": func(n int) string {
		return "_Z1fIJ" + strings.Repeat("i", n/3) + "EEvDpF" + strings.Repeat("DpT_", n/6) + "E"
	},
	"two packs": func(n int) string { return nestedPacks(n, 1) },
	"another letter for packs": func(n int) string {
		return strings.NewReplacer("IJ", "IiI", "T_", "T0_").Replace(nestedPacks(n, 2))
	},
}

// doubled appends parts that each use an earlier one twice: the one first + i*step, for the part i.
func doubled(name string, length int, part string, first, step int) string {
	for i := 0; len(name) < length; i++ {
		name += fmt.Sprintf(part, reference(first+i*step))
	}
	return name
}

// reference is the use of an earlier part: S_, S0_, …
func reference(index int) string {
	if index == 0 {
		return "S_"
	}
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	text := ""
	for index--; text == "" || index > 0; index /= 36 {
		text = digits[index%36:index%36+1] + text
	}
	return "S" + text + "_"
}

func nestedPacks(length, depth int) string {
	return "_Z1fIJ" + strings.Repeat("i", length/3) + "EEvDp" + strings.Repeat("FT_Dp", depth) + strings.Repeat("P", length/3) +
		"T_" + strings.Repeat("E", depth)
}

func TestNamesThatExplodeStayAsTheLinkerHasThem(t *testing.T) {
	for about, name := range long {
		mangled := name(6000)
		if strings.Contains(about, "pack") || strings.Contains(about, "double") {
			short := name(64)
			mangled = name(900 / max(1, strings.Count(short, "T_")-strings.Count(short, "DpT_"))) // without limits, some take seconds already
		}
		for style := Templates; style < Mangled; style++ {
			var got string
			bytes := allocated(func() { got = style.readable(mangled) })
			if got != mangled || bytes > 1<<20 {
				t.Errorf("%s: %d bytes allocated for a name of %d, %.40s", about, bytes, len(mangled), got)
			}
		}
	}
}

// The limits are no wider than they must be: what is below them ends soon and takes little.
func TestNamesBelowTheLimitsTakeBoundedMemory(t *testing.T) {
	for about, name := range long {
		for _, length := range []int{100, 240, 340, 3900} {
			if bytes := allocated(func() { Full.readable(name(length)) }); bytes > 1<<29 {
				t.Errorf("%s: %d bytes allocated for a name of %d", about, bytes, length)
			}
		}
	}
}

func TestNamesOfRealProgramsAreDemangled(t *testing.T) {
	for _, mangled := range append(usual, longNames...) {
		for style := Templates; style < Mangled; style++ {
			if got := style.readable(mangled); got == mangled {
				t.Errorf("%s stayed as it is", mangled)
			}
		}
	}
}

func FuzzDemanglingIsBounded(f *testing.F) {
	for _, mangled := range append(append(usual, unusual...), longNames...) {
		f.Add(mangled)
	}
	for _, name := range long {
		f.Add(name(64))
	}
	f.Fuzz(func(t *testing.T, mangled string) {
		for style := Templates; style < Mangled; style++ {
			var got string
			bytes := allocated(func() { got = style.readable(mangled) })
			if bytes > 1<<29 || got == "" && mangled != "" || got != mangled && len(got) >= 1<<readableShift+len("::h0123456789abcdef") {
				t.Errorf("%q: %d bytes allocated, %d of them the name", mangled, bytes, len(got))
			}
		}
	})
}

func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
