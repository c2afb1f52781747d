package symbolize

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// split is a program most of whose debug data is in a file of its own, and how it is named as a whole.
type split struct {
	*shipped
	unit     string // the .dwo file
	packager string // a program that can read it: binutils' cannot read DWARF 5, llvm-dwp 14 cannot read gcc's
}

func linkSplit(t testing.TB, compiler string, flags ...string) split {
	t.Helper()
	need(t, compiler)
	source, err := filepath.Abs("testdata/calls.c")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	object := filepath.Join(dir, "objects", "calls.o")
	if err := os.Mkdir(filepath.Dir(object), 0o755); err != nil {
		t.Fatal(err)
	}
	build := func(flags ...string) string {
		program := filepath.Join(dir, "program")
		tool(t, compiler, append(flags, "-g", "-O2", "-c", "-o", object, source)...)
		tool(t, compiler, "-Wl,--build-id", "-o", program, object)
		return program
	}
	s := &shipped{dir: dir, program: build(flags...), debug: filepath.Join(dir, "taken.out")}
	s.learn(t)
	build(append(flags, "-gsplit-dwarf")...)
	s.buildID = buildIDOf(t, s.program)
	packagers := map[string]string{"gcc-gdwarf-4": "dwp", "clang-gdwarf-4": "llvm-dwp", "clang-gdwarf-5": "llvm-dwp"}
	return split{s, filepath.Join(dir, "objects", "calls.dwo"), packagers[strings.Join(append([]string{compiler}, flags...), "")]}
}

func (s split) pack(t testing.TB, to string) {
	t.Helper()
	if s.packager == "" {
		t.Skip("no packager reads what this compiler writes")
	}
	need(t, s.packager)
	tool(t, s.packager, "-o", to, s.unit)
	if err := os.Remove(s.unit); err != nil {
		t.Fatal(err)
	}
}

func TestSplitDebugDataIsFound(t *testing.T) {
	for place, options := range map[string]func(testing.TB, split) Options{
		"where the compiler left it": func(testing.TB, split) Options { return Options{} },
		"beside the program": func(t testing.TB, s split) Options {
			s.put(t, s.unit, "calls.dwo")
			return Options{}
		},
		"beside the debug file": func(t testing.TB, s split) Options {
			s.strip(t)
			options := s.byBuildID(t)
			s.put(t, s.unit, "global", ".build-id", s.buildID[:2], "calls.dwo")
			return options
		},
		"in a package beside the program": func(t testing.TB, s split) Options {
			s.pack(t, s.program+".dwp")
			return Options{}
		},
		"in a package beside the debug file": func(t testing.TB, s split) Options {
			packed := filepath.Join(s.dir, "packed")
			s.pack(t, packed)
			s.strip(t)
			options := s.byBuildID(t)
			s.put(t, packed, "global", ".build-id", s.buildID[:2], s.buildID[2:]+".dwp")
			return options
		},
		"in a compressed package by build ID": func(t testing.TB, s split) Options {
			packed := filepath.Join(s.dir, "packed")
			s.pack(t, packed)
			tool(t, "objcopy", "--compress-debug-sections=zlib", packed)
			s.put(t, packed, "global", ".build-id", s.buildID[:2], s.buildID[2:]+".dwp")
			return Options{DebugDirs: []string{filepath.Join(s.dir, "global")}}
		},
	} {
		for i, build := range [][]string{{"gcc", "-gdwarf-4"}, {"gcc", "-gdwarf-5"}, {"clang", "-gdwarf-4"}, {"clang", "-gdwarf-5"}} {
			t.Run(place+", "+build[0]+build[1], func(t *testing.T) {
				if testing.Short() && i > 0 {
					t.Skip("long: make test-all runs it")
				}
				s := linkSplit(t, build[0], build[1])
				s.check(t, s.named(options(t, s)))
			})
		}
	}
}

func TestSplitDebugDataThatIsNotTheUnitsIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		spoil  func(testing.TB, split) error
		reason Reason
	}{
		"missing": {func(_ testing.TB, s split) error { return os.Remove(s.unit) }, NeedsSplit},
		"of another build": {func(t testing.TB, s split) error {
			return os.Rename(linkSplit(t, "gcc", "-O1").unit, s.unit)
		}, NeedsSplit},
		"empty":     {func(_ testing.TB, s split) error { return os.Truncate(s.unit, 0) }, debugFileBroken},
		"truncated": {func(_ testing.TB, s split) error { return os.Truncate(s.unit, 800) }, debugDamaged},
	} {
		t.Run(name, func(t *testing.T) {
			s := linkSplit(t, "gcc")
			if err := c.spoil(t, s); err != nil {
				t.Fatal(err)
			}
			s.checkPoorer(t, s.named(Options{}))
			withoutSymbols(t, s.program)
			expectReason(t, s.shipped, s.named(Options{}), c.reason)
		})
	}
}

// checkPoorer makes sure that names come from symbols, and lines still come from the code.
func (s split) checkPoorer(t testing.TB, results []Result) {
	t.Helper()
	for i, got := range results {
		if len(got.Lines) > 1 {
			t.Fatalf("%#x: %+v, want %+v", uint64(s.addresses[i]), got, s.want[i])
		}
		if len(got.Lines) == 1 && len(s.want[i].Lines) > 0 && got.Lines[0].Line != s.want[i].Lines[0].Line {
			t.Fatalf("%#x: %+v, want the line of %+v", uint64(s.addresses[i]), got, s.want[i])
		}
	}
}
