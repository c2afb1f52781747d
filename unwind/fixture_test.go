package unwind

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// fixture compiles C into a shared library and gives its rows, which have been compared with what readelf says.
func fixture(t *testing.T, source string, flags ...string) (string, *Table) {
	t.Helper()
	dir := t.TempDir()
	from, file := filepath.Join(dir, "fixture.c"), filepath.Join(dir, "fixture.so")
	if err := os.WriteFile(from, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("gcc, which compiles the fixtures, is not installed")
	}
	flags = append([]string{"-O2", "-fomit-frame-pointer", "-fPIC", "-shared", "-nostdlib", "-o", file, from}, flags...)
	if out, err := exec.Command("gcc", flags...).CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	table, report := build(t, open(t, file))
	if report.Skipped != [reasons]int{} {
		t.Errorf("FDEs skipped: %v", report.Skipped)
	}
	agreeAll(t, table, readelf(t, file))
	return file, table
}

// rulesOf gives a function's rules, address by address.
func rulesOf(t *testing.T, file string, table *Table, function string) []Rule {
	t.Helper()
	f, err := elf.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	var rules []Rule
	for _, s := range symbols {
		for pc := s.Value; s.Name == function && pc < s.Value+s.Size; pc++ {
			rules = append(rules, table.Lookup(pc))
		}
	}
	if rules == nil {
		t.Fatalf("no code of %s", function)
	}
	return rules
}

// wantRule tells when none of the rules is the one that is looked for.
func wantRule(t *testing.T, rules []Rule, want Rule) {
	t.Helper()
	for _, r := range rules {
		if r == want {
			return
		}
	}
	t.Errorf("no address has %+v\nbut there are %+v", want, rules)
}

func TestFixtures(t *testing.T) {
	t.Run("a function that realigns its stack counts from the frame pointer", func(t *testing.T) {
		file, table := fixture(t, `
			void sink(void *);
			void realigned(void) { char a[64] __attribute__((aligned(64))); sink(a); }`)
		wantRule(t, rulesOf(t, file, table, "realigned"),
			Rule{CFA: CFAFromFP, CFAOffset: 16, FP: FPFromCFA, FPOffset: -16, RAOffset: -8})
	})
	t.Run("a function that realigns below arguments in memory finds CFA and frame pointer by expressions", func(t *testing.T) {
		file, table := fixture(t, `
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
	t.Run("a function with alloca counts from the frame pointer", func(t *testing.T) {
		file, table := fixture(t, `
			void sink(void *);
			void dynamic(int n) { sink(__builtin_alloca(n)); }`)
		wantRule(t, rulesOf(t, file, table, "dynamic"),
			Rule{CFA: CFAFromFP, CFAOffset: 16, FP: FPFromCFA, FPOffset: -16, RAOffset: -8})
	})
	t.Run("a call that does not return has a rule at the last byte of its function", func(t *testing.T) {
		file, table := fixture(t, `
			void die(void) __attribute__((noreturn));
			__attribute__((aligned(16))) void last(void) { die(); }`)
		rules := rulesOf(t, file, table, "last")
		if got, want := rules[len(rules)-1], (Rule{CFA: CFAFromSP, CFAOffset: 16, RAOffset: -8}); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	})
	t.Run("a lazy PLT entry has pushed 8 more bytes from a fixed address on", func(t *testing.T) {
		_, table := fixture(t, `void out(void); void call(void) { out(); out(); }`, "-Wl,-z,lazy", "-fcf-protection=none")
		wantRule(t, table.Set, Rule{CFA: CFAPLT, CFAOffset: 8, CFAExtra: 11, RAOffset: -8})
	})
	t.Run("a PLT entry that starts with endbr64 has pushed 8 more bytes two bytes earlier", func(t *testing.T) {
		_, table := fixture(t, `void out(void); void call(void) { out(); out(); }`, "-Wl,-z,lazy,-z,ibtplt")
		wantRule(t, table.Set, Rule{CFA: CFAPLT, CFAOffset: 8, CFAExtra: 9, RAOffset: -8})
	})
}
