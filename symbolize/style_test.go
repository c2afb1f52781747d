package symbolize

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func TestEachLanguageIsDemangledInEachStyle(t *testing.T) {
	for _, c := range []struct{ mangled, templates, short, full string }{
		{ // C++
			"_ZNSt6vectorIiSaIiEE9push_backERKi.isra.0",
			"std::vector<int, std::allocator<int> >::push_back", "std::vector::push_back",
			"std::vector<int, std::allocator<int> >::push_back(int const&)",
		},
		{ // Rust, legacy
			"_ZN5alloc7raw_vec19RawVec$LT$T$C$A$GT$8grow_one17h0ad2f0a6d0f1b3c4E",
			"alloc::raw_vec::RawVec<T,A>::grow_one", "alloc::raw_vec::RawVec<T,A>::grow_one",
			"alloc::raw_vec::RawVec<T,A>::grow_one::h0ad2f0a6d0f1b3c4",
		},
		{
			"_ZN4core3fmt5write17h01d1bb2a5a5c0a7fE.llvm.8834",
			"core::fmt::write", "core::fmt::write", "core::fmt::write::h01d1bb2a5a5c0a7f",
		},
		{ // Rust, v0
			"_RNvMs3_NtCslNYArtu3iFV_5alloc7raw_vecINtB5_6RawVecyE8grow_oneCs4Q2Qx8jI5j6_1a",
			"<alloc::raw_vec::RawVec<u64>>::grow_one", "<alloc::raw_vec::RawVec<>>::grow_one",
			"<alloc::raw_vec::RawVec<u64>>::grow_one",
		},
		{
			"_RNvXCs4Q2Qx8jI5j6_1aINtB2_5CacheyENtB2_4Grow4growB2_",
			"<a::Cache<u64> as a::Grow>::grow", "<a::Cache<> as a::Grow>::grow", "<a::Cache<u64> as a::Grow>::grow",
		},
		// none of them, D included
		{"_D3foo3barFiZv", "_D3foo3barFiZv", "_D3foo3barFiZv", "_D3foo3barFiZv"},
		{"_Dmain", "_Dmain", "_Dmain", "_Dmain"},
		{"malloc", "malloc", "malloc", "malloc"},
		{"_DYNAMIC", "_DYNAMIC", "_DYNAMIC", "_DYNAMIC"},
		{"_ZN", "_ZN", "_ZN", "_ZN"},
		// glibc's own
		{"__GI_getaddrinfo", "getaddrinfo", "getaddrinfo", "getaddrinfo"},
		{"__GI___strdup", "__strdup", "__strdup", "__strdup"},
	} {
		for style, want := range map[Style]string{Templates: c.templates, Short: c.short, Full: c.full, Mangled: c.mangled} {
			if got := style.readable(c.mangled); got != want {
				t.Errorf("style %d of %s\n got  %s\n want %s", style, c.mangled, got, want)
			}
		}
	}
}

const rustProgram = `
use std::collections::HashMap;
struct Cache<T> { items: HashMap<String, Vec<T>> }
trait Grow { fn grow(&mut self, n: usize); }
impl<T: Clone + Default> Grow for Cache<T> {
    #[inline(never)] fn grow(&mut self, n: usize) {
        for i in 0..n { self.items.entry(format!("{i}")).or_default().push(T::default()); }
    }
}
fn main() { Cache::<u64> { items: HashMap::new() }.grow(std::env::args().count()); }
`

func TestNamesOfARustProgramAreDemangledAsByBinutils(t *testing.T) {
	program := t.TempDir() + "/program"
	compile := exec.Command("rustc", "-g", "-O", "-o", program, "-")
	compile.Stdin = strings.NewReader(rustProgram)
	if output, err := compile.CombinedOutput(); err != nil {
		t.Skipf("%v: %s", err, output)
	}
	plain, err := exec.Command("nm", "--defined-only", program).Output()
	if err != nil {
		t.Skip(err)
	}
	second, err := exec.Command("nm", "--defined-only", "--demangle=rust", program).Output()
	if err != nil {
		t.Skip(err)
	}
	compareRust(t, strings.Split(string(plain), "\n"), strings.Split(string(second), "\n"))
}

// The demangler that we use gets names wrong whose right form has one of these parts: closures and constants are numbered in the
// wrong order, or not read if digits follow; the unit type is lost; so is one of two leading underscores.
var demanglerFaults = []string{"{closure#", "{K#", "()", "::__"}

func isDemanglerFault(want string) bool {
	return slices.ContainsFunc(demanglerFaults, func(part string) bool { return strings.Contains(want, part) })
}

// compareRust leaves out the hashes and clones, which binutils shows in places.
func compareRust(t *testing.T, mangled, demangled []string) {
	t.Helper()
	compared, faults := 0, 0
	for i, line := range mangled {
		fields := strings.SplitN(line, " ", 3)
		if len(fields) < 3 || !strings.HasPrefix(fields[2], "_R") && rustHash(fields[2]) == "" {
			continue
		}
		want, _, _ := strings.Cut(strings.SplitN(demangled[i], " ", 3)[2], " (.llvm")
		want = strings.TrimSuffix(want, rustHash(fields[2]))
		want, _, _ = strings.Cut(want, ".llvm.")
		compared++
		if got := Templates.readable(fields[2]); got != want {
			if faults++; !isDemanglerFault(want) {
				t.Errorf("%s\n got  %s\n want %s", fields[2], got, want)
			}
		}
	}
	t.Logf("%d names, %d known faults", compared, faults)
	if compared < 100 || faults > compared/50 {
		t.Errorf("%d names, %d known faults", compared, faults)
	}
}

func TestPanicOfADemanglerLeavesTheNameAsItIs(t *testing.T) {
	before := demangler
	t.Cleanup(func() { demangler = before })
	demangler = func(s Style, mangled string) string {
		if mangled == "_ZN1a1bEv" {
			panic("boom")
		}
		return before(s, mangled)
	}
	n := newNames(Mangled, &store{})
	n.needLocal("_ZN1a1bEv")
	n.needLocal("_ZN1a1cEv")
	n.demangle()
	if got := n.bare["_ZN1a1bEv"]; got != "_ZN1a1bEv" {
		t.Errorf("%q", got)
	}
	if got := n.bare["_ZN1a1cEv"]; got != "a::c" {
		t.Errorf("%q", got)
	}
	n = newNames(Short, &store{})
	n.need("_ZN1a1bEv")
	n.need("_ZN1a1cEv")
	n.demangle()
	if got := n.readable["_ZN1a1bEv"]; got != "_ZN1a1bEv" {
		t.Errorf("%q", got)
	}
	if got := n.readable["_ZN1a1cEv"]; got != "a::c" {
		t.Errorf("%q", got)
	}
}

func TestANameParsedOnceReadsAsIfParsedForEachStyle(t *testing.T) {
	parsed := 0
	for _, mangled := range slices.Concat(usual, unusual, longNames) {
		for _, style := range []Style{Full, Mangled} {
			readable, bare := style.readableAndBare(mangled)
			if want := style.readable(mangled); readable != want {
				t.Errorf("style %d of %s is %s, want %s", style, mangled, readable, want)
			}
			if want := Short.readable(mangled); bare != want {
				t.Errorf("%s is %s without arguments, want %s", mangled, bare, want)
			}
			if style == Full && bare != mangled && strings.HasSuffix(readable, ")") {
				parsed++
			}
		}
	}
	if parsed < 20 {
		t.Errorf("only %d names have parameters", parsed)
	}
}
