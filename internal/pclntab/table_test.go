package pclntab

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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

// testimony is what the runtime says about one address.
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
	table, err := Read(f)
	if err != nil {
		t.Fatal(err)
	}
	return f, table
}

func TestTheTableSaysWhatTheRuntimeSays(t *testing.T) {
	for _, c := range []struct {
		toolchain, flags string
		shared           bool
		odd              int // per mille of the addresses where old runtimes leave out frames by rules of their own
	}{
		{"local", "", false, 0},
		{"local", "-ldflags=-s", false, 0},
		{"local", "-buildmode=pie -ldflags=-s", false, 0},
		{"local", "-buildmode=pie -ldflags=-linkmode=external", false, 0},
		{"local", "-buildmode=c-shared -tags=shared -ldflags=-s", true, 0},
		{"go1.25.4", "-ldflags=-s", false, 0},
		{"go1.25.4", "-buildmode=pie -ldflags=-s", false, 0},
		{"go1.25.4", "-buildmode=c-shared -tags=shared -ldflags=-s", true, 0},
		{"go1.24.0", "-buildmode=pie", false, 0},
		{"go1.21.13", "-buildmode=pie", false, 1},
		{"go1.20.14", "-buildmode=c-shared -tags=shared", true, 5},
	} {
		t.Run(c.toolchain+" "+c.flags, func(t *testing.T) {
			w := hear(t, build(t, c.toolchain, strings.Fields(c.flags)...), c.shared)
			agree(t, w, c.odd)
		})
	}
}

// agree checks every address of a testimony, and that what lies around the Go code is nobody's.
func agree(t *testing.T, w *witness, odd int) {
	f, table := open(t, w.path)
	all := w.all(t, f)
	inlined, wrong := 0, 0
	for _, want := range all {
		got := table.Frames(want.address)
		inlined += len(got) - 1
		if !equal(got, want.frames) {
			if wrong++; wrong <= 5 && odd == 0 {
				t.Errorf("%#x\n got  %v\n want %v", want.address, got, want.frames)
			}
		}
	}
	t.Logf("%d addresses, %d inlined calls, %d steps", len(all), inlined, table.steps)
	if len(all) < 50_000 || inlined < 10_000 || wrong*1000 > odd*len(all) {
		t.Errorf("%d addresses with %d inlined calls, %d of them wrong", len(all), inlined, wrong)
	}
	for _, address := range []uint64{0, table.module.low - 1, table.module.high, ^uint64(0)} {
		if frames := table.Frames(address); frames != nil || table.Covers(address) {
			t.Errorf("%#x: %v", address, frames)
		}
	}
}

func equal(got, want []Frame) bool {
	if len(want) == 0 { // the runtime drops a wrapper that was inlined into a wrapper altogether
		return len(got) > 0
	}
	return slices.EqualFunc(got, want, func(got, want Frame) bool {
		got.Symbol = ""
		return got == want
	})
}

func TestAFileWithoutGoCodeHasNoTable(t *testing.T) {
	path, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip(err)
	}
	f, err := elffile.Open(path)
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	if table, err := Read(f); !errors.Is(err, ErrNoTable) || table != nil {
		t.Errorf("%v, %v", table, err)
	}
}

func TestAFileWithoutSectionHeadersKeepsItsTable(t *testing.T) {
	image, err := os.ReadFile(build(t, "local", "-ldflags=-s"))
	if err != nil {
		t.Fatal(err)
	}
	clear(image[0x28:0x30]) // e_shoff
	clear(image[0x3c:0x40]) // e_shnum, e_shstrndx
	f, err := elffile.New(bytes.NewReader(image), int64(len(image)), "without section headers")
	if err != nil {
		t.Fatal(err)
	}
	table, err := Read(f)
	if err != nil {
		t.Fatal(err)
	}
	names := make(map[string]bool)
	for a := table.module.low; a < table.module.high; a += 16 {
		for _, frame := range table.Frames(a) {
			names[frame.Function] = true
		}
	}
	for _, name := range []string{"main.main", "main.testifyTo", "main.largest[...]", "runtime.mallocgc"} {
		if !names[name] {
			t.Error("no ", name)
		}
	}
}

func TestTypeArgumentsArePrintedAsDots(t *testing.T) {
	for symbol, want := range map[string]string{
		"main.main": "main.main", "a.F[go.shape.[]int].func1": "a.F[...].func1", "]": "]", "][": "][", "": "",
	} {
		if got := printed(symbol); got != want {
			t.Errorf("%s: %s, want %s", symbol, got, want)
		}
	}
}

func Example() {
	f, err := elffile.Open("/proc/self/exe")
	if err != nil {
		return
	}
	defer f.Close()
	table, err := Read(f)
	if err != nil {
		return
	}
	for _, frame := range table.Frames(table.module.low) {
		fmt.Println(len(frame.Function) > 0)
	}
	// Output: true
}
