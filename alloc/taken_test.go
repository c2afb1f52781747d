//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"debug/elf"
	"slices"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// families are functions whose addresses a program may take, one of a family or all of them.
var families = map[string]string{
	"malloc's":                 "malloc",
	"free's":                   "free",
	"those of malloc and free": "malloc free",
	"all of the family": "malloc free calloc realloc memalign aligned_alloc posix_memalign valloc malloc_usable_size malloc_trim " +
		"mmap munmap mremap sbrk",
}

// Where a program that is not position-independent takes a function's address, an entry in the program stands for the function, also
// for dlsym. It is no other allocator, and leads back to the hooks.
func TestProgramsThatTakeTheAddressOf(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-all runs it")
	}
	o := newObjects(t, "one")
	for about, names := range families {
		t.Run(about, func(t *testing.T) {
			o := objects{t, o.dir}
			var taken strings.Builder
			for name := range strings.FieldsSeq(names) {
				taken.WriteString("TAKE(" + name + ") ")
			}
			program := o.path("taken")
			o.build("gcc", "-O2", "-fno-pie", "-no-pie", "-DTAKEN="+taken.String(), "-o", program, "testdata/twice/main.c",
				"-Wl,--no-as-needed,-rpath,"+o.dir, o.path("libone.so"), "-ldl", "-lpthread")
			for name := range strings.FieldsSeq(names) {
				if !standsIn(t, program, name) {
					t.Errorf("no entry stands for %s", name)
				}
			}
			for _, environment := range [][]string{{"TWICE=functions"}, {"LD_BIND_NOW=1"}, {"TWICE=off"}} {
				out, err := o.run(environment, program, o.path("libone.so"))
				if err != nil || !strings.Contains(out, "one records\n") != slices.Contains(environment, "TWICE=off") {
					t.Errorf("%q: %v\n%s", environment, err, out)
				}
			}
		})
	}
}

// standsIn reports whether the program has an address for a function that it does not define.
func standsIn(t *testing.T, program, name string) bool {
	t.Helper()
	return slices.ContainsFunc(toolchain.DynamicSymbols(t, program), func(s elf.Symbol) bool {
		return s.Name == name && s.Section == elf.SHN_UNDEF && s.Value != 0
	})
}
