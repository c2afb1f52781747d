package e2e

import (
	"debug/elf"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// sameCode fails unless the code of both executables is at the same addresses.
func sameCode(t *testing.T, a, b string) {
	t.Helper()
	if left, right := text(t, a), text(t, b); left.Addr != right.Addr || left.Size != right.Size {
		t.Fatalf(".text of %s is %d bytes at %#x, of %s %d bytes at %#x", a, left.Size, left.Addr, b, right.Size, right.Addr)
	}
}

func text(t *testing.T, path string) elf.SectionHeader {
	t.Helper()
	file := open(t, path)
	defer file.Close()
	section := file.Section(".text")
	if section == nil {
		t.Fatalf("%s has no .text", path)
	}
	return section.SectionHeader
}

func open(t *testing.T, path string) *elf.File {
	t.Helper()
	file, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// A span is a half-open range of ELF addresses.
type span struct{ start, limit uint64 }

func (s span) has(address uint64) bool { return address >= s.start && address < s.limit }

// goCode returns the range of an executable's Go functions. It needs symbols.
func goCode(t *testing.T, path string) span {
	t.Helper()
	file := open(t, path)
	defer file.Close()
	symbols, err := file.Symbols()
	if err != nil {
		t.Fatalf("symbols of %s: %v", path, err)
	}
	var code span
	for _, symbol := range symbols {
		switch symbol.Name {
		case "runtime.text":
			code.start = symbol.Value
		case "runtime.etext":
			code.limit = symbol.Value
		}
	}
	if code.start == 0 || code.limit <= code.start {
		t.Fatalf("the Go code of %s is from %#x to %#x", path, code.start, code.limit)
	}
	return code
}

func anyHas(spans []span, address uint64) bool {
	for _, s := range spans {
		if s.has(address) {
			return true
		}
	}
	return false
}

var (
	fdeRange = regexp.MustCompile(`FDE .* pc=([0-9a-f]+)\.\.([0-9a-f]+)`)
	noCaller = regexp.MustCompile(`DW_CFA_undefined: r\d+ \((rip|x30)\)`)
)

// outermost returns the ranges of a file that nothing calls, by its unwind data: C threads begin there.
func outermost(t *testing.T, path string) []span {
	t.Helper()
	out, _ := exec.Command(toolchain.Target(t).Tool(t, "readelf"), "--debug-dump=frames", path).Output() // it fails when a separate debug file is missing
	var all []span
	var fde span
	for _, line := range strings.Split(string(out), "\n") {
		if match := fdeRange.FindStringSubmatch(line); match != nil {
			fde.start, _ = strconv.ParseUint(match[1], 16, 64)
			fde.limit, _ = strconv.ParseUint(match[2], 16, 64)
		}
		if noCaller.MatchString(line) {
			all = append(all, fde)
		}
	}
	if fde.limit == 0 {
		t.Fatalf("readelf found no unwind data in %s", path)
	}
	return all
}
