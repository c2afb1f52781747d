package pclntab

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/internal/elffile"
)

// readTable finds the table of a file and reads it.
func readTable(f *elffile.File) (*Table, error) {
	found, err := Find(f)
	if err != nil {
		return nil, err
	}
	return found.Read()
}

func TestTheTableSaysWhatTheRuntimeSays(t *testing.T) {
	for i, c := range []struct {
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
			if testing.Short() && i > 0 {
				t.Skip("long: make test-all runs it")
			}
			w := hear(t, build(t, c.toolchain, strings.Fields(c.flags)...), c.shared)
			agree(t, w, c.odd)
		})
	}
}

// agree checks every address of a testimony, and that addresses around the Go code have no function.
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
	if table, err := readTable(f); !errors.Is(err, errNoTable) || table != nil {
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
	table, err := readTable(f)
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

// clearRelocated clears what the loader will write anyway, and returns how many words that were.
func clearRelocated(file *elf.File, image []byte) (cleared int) {
	entries, _ := file.Section(".rela.dyn").Data()
	for ; len(entries) >= relocationSize; entries = entries[relocationSize:] {
		at := binary.LittleEndian.Uint64(entries)
		for _, p := range file.Progs {
			if p.Type == elf.PT_LOAD && at-p.Vaddr < p.Filesz {
				clear(image[p.Off+at-p.Vaddr:][:word])
				cleared++
			}
		}
	}
	return cleared
}

// Some linkers leave zeros in a library's module data, and relocations for them.
func TestModuleDataThatTheLoaderFillsInIsReadFromItsRelocations(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-all runs it")
	}
	path := build(t, "local", "-buildmode=c-shared", "-tags=shared", "-ldflags=-s")
	_, want := open(t, path)
	image, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file, err := elf.NewFile(bytes.NewReader(image))
	if err != nil {
		t.Fatal(err)
	}
	module := file.Section(".go.module")
	data := image[module.Offset:][:module.Size]
	header := binary.LittleEndian.Uint64(data)
	cleared := clearRelocated(file, image)
	if cleared == 0 || binary.LittleEndian.Uint64(data) == header {
		t.Fatal("nothing was cleared")
	}
	f, err := elffile.New(bytes.NewReader(image), int64(len(image)), "cleared")
	if err != nil {
		t.Fatal(err)
	}
	got, err := readTable(f)
	if err != nil {
		t.Fatal(err)
	}
	for a := want.module.low; a < want.module.high; a += 1009 {
		if !slices.Equal(got.Frames(a), want.Frames(a)) {
			t.Fatalf("%#x: %v, want %v", a, got.Frames(a), want.Frames(a))
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
	table, err := readTable(f)
	if err != nil {
		return
	}
	for _, frame := range table.Frames(table.module.low) {
		fmt.Println(len(frame.Function) > 0)
	}
	// Output: true
}
