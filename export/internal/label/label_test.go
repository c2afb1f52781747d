package label

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSeriesIsInTheOrderOfNames(t *testing.T) {
	got, err := Series("", map[string]string{"service_name": "shop", "Zone": "a", "empty": "", "_b": "ü"})
	if err != nil {
		t.Fatal(err)
	}
	want := []Label{{"Zone", "a"}, {"__name__", "memory"}, {"_b", "ü"}, {"service_name", "shop"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestLabelsThatServersRefuseAreErrors(t *testing.T) {
	for _, c := range []struct {
		profile string
		labels  map[string]string
	}{
		{"cgo-memory", nil},
		{"", map[string]string{"job-name": "x"}},
		{"", map[string]string{"": "x"}},
		{"", map[string]string{"1st": "x"}},
		{"", map[string]string{"__name__": "x"}},
		{"", map[string]string{"job": "\xff"}},
	} {
		if got, err := Series(c.profile, c.labels); err == nil {
			t.Errorf("%q and %q: %v", c.profile, c.labels, got)
		}
	}
}

func TestProgram(t *testing.T) {
	path, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		arguments []string
		want      string
	}{{[]string{"/a/b", "c"}, "b"}, {[]string{"b"}, "b"}, {[]string{""}, filepath.Base(path)}, {nil, filepath.Base(path)}} {
		if got := programName(c.arguments); got != c.want {
			t.Errorf("%q: %q, want %q", c.arguments, got, c.want)
		}
	}
	if got := Program(); got != filepath.Base(os.Args[0]) {
		t.Errorf("%q, but the arguments are %q", got, os.Args)
	}
}
