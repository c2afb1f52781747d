package remote

import (
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/symbolize"
)

// emptyBox is a box in which nothing was recorded yet.
func emptyBox() []byte {
	const size = 1 << 18
	b := make([]byte, size)
	binary.NativeEndian.PutUint64(b, layout.Magic)
	binary.NativeEndian.PutUint32(b[layout.HeaderVersion:], layout.Version)
	binary.NativeEndian.PutUint32(b[layout.HeaderPid:], 1)
	binary.NativeEndian.PutUint64(b[layout.HeaderSize:], size)
	binary.NativeEndian.PutUint64(b[layout.HeaderUsed:], size)
	return b
}

func readBoxOf(t *testing.T, text []byte) (*Recording, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "box")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := ReadBox(f)
	if err != nil && !strings.Contains(err.Error(), path) {
		t.Errorf("the error does not name the file: %v", err)
	}
	return r, err
}

func TestBoxesThatCannotBeRead(t *testing.T) {
	for want, change := range map[string]func([]byte) []byte{
		"":                    func(b []byte) []byte { return b },
		ErrNotBegun.Error():   func(b []byte) []byte { clear(b[:8]); return b },
		"not a black box":     func(b []byte) []byte { b[0]++; return b },
		"version":             func(b []byte) []byte { b[layout.HeaderVersion]++; return b },
		"volume was full: 3 ": func(b []byte) []byte { b[layout.HeaderMissing] = 3; return b },
		"overwritten":         func(b []byte) []byte { b[layout.HeaderSize+7] = 1; return b },
		"was cut short":       func(b []byte) []byte { return b[:len(b)/2] },
		"bytes of":            func(b []byte) []byte { return append(b, 0) },
	} {
		r, err := readBoxOf(t, change(emptyBox()))
		if want == "" && err == nil {
			err = r.Write(io.Discard, View{View: report.InUse}, symbolize.New(symbolize.Options{}))
		}
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

// A process may be killed before its box is whole.
func TestBoxesThatEndAnywhere(t *testing.T) {
	whole := emptyBox()
	for n := 0; n < len(whole); n += 1 + n/3 {
		if r, err := readBoxOf(t, whole[:n]); err == nil {
			t.Errorf("%d bytes: %+v", n, r)
		}
	}
}
