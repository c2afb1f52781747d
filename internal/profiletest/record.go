package profiletest

import (
	"bytes"
	"io"
	"testing"

	"github.com/google/pprof/profile"
)

// Record begins to record until the end of the test. Its parameters are cgoheap.Start and a cgoheap.Config: tests of package
// cgoheap itself use it too, which this package therefore cannot import.
func Record[C any, P interface{ Stop() error }](t testing.TB, start func(C) (P, error), c C) P {
	t.Helper()
	p, err := start(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// Read reads back what write writes.
func Read(t testing.TB, write func(io.Writer) error) *profile.Profile {
	t.Helper()
	var written bytes.Buffer
	if err := write(&written); err != nil {
		t.Fatal(err)
	}
	return Parse(t, &written)
}
