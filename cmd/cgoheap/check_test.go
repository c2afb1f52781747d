package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

// written returns the file of a good profile, after change has changed it.
func written(t *testing.T, change func(p *profile.Profile)) string {
	t.Helper()
	f := &profile.Function{ID: 1, Name: "f"}
	l := &profile.Location{ID: 1, Line: []profile.Line{{Function: f}}}
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "space", Unit: "bytes"}}, PeriodType: &profile.ValueType{Type: "space", Unit: "bytes"},
		Period: 1, TimeNanos: 1_700_000_000_000_000_000, Function: []*profile.Function{f}, Location: []*profile.Location{l},
		Sample: []*profile.Sample{{Location: []*profile.Location{l}, Value: []int64{1}}},
	}
	change(p)
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "profile.pb.gz")
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestExitCodeAndLinesSayWhatWasFound(t *testing.T) {
	good := written(t, func(*profile.Profile) {})
	warned := written(t, func(p *profile.Profile) { p.Period = 0 })
	faulty := written(t, func(p *profile.Profile) { p.TimeNanos = 0 })
	page := filepath.Join(t.TempDir(), "page")
	if err := os.WriteFile(page, []byte("<!DOCTYPE html><html>404 page not found</html>"), 0o600); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(t.TempDir(), "missing")
	for about, c := range map[string]struct {
		files []string
		code  int
		lines []string // beginnings of the lines on standard output
	}{
		"a good one":              {[]string{good}, 0, nil},
		"a warning":               {[]string{warned}, 0, []string{warned + ": warning period: "}},
		"an error":                {[]string{faulty, good}, 1, []string{faulty + ": error time: "}},
		"one that is not there":   {[]string{missing, faulty}, 2, []string{faulty + ": error time: "}},
		"standard input":          {[]string{"-"}, 2, nil},
		"no file":                 {nil, 2, nil},
		"a page":                  {[]string{page}, 2, nil},
		"a folder is not a file":  {[]string{t.TempDir()}, 2, nil},
		"the worst of all counts": {[]string{faulty, warned}, 1, []string{faulty + ": error time: ", warned + ": warning period: "}},
	} {
		t.Run(about, func(t *testing.T) {
			var out, trouble strings.Builder
			if code := run(append([]string{"check"}, c.files...), strings.NewReader("no profile"), &out, &trouble); code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			if (trouble.Len() > 0) != (c.code == 2) {
				t.Errorf("on standard error: %q", trouble.String())
			}
			checkLines(t, out.String(), c.lines)
		})
	}
}

func checkLines(t *testing.T, out string, begin []string) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if out == "" {
		lines = nil
	}
	if len(lines) != len(begin) {
		t.Fatalf("%d lines, want %d:\n%s", len(lines), len(begin), out)
	}
	for i, line := range lines {
		if !strings.HasPrefix(line, begin[i]) {
			t.Errorf("line %d is %q, want %q...", i, line, begin[i])
		}
	}
}

func TestPageIsSaidToBeNoProfile(t *testing.T) {
	var out, trouble strings.Builder
	run([]string{"check", "-"}, strings.NewReader("<html>404 page not found</html>"), &out, &trouble)
	if !strings.Contains(trouble.String(), "not a profile") {
		t.Error(trouble.String())
	}
}

func TestProfileComesThroughStandardInput(t *testing.T) {
	b, err := os.ReadFile(written(t, func(p *profile.Profile) { p.Period = 0 }))
	if err != nil {
		t.Fatal(err)
	}
	var out, trouble strings.Builder
	if code := run([]string{"check", "-"}, bytes.NewReader(b), &out, &trouble); code != 0 || !strings.HasPrefix(out.String(), "-: warning period: ") {
		t.Errorf("exit code %d, %q, %q", code, out.String(), trouble.String())
	}
}

func TestFullDiskIsNotSilent(t *testing.T) {
	var trouble strings.Builder
	if code := run([]string{"check", written(t, func(p *profile.Profile) { p.Period = 0 })}, nil, fullDisk{}, &trouble); code != 2 {
		t.Errorf("exit code %d, %q", code, trouble.String())
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestFaultsAsJSON(t *testing.T) {
	name := written(t, func(p *profile.Profile) { p.Sample[0].Label = map[string][]string{"\x1b[2J": {"a"}} })
	code, out, trouble := ranWith(t, "", "check", "-json", name)
	var f broken
	if err := json.Unmarshal([]byte(out), &f); err != nil || code != exitGood || f.File != name || f.Rule != "label-name" || f.Severity != "warning" || f.Count != 1 {
		t.Errorf("exit code %d, %v, %q, %q", code, err, out, trouble)
	}
	if _, text, _ := ranWith(t, "", "check", name); strings.Contains(text+out, "\x1b") || !strings.Contains(text, "label-name") {
		t.Errorf("%q", text)
	}
}
