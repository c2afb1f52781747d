package self

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestName(t *testing.T) {
	found := func() (string, error) { return "/usr/bin/service", nil }
	none := func() (string, error) { return "", errors.New("none") }
	for _, c := range []struct {
		arguments  []string
		executable func() (string, error)
		want       string
	}{
		{[]string{"/a/b", "c"}, none, "b"},
		{[]string{"b"}, none, "b"},
		{[]string{""}, found, "service"},
		{nil, found, "service"},
		{nil, none, "program"},
		{[]string{"/"}, found, "program"},
		{[]string{".."}, found, "program"},
	} {
		if got := name(c.arguments, c.executable); got != c.want {
			t.Errorf("%q: %q, want %q", c.arguments, got, c.want)
		}
	}
	if Name != filepath.Base(os.Args[0]) {
		t.Errorf("%q, but the arguments are %q", Name, os.Args)
	}
}
