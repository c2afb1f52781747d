package cgo

import (
	"debug/elf"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// Exported functions that neither allocate nor free blocks of the program, or work on heaps, which are left out (family_brought.h).
const (
	neither = `^(mallctl.*|malloc_(conf|message|stats|stats_print|size|usable_size|good_size)|[ns]allocx|mallinfo|mallopt|(query|set)_new_mode|version)$`
	noBlock = `^(is_|heap_|arena_|option_|process_|thread_|stats_|register_|reserve_|manage_|debug_|check_|(malloc_)?(good|usable)_size$|collect$|wdupenv_s$)`
)

// A library of Debian's exports the functions of its allocator, with a prefix or under malloc's names.
func TestFamiliesHaveWhatTheirAllocatorsExport(t *testing.T) {
	for _, c := range []struct{ family, library, debian, exported string }{
		{"jemalloc", "libjemalloc.so.2", "libjemalloc2", `^([a-z_]+)$`},
		{"mimalloc", "libmimalloc.so.2", "libmimalloc2.0", `^mi_(\w+)$`},
		{"tcmalloc", "libtcmalloc_minimal.so.4", "libtcmalloc-minimal4", `^tc_(\w+)$`},
	} {
		t.Run(c.family, func(t *testing.T) {
			found, _ := filepath.Glob("/usr/lib/*/" + c.library)
			if len(found) == 0 {
				t.Skipf("needs %s (Debian: %s)", c.library, c.debian)
			}
			all := broughtFamilies(t)
			b := all[slices.IndexFunc(all, func(b brought) bool { return b.name == c.family })]
			functions, exported := b.functions(t), exports(t, found[0], c.exported)
			if len(exported) < 10 {
				t.Fatalf("%s exports only %q", found[0], exported)
			}
			for _, name := range exported {
				if !slices.Contains(functions, name) && !regexp.MustCompile(neither+"|"+noBlock).MatchString(name) {
					t.Errorf("%s of %s has no row in %s", name, found[0], b.rows)
				}
			}
		})
	}
}

// exports returns what a library defines for others under names of a pattern, whose group it returns.
func exports(t *testing.T, path, pattern string) (names []string) {
	t.Helper()
	for _, s := range toolchain.DynamicSymbols(t, path) {
		match := regexp.MustCompile(pattern).FindStringSubmatch(s.Name)
		if match != nil && s.Section != elf.SHN_UNDEF && elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			names = append(names, match[1])
		}
	}
	return names
}

func TestFamiliesThatLibrariesBringHaveEachFunctionOnce(t *testing.T) {
	for _, b := range broughtFamilies(t) {
		functions := b.functions(t)
		slices.Sort(functions)
		if unique := slices.Compact(slices.Clone(functions)); len(unique) != len(functions) {
			t.Errorf("%s has a function twice: %q", b.rows, functions)
		}
		for _, name := range b.needed {
			if !slices.Contains(functions, name) {
				t.Errorf("%s needs %s, which %s does not have", b.name, name, b.rows)
			}
		}
	}
}
