package symbolize

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDebugDataIsReadAsItIsBuiltAndPacked(t *testing.T) {
	for i, c := range []struct {
		compiler string
		flags    []string
		compress string
	}{
		{"gcc", []string{"-gdwarf-4"}, ""},
		{"gcc", nil, "zlib"},
		{"gcc", nil, "zlib-gnu"},
		{"gcc", nil, "zstd"},
		{"gcc", []string{"-flto"}, ""},
		{"gcc", []string{"-flto"}, "zstd"},
		{"clang", nil, ""},
		{"clang", []string{"-gdwarf-4"}, "zlib"},
		{"clang", []string{"-gline-tables-only", "-fdebug-info-for-profiling"}, ""},
		{"clang", []string{"-flto", "-fuse-ld=lld"}, ""},
	} {
		name := strings.Join(append([]string{c.compiler, c.compress}, c.flags...), " ")
		t.Run(name, func(t *testing.T) {
			if testing.Short() && i > 1 {
				t.Skip("long: make test-all runs it")
			}
			s := linkBy(t, c.compiler, c.flags...)
			s.strip(t)
			if c.compress != "" {
				need(t, "objcopy")
				tool(t, "objcopy", "--compress-debug-sections="+c.compress, s.debug)
			}
			unnamed(t, s.named(Options{}), Stripped)
			s.check(t, s.named(s.byBuildID(t)))
		})
	}
}

func TestASymbolTableThatIsPackedIntoTheProgramNamesItsFunctions(t *testing.T) {
	need(t, "xz")
	s := ship(t)
	symbols := filepath.Join(s.dir, "symbols")
	tool(t, "objcopy", "--strip-debug", s.debug, symbols)
	tool(t, "xz", symbols)
	tool(t, "objcopy", "--add-section", ".gnu_debugdata="+symbols+".xz", s.program)
	for i, got := range s.named(Options{}) {
		want := s.want[i].Lines
		if len(want) == 0 || len(got.Lines) != 1 {
			continue
		}
		function, _, _ := strings.Cut(got.Lines[0].Function, ".") // of a clone
		if outermost := want[len(want)-1].Function; function != outermost {
			t.Errorf("%#x: %s, want %s", uint64(s.addresses[i]), function, outermost)
		}
	}
	named := 0
	for i, got := range s.named(Options{}) {
		if len(s.want[i].Lines) > 0 && len(got.Lines) == 0 {
			t.Fatalf("%#x is not named: %v, want %v", uint64(s.addresses[i]), got.Reason, s.want[i])
		}
		named += len(got.Lines)
	}
	if named == 0 {
		t.Error("nothing is named")
	}
}

func TestAPackedSymbolTableThatTakesTooMuchMemoryIsAReason(t *testing.T) {
	need(t, "xz")
	s := ship(t)
	symbols := filepath.Join(s.dir, "symbols")
	tool(t, "objcopy", "--strip-debug", s.debug, symbols)
	info, err := os.Stat(symbols)
	if err != nil {
		t.Fatal(err)
	}
	tool(t, "xz", symbols)
	tool(t, "objcopy", "--add-section", ".gnu_debugdata="+symbols+".xz", s.program)
	unnamed(t, s.named(Options{UnpackBytes: info.Size()}), debugPacked) // the packed table counts too
	for _, result := range s.named(Options{UnpackBytes: 2 * info.Size()}) {
		if result.Reason == debugPacked || result.Lack == debugPacked {
			t.Fatalf("%+v, although there is room", result)
		}
	}
}

func TestADamagedPackedSymbolTableIsAReason(t *testing.T) {
	s := ship(t)
	broken := filepath.Join(s.dir, "broken.xz")
	if err := os.WriteFile(broken, []byte("\xfd7zXZ\x00 and no more"), 0o600); err != nil {
		t.Fatal(err)
	}
	tool(t, "objcopy", "--add-section", ".gnu_debugdata="+broken, s.program)
	unnamed(t, s.named(Options{}), debugFileBroken)
}

// commonFile lets dwz move what two debug files share into a third, which it is to call by the link.
func commonFile(t testing.TB, link string) (s *shipped, common string) {
	t.Helper()
	need(t, "dwz")
	s, other := ship(t), ship(t, "-O1")
	otherDebug := s.put(t, other.debug, "other.debug")
	common = filepath.Join(s.dir, "common.debug")
	tool(t, "dwz", "-m", common, "-M", strings.ReplaceAll(link, "DIR", s.dir), s.debug, otherDebug)
	return s, common
}

func TestWhatDwzHasMovedIsFound(t *testing.T) {
	for name, c := range map[string]struct {
		link string
		to   []string
	}{
		"by its path":                {"DIR/elsewhere/common.debug", []string{"elsewhere", "common.debug"}},
		"relative to the debug file": {"../../../.dwz/common.debug", []string{".dwz", "common.debug"}},
		"in .dwz of the directory":   {"/nowhere/.dwz/deep/common.debug", []string{"global", ".dwz", "deep", "common.debug"}},
		"by its build ID":            {"/nowhere/common.debug", nil},
	} {
		t.Run(name, func(t *testing.T) {
			s, common := commonFile(t, c.link)
			if c.to == nil {
				id := buildIDOf(t, common)
				c.to = []string{"global", ".build-id", id[:2], id[2:] + ".debug"}
			}
			s.put(t, common, c.to...)
			s.check(t, s.named(s.byBuildID(t)))
		})
	}
}

func TestWithoutTheFileOfDwzWhatIsLeftNamesAddresses(t *testing.T) {
	another, anothers := commonFile(t, "common.debug")
	for name, replace := range map[string]bool{"missing": false, "of another build": true} {
		t.Run(name, func(t *testing.T) {
			s, common := commonFile(t, "DIR/other.debug")
			if replace {
				another.put(t, anothers, "to be moved")
			}
			if err := os.Remove(common); err != nil {
				t.Fatal(err)
			}
			options := s.byBuildID(t)
			poorer := false
			for i, got := range s.named(options) {
				if len(s.want[i].Lines) > 0 && (len(got.Lines) == 0 || got.Lines[0].Function == "") {
					t.Fatalf("%#x: %+v", uint64(s.addresses[i]), got)
				}
				poorer = poorer || len(got.Lines) < len(s.want[i].Lines)
			}
			if !poorer {
				t.Error("dwz has moved nothing")
			}
			withoutSymbols(t, filepath.Join(s.dir, "global", ".build-id", s.buildID[:2], s.buildID[2:]+".debug"))
			expectReason(t, s, s.named(options), needsAlternate)
		})
	}
}
