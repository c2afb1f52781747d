package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/pprof/profile"
)

// calls reports whether a function is on a sample's stack.
func calls(s *profile.Sample, function string) bool {
	for _, l := range s.Location {
		for _, line := range l.Line {
			if line.Function.Name == function {
				return true
			}
		}
	}
	return false
}

// inUse returns the bytes in use through a function.
func inUse(t *testing.T, path, function string) (bytes int64) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.ParseData(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range p.Sample {
		if calls(s, function) {
			bytes += s.Value[len(s.Value)-1]
		}
	}
	return bytes
}

// build builds a program: that of a test has no names of C functions.
func build(t *testing.T, mode, folder string) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "program")
	if text, err := exec.Command("go", "build", "-buildmode="+mode, "-o", binary, folder).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return binary
}

func TestChunksAndWhatIsCarvedFromThemAreNotBothCounted(t *testing.T) {
	dir := t.TempDir()
	program := exec.Command(build(t, "exe", "."))
	program.Env = append(os.Environ(), "TMPDIR="+dir)
	out, err := program.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	path := filepath.Join(dir, "pools.pb.gz")
	for function, want := range map[string]int64{
		"arena_grow": 0, "main.(*frames).grow": 0,
		"arena_carve": documents * nodes * nodeBytes, "main.(*frames).take": kept * frameBytes,
	} {
		if got := inUse(t, path, function); got != want {
			t.Errorf("%s has %d bytes in use, want %d", function, got, want)
		}
	}
	for _, function := range []string{"arena_grow", "arena_carve", "main.(*frames).grow", "main.(*frames).take"} {
		if got := inUse(t, path+".closed", function); got != 0 {
			t.Errorf("%s has %d bytes in use after the pools are closed", function, got)
		}
	}
	if !bytes.Contains(out, []byte("960000 bytes  nodes\n")) || !bytes.Contains(out, []byte("819200 bytes  frames\n")) {
		t.Errorf("%s", out)
	}
}

// The library's functions of cgoheap are weak, so that they may be missing.
func TestTheLibraryWorksWithoutCgoheap(t *testing.T) {
	for _, mode := range []string{"exe", "pie"} {
		binary := build(t, mode, "./alone")
		if linked, err := os.ReadFile(binary); err != nil || bytes.Contains(linked, []byte("cgoheap/cgo.")) {
			t.Errorf("cgoheap is linked, or the program cannot be read: %v", err)
		}
		if text, err := exec.Command(binary).CombinedOutput(); err != nil || string(text) != "carved 10000\n" {
			t.Errorf("%s: %v, %q", mode, err, text)
		}
	}
}

func TestTheHeaderIsCgoheaps(t *testing.T) {
	copied, err := os.ReadFile("arena/cgoheap.h")
	if err != nil {
		t.Fatal(err)
	}
	if original, err := os.ReadFile("../../cgo/cgoheap.h"); err != nil || !bytes.Equal(copied, original) {
		t.Errorf("arena/cgoheap.h differs from cgo/cgoheap.h: %v", err)
	}
}
