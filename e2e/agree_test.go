package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

// Go frames are left out: their names come from the runtime, whose line table differs from DWARF's on purpose.
func inC(t *testing.T, r run) []*profile.Location {
	t.Helper()
	code := goCode(t, r.executable)
	var all []*profile.Location
	for _, location := range r.profile.Location {
		if _, err := os.Stat(fileOf(location)); err != nil { // the vdso
			continue
		}
		if fileOf(location) != r.executable || !code.has(location.Address) {
			all = append(all, location)
		}
	}
	if len(all) < 100 {
		t.Errorf("only %d locations in C and C++", len(all))
	}
	return all
}

// Only these kinds of differences exist. A library without static symbols has names from dynamic ones, which addr2line does
// not read. In code that cgo generates, addr2line takes file 1 of the line table for file 0, which is the same only if a
// unit does not begin with a #line.
func TestAddr2lineAgreesOnFunctionFileAndLine(t *testing.T) {
	long(t)
	r := plain.exact(t)
	tools, tables := make(map[string]*addr2line), make(map[string]symbolTable)
	for _, location := range inC(t, r) {
		file := fileOf(location)
		if tools[file] == nil {
			tools[file], tables[file] = newAddr2line(t, readable(t, r, file)), symbols(t, file)
		}
		got, want := positions(location), tools[file].positions(t, location.Address)
		if want == nil {
			want = bySymbol(got, tables[file].names(location.Address))
		}
		if !slices.EqualFunc(got, want, samePosition) {
			t.Errorf("%#x of %s:\ngot  %v\nwant %v", location.Address, file, got, want)
		}
	}
}

// bySymbol returns the only position of got if its function is among names, which are all equally right; otherwise the first
// name's.
func bySymbol(got []position, names []string) []position {
	if len(names) == 0 {
		return nil
	}
	if len(got) == 1 && slices.Contains(names, got[0].function) {
		return []position{{function: got[0].function}}
	}
	return []position{{function: names[0]}}
}

// samePosition allows for addr2line's ?? where there is no file, and for one address with two names, clone3 and __clone3.
func samePosition(got, want position) bool {
	if want.file == "??" {
		want.file = ""
	}
	if strings.TrimLeft(got.function, "_") == strings.TrimLeft(want.function, "_") {
		want.function = got.function
	}
	if filepath.Base(got.file) == "cgo-gcc-prolog" && strings.HasSuffix(want.file, ".cgo2.c") {
		want.file = got.file
	}
	return got == want
}

// readable returns a file with the same code that addr2line reads as the profiler does. Up to binutils 2.40 at least, it
// loses all lines, C's too, when the first unit is Go's in DWARF 5. Both find separate debug files of libraries.
func readable(t *testing.T, r run, file string) string {
	t.Helper()
	if file != r.executable {
		return file
	}
	twin := dwarf4.executable(t)
	sameCode(t, file, twin)
	return twin
}

// The same for the other builds, by means that need no other build: lines by debug/dwarf, functions by symbols.
func TestLineTablesAndSymbolsAgree(t *testing.T) {
	for _, b := range []build{plain, pie, race} {
		t.Run(b.name, func(t *testing.T) {
			r := b.exact(t)
			rows, table := lines(t, r.executable), symbols(t, r.executable)
			for _, location := range inC(t, r) {
				if fileOf(location) != r.executable {
					continue
				}
				all := positions(location)
				if len(all) == 0 {
					t.Errorf("%#x has no name", location.Address)
					continue
				}
				want := rows.position(location.Address)
				if got := all[0]; got.file != want.file || got.line != want.line {
					t.Errorf("%#x is at %v, want %v", location.Address, got, want)
				}
				outer, names := all[len(all)-1].function, table.names(location.Address)
				if !slices.Contains(names, outer) {
					t.Errorf("%#x is not in %s but in %v", location.Address, outer, names)
				}
			}
		})
	}
}
