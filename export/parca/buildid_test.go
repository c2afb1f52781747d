package parca

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/cgoheap/cgoheap/internal/elffile"
)

// libraries are ELF files of this machine, the tests' own program first.
func libraries(t testing.TB) []string {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	found, _ := filepath.Glob("/usr/lib/*/lib*.so.*")
	return append([]string{program}, found[:min(len(found), 200)]...)
}

// The core's own reader of ELF files is the other road. Tests alone may take it.
func TestBuildIDsAreTheOnesThatTheCoreReads(t *testing.T) {
	ids := 0
	for _, path := range libraries(t) {
		file, err := elffile.Open(path)
		if err != nil {
			continue // a linker script
		}
		want, wantErr := file.BuildID()
		file.Close()
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := readBuildID(f)
		f.Close()
		if got != want || (err == nil) != (wantErr == nil) {
			t.Errorf("%s: %q, %v, want %q, %v", path, got, err, want, wantErr)
		}
		if got != "" {
			ids++
		}
	}
	if ids == 0 {
		t.Skip("no file of this machine has a build ID")
	}
}

func FuzzBuildID(f *testing.F) {
	whole, err := os.ReadFile(libraries(f)[0])
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole[:min(len(whole), 8<<10)])
	f.Add([]byte("\x7fELF\x02\x01\x01"))
	f.Fuzz(func(t *testing.T, data []byte) {
		id, err := readBuildID(bytes.NewReader(data))
		if err != nil && id != "" || len(id) > 2*maxBuildID {
			t.Errorf("%q, %v", id, err)
		}
	})
}
