package symbolize

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"
	"sort"
	"strconv"
	"unicode/utf8"

	"github.com/cgoheap/cgoheap/mappings"
)

// Code that a program makes while it runs has no file with names. But some runtimes keep a list of it in memory, for GDB
// (jitlist.go): LuaJIT, LLVM, wasmtime and others, if built or configured so. Some write a list to a file, for Linux' perf:
// V8, JavaScriptCore, the JVM, .NET and others if configured so, LuaJIT with a patch. Both are read again for each profile
// that has such code, because the lists grow and the code at an address changes. The list in memory wins: freed code is
// removed from it, but stays in the file.

// perfMap finds names in this process's list. Tests replace it by another list.
var perfMap = ownPerfMap

// nameMade names addresses of code that was made at run time, or that lies in a file other than a program: some runtimes map
// their code from a memory file or a deleted one. The lists of another process are not read.
func (s *Symbolizer) nameMade(m *mappings.Module, addresses []mappings.ELFAddr, results []Result) {
	var open []madeWant
	for i, r := range results {
		if r.Lines == nil && (r.Reason == madeAtRunTime || r.Reason == NotELF || r.Reason == FileGone && m.BuildID == "") {
			open = append(open, madeWant{address: uint64(addresses[i]) + m.Bias, result: &results[i]})
		}
	}
	if len(open) == 0 || m.Foreign() {
		return
	}
	slices.SortFunc(open, func(a, b madeWant) int { return cmp.Compare(a.address, b.address) })
	if m.IsMade() {
		s.seen.judge(open, s.nameByJITLists(open))
		open = s.takeMade(open)
	}
	if len(open) > 0 {
		perfMap(open)
		s.takeMade(open)
	}
}

// takeMade stores the names that a list had, and returns the wants that are still without a name.
func (s *Symbolizer) takeMade(wants []madeWant) (open []madeWant) {
	for _, want := range wants {
		switch name := string(want.name); {
		case name != "":
			*want.result = Result{Lines: []Line{{Function: s.options.Style.readable(name), SystemName: name}}}
		case want.replaced:
			want.result.Reason = madeAgain
		default:
			open = append(open, want)
		}
	}
	return open
}

// madeWant is an address in memory that a list may name.
type madeWant struct {
	address  uint64
	name     []byte
	replaced bool // the code at the address was not always the same
	result   *Result
}

// A perf map is text: per line the start and the size of some code, in hexadecimal digits, and its name, which may have
// spaces. A runtime appends to it, so a later line is about newer code, and the last one may be half written. The file may
// be large and contain anything. It is read once, and only the wanted names are kept.

const (
	perfLine  = 4 << 10 // bytes of a line that are read; a longer one is cut
	perfBytes = 1 << 30 // of a file
	perfName  = 1 << 10 // bytes of a name; a longer one is cut

	// perfClaims is how many lines may claim an address, on average. A JIT that compiles again and again at the same address
	// reaches some hundreds.
	perfClaims = 1 << 14
)

// readPerfMap names the wants, which ascend by address, from the map. If the map has too many claims, it names none.
func readPerfMap(r io.Reader, wants []madeWant) {
	lines := bufio.NewReaderSize(io.LimitReader(r, perfBytes), perfLine)
	var line []byte
	for claims := perfClaims * len(wants); claims >= 0; claims -= claim(line, wants) {
		part, err := lines.ReadSlice('\n')
		line = append(line[:0], part...)
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = lines.ReadSlice('\n')
		}
		if err != nil {
			return
		}
	}
	for i := range wants {
		wants[i].name = nil
	}
}

// claim names the wants inside a line's code, and returns their number.
func claim(line []byte, wants []madeWant) int {
	start, size, name, ok := parsePerfLine(line)
	if !ok {
		return 0
	}
	first := sort.Search(len(wants), func(i int) bool { return wants[i].address >= start })
	n := 0
	for i := first; i < len(wants) && wants[i].address-start < size; i++ {
		wants[i].name = append(wants[i].name[:0], name...)
		n++
	}
	return n
}

func parsePerfLine(line []byte) (start, size uint64, name []byte, ok bool) {
	first, rest, _ := bytes.Cut(line, []byte{' '})
	second, name, _ := bytes.Cut(rest, []byte{' '})
	start, startErr := strconv.ParseUint(string(bytes.TrimPrefix(first, []byte("0x"))), 16, 64)
	size, sizeErr := strconv.ParseUint(string(bytes.TrimPrefix(second, []byte("0x"))), 16, 64)
	name = bytes.TrimSpace(name[:min(len(name), perfName)])
	if startErr != nil || sizeErr != nil || len(name) == 0 || start+size < start {
		return 0, 0, nil, false
	}
	return start, size, printable(name), true
}

// printable replaces bytes that are not UTF-8 and characters that control a terminal.
func printable(name []byte) []byte {
	if !slices.ContainsFunc(name, func(b byte) bool { return b < ' ' || b == 0x7f }) && utf8.Valid(name) {
		return name
	}
	return bytes.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == utf8.RuneError {
			return '?'
		}
		return r
	}, name)
}
