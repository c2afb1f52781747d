package symbolize

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// expectLack checks that names of symbols, where the debug data had inlined calls and lines, say why they are no better.
func expectLack(t *testing.T, s *shipped, results []Result, reason Reason) {
	t.Helper()
	var missing MissingCounts
	poor := 0
	for i, got := range results {
		missing.Add(got)
		want := s.want[i].Lines
		if len(got.Lines) == 0 || len(want) == 0 || want[0].Line == 0 || filepath.Base(want[0].File) != "calls.c" {
			continue
		}
		if poor++; got.Lack != reason {
			t.Fatalf("%#x: %+v lacks something because of %v, want %v", uint64(s.addresses[i]), got.Lines, got.Lack, reason)
		}
	}
	if poor == 0 || reason != named && missing.Poor[reason] < uint64(poor) {
		t.Errorf("%d poor names, counts %v", poor, missing)
	}
	for _, l := range missing.losses() {
		if strings.HasPrefix(l.Name, "no lines because ") && l.Name != "no lines because "+reason.String() {
			t.Error(l)
		}
	}
}

func TestNamesOfSymbolsSayWhatBecameOfTheDebugData(t *testing.T) {
	garbage := func(t *testing.T, s *shipped, section string) {
		need(t, "objcopy")
		text := filepath.Join(s.dir, "garbage")
		if err := os.WriteFile(text, []byte(strings.Repeat("\xff", 300)), 0o600); err != nil {
			t.Fatal(err)
		}
		tool(t, "objcopy", "--update-section", section+"="+text, s.program)
	}
	for name, c := range map[string]struct {
		spoil func(t *testing.T, s *shipped)
		want  Reason
	}{
		"garbled abbreviations": {func(t *testing.T, s *shipped) { garbage(t, s, ".debug_abbrev") }, debugDamaged},
		"garbled entries":       {func(t *testing.T, s *shipped) { garbage(t, s, ".debug_info") }, debugDamaged},
		"none was shipped": {func(t *testing.T, s *shipped) {
			need(t, "strip")
			tool(t, "strip", "--strip-debug", s.program)
		}, named},
		"that of another build": {func(t *testing.T, s *shipped) {
			other := ship(t, "-O1")
			s.put(t, other.debug, "program.debug")
			tool(t, "strip", "--strip-debug", s.program)
			tool(t, "objcopy", "--add-gnu-debuglink="+filepath.Join(s.dir, "program.debug"), s.program)
		}, otherDebugFile},
	} {
		t.Run(name, func(t *testing.T) {
			s := link(t)
			c.spoil(t, s)
			expectLack(t, s, s.named(Options{}), c.want)
		})
	}
	t.Run("a .dwo file is missing", func(t *testing.T) {
		s := linkSplit(t, "gcc")
		if err := os.Remove(s.unit); err != nil {
			t.Fatal(err)
		}
		expectLack(t, s.shipped, s.named(Options{}), NeedsSplit)
	})
	t.Run("nothing is missing where the debug data is whole", func(t *testing.T) {
		s := link(t)
		for i, got := range s.named(Options{}) {
			if got.Lack != named {
				t.Fatalf("%#x: %+v", uint64(s.addresses[i]), got)
			}
		}
	})
}
