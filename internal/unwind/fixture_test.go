package unwind

import (
	"debug/elf"
	"os"
	"path/filepath"
	"testing"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// fixture compiles C into a shared library and returns its rows, which have been compared with what readelf says.
func fixture(t *testing.T, c toolchain.Toolchain, source string, flags ...string) (string, *Table) {
	t.Helper()
	dir := t.TempDir()
	from, file := filepath.Join(dir, "fixture.c"), filepath.Join(dir, "fixture.so")
	if err := os.WriteFile(from, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	flags = append([]string{"-O2", "-fomit-frame-pointer", "-fPIC", "-shared", "-nostdlib", "-o", file, from}, flags...)
	c.Build(t, "gcc", flags...)
	table, report := build(t, open(t, file))
	if report.Skipped != [reasons]int{} {
		t.Errorf("FDEs skipped: %v", report.Skipped)
	}
	agreeAll(t, table, readelf(t, c, file))
	return file, table
}

// rulesOf returns a function's rules, address by address.
func rulesOf(t *testing.T, file string, table *Table, function string) []Rule {
	t.Helper()
	var rules []Rule
	for _, s := range toolchain.Symbols(t, file) {
		for pc := s.Value; s.Name == function && pc < s.Value+s.Size; pc++ {
			rules = append(rules, table.Lookup(pc))
		}
	}
	if rules == nil {
		t.Fatalf("no code of %s", function)
	}
	return rules
}

// wantRule fails the test if none of the rules is the wanted one.
func wantRule(t *testing.T, rules []Rule, want Rule) {
	t.Helper()
	for _, r := range rules {
		if r == want {
			return
		}
	}
	t.Errorf("no address has %+v\nbut there are %+v", want, rules)
}

// fpFrame is a frame of that many bytes with its CFA at the frame pointer, and {fp, return address} at its one end or the
// other: amd64 pushes them first, arm64 stores them last.
func fpFrame(c toolchain.Toolchain, size int32) Rule {
	if c.Machine == elf.EM_X86_64 {
		return Rule{CFA: CFAFromFP, CFAOffset: 16, FP: FPFromCFA, FPOffset: -16, RAOffset: -8}
	}
	return Rule{CFA: CFAFromFP, CFAOffset: size, FP: FPFromCFA, FPOffset: -size, RAOffset: 8 - size}
}

func TestFixtures(t *testing.T) {
	onEach(t, "a function with alloca counts from the frame pointer", func(t *testing.T, c toolchain.Toolchain) {
		file, table := fixture(t, c, `
			void sink(void *);
			void dynamic(int n) { sink(__builtin_alloca(n)); }`)
		wantRule(t, rulesOf(t, file, table, "dynamic"), fpFrame(c, 16))
	})
	onEach(t, "a call that does not return has a rule at the last byte of its function", func(t *testing.T, c toolchain.Toolchain) {
		file, table := fixture(t, c, `
			void die(void) __attribute__((noreturn));
			__attribute__((aligned(16))) void last(void) { die(); }`)
		rules := rulesOf(t, file, table, "last")
		want := Rule{CFA: CFAFromSP, CFAOffset: 16, RAOffset: -8}
		if c.Machine == elf.EM_AARCH64 {
			want.RAOffset = -16 // alone, where the stack pointer is
		}
		if got := rules[len(rules)-1]; got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	})
}

func TestFixturesOfAMD64(t *testing.T) {
	c := toolchain.All[0]
	t.Run("a function that realigns its stack counts from the frame pointer", func(t *testing.T) {
		file, table := fixture(t, c, `
			void sink(void *);
			void realigned(void) { char a[64] __attribute__((aligned(64))); sink(a); }`)
		wantRule(t, rulesOf(t, file, table, "realigned"), fpFrame(c, 16))
	})
	t.Run("a function that realigns below arguments in memory finds CFA and frame pointer by expressions", func(t *testing.T) {
		file, table := fixture(t, c, `
			void sink(void *, int);
			void drap(int a, int b, int c, int d, int e, int f, int g) {
				char x[64] __attribute__((aligned(64)));
				char *y = __builtin_alloca(a);
				sink(x, g);
				sink(y, g);
			}`)
		rules := rulesOf(t, file, table, "drap")
		wantRule(t, rules, Rule{CFA: CFADerefFP, CFAOffset: -16, FP: FPFromFP, RAOffset: -8})
		wantRule(t, rules, Rule{CFA: CFAUnknown})
	})
	t.Run("a lazy PLT entry has pushed 8 more bytes from a fixed address on", func(t *testing.T) {
		_, table := fixture(t, c, `void out(void); void call(void) { out(); out(); }`, "-Wl,-z,lazy", "-fcf-protection=none")
		wantRule(t, table.Set, Rule{CFA: CFAPLT, CFAOffset: 8, CFAExtra: 11, RAOffset: -8})
	})
	t.Run("a PLT entry that starts with endbr64 has pushed 8 more bytes two bytes earlier", func(t *testing.T) {
		_, table := fixture(t, c, `void out(void); void call(void) { out(); out(); }`, "-Wl,-z,lazy,-z,ibtplt")
		wantRule(t, table.Set, Rule{CFA: CFAPLT, CFAOffset: 8, CFAExtra: 9, RAOffset: -8})
	})
}

func TestFixturesOfARM64(t *testing.T) {
	c := toolchain.All[1]
	t.Run("a function that calls nothing has its return address in the link register", func(t *testing.T) {
		file, table := fixture(t, c, `int leaf(int n) { return n * 3; }`)
		for _, rule := range rulesOf(t, file, table, "leaf") {
			wantRules(t, []Rule{rule}, Rule{CFA: CFAFromSP, RA: RAFromLR})
		}
	})
	t.Run("a return address that is signed lies where an unsigned one does", func(t *testing.T) {
		const source = `void out(void); void call(void) { out(); out(); }`
		file, table := fixture(t, c, source, "-march=armv8.3-a", "-mbranch-protection=pac-ret+leaf")
		plainFile, plain := fixture(t, c, source)
		signed := rulesOf(t, file, table, "call")
		for _, rule := range rulesOf(t, plainFile, plain, "call") {
			wantRule(t, signed, rule)
		}
	})
}
