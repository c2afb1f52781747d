package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

func TestTheProfileIsValid(t *testing.T) {
	for _, b := range builds {
		t.Run(b.name, func(t *testing.T) {
			p := b.exact(t).profile
			if err := p.CheckValid(); err != nil {
				t.Error(err)
			}
			if len(p.Mapping) == 0 || p.Mapping[0].File != b.executable(t) {
				t.Errorf("the first mapping is not %s", b.executable(t))
			}
			for _, location := range p.Location {
				if location.Mapping == nil {
					t.Errorf("%#x is in no mapping", location.Address)
				}
			}
			for _, mapping := range p.Mapping {
				if mapping.Start != 0 || mapping.Limit != 1<<64-1 || mapping.Offset != 0 {
					t.Errorf("%s: mapped at %#x, %#x, %#x", mapping.File, mapping.Start, mapping.Limit, mapping.Offset)
				}
			}
		})
	}
}

var nameless = regexp.MustCompile(`\?\?|0x[0-9a-f]+|<unknown>|\[([^\]]*)\]$`)

// pprof calls a location that it cannot name by its file. That may be a library without symbols for its inner functions.
func TestPprofNamesEverything(t *testing.T) {
	for _, b := range []build{plain, pie, race} {
		r := b.exact(t)
		excused := unnamedByNature(t, r.profile)
		for _, report := range []string{"-top", "-traces"} {
			t.Run(b.name+" "+report, func(t *testing.T) {
				out := pprof(t, report, r)
				if !strings.Contains(out, "victim_malloc") {
					t.Errorf("no victim_malloc in the report:\n%.2000s", out)
				}
				for _, line := range strings.Split(out, "\n") {
					if match := nameless.FindStringSubmatch(line); match != nil && !excused[match[1]] {
						t.Errorf("no name: %s", line)
					}
				}
			})
		}
	}
}

// unnamedByNature returns the libraries, by base names, with locations in the profile that no symbol covers.
func unnamedByNature(t *testing.T, p *profile.Profile) map[string]bool {
	t.Helper()
	libraries, tables := make(map[string]bool), make(map[string]symbolTable)
	for _, location := range p.Location {
		file := fileOf(location)
		if !strings.Contains(filepath.Base(file), ".so") {
			continue
		}
		if tables[file] == nil {
			tables[file] = symbols(t, file)
		}
		if len(tables[file].names(location.Address)) == 0 {
			libraries[filepath.Base(file)] = true
		}
	}
	return libraries
}

func pprof(t *testing.T, report string, r run) string {
	t.Helper()
	command := exec.Command("go", "tool", "pprof", report, "-sample_index=alloc_space", "-nodecount=1000000",
		"-nodefraction=0", "-edgefraction=0", r.executable, r.path)
	command.Env = append(os.Environ(), "PPROF_TMPDIR="+t.TempDir(), "PPROF_BINARY_PATH=/nonexistent")
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v: %v", command, err)
	}
	return string(out)
}

// Go functions have their names from the runtime; other functions have names only if a symbol covers them. For a system
// library, the machine may also have a debug package, which names more.
func TestExactlyThoseLocationsHaveNoNameWhoseSymbolsWereStripped(t *testing.T) {
	r := stripped.exact(t)
	sameCode(t, r.executable, plain.executable(t))
	code := goCode(t, plain.executable(t))
	tables := make(map[string]symbolTable)
	unnamed := 0
	for _, location := range r.profile.Location {
		file := fileOf(location)
		if tables[file] == nil {
			tables[file] = symbols(t, file)
		}
		inGo := file == r.executable && code.has(location.Address)
		want := inGo || file == plugin(t) || len(tables[file].names(location.Address)) > 0
		got := hasName(location)
		if got != want && (want || file == r.executable) {
			t.Errorf("%#x of %s: named %t, want %t: %v", location.Address, file, got, want, named(location))
		}
		if !got && file == r.executable {
			unnamed++
		}
		if m := location.Mapping; m != nil && got != m.HasFunctions {
			t.Errorf("%#x of %s: named %t, its mapping says %t", location.Address, file, got, m.HasFunctions)
		}
	}
	if unnamed == 0 {
		t.Error("every location has a name: was the executable stripped?")
	}
}
