package pclntab

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/internal/elffile"
)

// witness is a program or library that was built and asked what its runtime knows.
type witness struct {
	path      string
	testimony []byte
}

// testimony is what the runtime reports about one address.
type testimony struct {
	address uint64
	frames  []Frame
}

// build builds the witness with a toolchain ("local" or a version).
func build(t testing.TB, toolchain string, flags ...string) string {
	t.Helper()
	if toolchain != "local" && !installed(t, toolchain) {
		t.Skipf("GOTOOLCHAIN=%s go version makes this toolchain available", toolchain)
	}
	path := filepath.Join(t.TempDir(), "witness")
	command := exec.Command("go", append([]string{"build", "-o", path}, flags...)...)
	command.Dir = filepath.Join("testdata", "witness")
	command.Env = append(os.Environ(), "GOTOOLCHAIN="+toolchain, "GOWORK=off", "GOFLAGS=")
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", command, err, output)
	}
	return path
}

// installed reports whether a toolchain is in the module cache: a test downloads nothing.
func installed(t testing.TB, toolchain string) bool {
	t.Helper()
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Skip(err)
	}
	found, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(cache)), "golang.org", "toolchain@*-"+toolchain+".*"))
	return len(found) > 0
}

// hear runs a witness; a library in a program that loads it.
func hear(t testing.TB, path string, shared bool) *witness {
	t.Helper()
	command := exec.Command(path)
	if shared {
		host := filepath.Join(t.TempDir(), "host")
		compile := exec.Command("gcc", "-o", host, filepath.Join("testdata", "host", "host.c"), "-ldl")
		if output, err := compile.CombinedOutput(); err != nil {
			t.Skipf("%v: %s", err, output)
		}
		command = exec.Command(host, path)
	}
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	return &witness{path, output}
}

// all parses the testimony; addresses are made the file's.
func (w *witness) all(t testing.TB, f *elffile.File) (all []testimony) {
	t.Helper()
	var base uint64
	lines := bufio.NewScanner(bytes.NewReader(w.testimony))
	for lines.Scan() {
		line := lines.Text()
		if text, ok := strings.CutPrefix(line, "base "); ok {
			base = parseUint(t, text) - f.Segments()[0].Vaddr&^0xfff
		} else if text, ok := strings.CutPrefix(line, "at "); ok {
			all = append(all, testimony{address: parseUint(t, text) - base})
		} else {
			last := &all[len(all)-1]
			last.frames = append(last.frames, parseFrame(t, line))
		}
	}
	return all
}

func parseFrame(t testing.TB, line string) Frame {
	parts := strings.Split(line, "\t")
	f := Frame{Function: parts[0], File: parts[1]}
	f.Line, f.StartLine = int(parseUint(t, parts[2])), int(parseUint(t, parts[3]))
	if f.File == "?" {
		f.File = ""
	}
	return f
}

func parseUint(t testing.TB, text string) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func open(t testing.TB, path string) (*elffile.File, *Table) {
	t.Helper()
	f, err := elffile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	table, err := readTable(f)
	if err != nil {
		t.Fatal(err)
	}
	return f, table
}
