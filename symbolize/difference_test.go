package symbolize

import (
	"bytes"
	"debug/elf"
	"math"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// comparison reports how our answer for an address differs from addr2line's.
type comparison struct {
	symbols  map[string][]elf.Symbol
	filtered map[string]string // by c++filt
	places   *places           // nil before they were requested
	classes  map[string]int
}

// The classes of differences that are on purpose.
const (
	equal      = "equal"
	padding    = "addr2line names padding after the function before"
	fileSymbol = "addr2line has the base name of a source file without a line, from a file symbol"
	alias      = "another symbol of the same address"
	fromSymbol = "addr2line has the plain name or a clone's, we have the symbol's"
	noName     = "addr2line has lost the name of an inlined function"
	dynamic    = "addr2line does not look at dynamic symbols"
	artificial = "addr2line has lost the file in code of link-time optimization"
	overruled  = "addr2line has the symbol's name, we have the plain one of another function"
	forgotten  = "our function is the symbol's and does not have its name"
	goWrapper  = "the debug data of Go has no lines for a generated wrapper, Go's function table has"
	tooShort   = "addr2line has a file that is too short for the line"
)

// The classes of differences that others have to decide.
const (
	otherLine = "line"
	otherFile = "file"
)

// allSymbols are the symbols of files, by their names.
func allSymbols(t testing.TB, paths ...string) map[string][]elf.Symbol {
	t.Helper()
	symbols := make(map[string][]elf.Symbol)
	for _, path := range paths {
		file, err := elf.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		static, _ := file.Symbols()
		dynamic, _ := file.DynamicSymbols()
		for _, s := range append(static, dynamic...) {
			symbols[s.Name] = append(symbols[s.Name], s)
		}
		file.Close()
	}
	return symbols
}

// class names the way in which got differs from what addr2line wants, and reports whether that is on purpose.
func (c *comparison) class(address uint64, got Result, want []Line) (class string, wanted bool) {
	known := want[0].SystemName != "??"
	switch {
	case (got.Reason == named) == (len(got.Lines) == 0):
		return "neither lines nor a reason, or both", false
	case len(got.Lines) == 0 && !known:
		return equal, true
	case len(got.Lines) == 0:
		return padding, !c.covers(want[0].SystemName, address)
	case !known:
		return dynamic, c.covers(got.Lines[0].SystemName, address)
	case len(got.Lines) != len(want):
		return "number of lines", false
	}
	class = equal
	for i := range want {
		lineClass, wanted := c.lineClass(address, got.Lines[i], want[i])
		if lineClass == overruled && i == len(want)-1 && c.named(want[i].SystemName, got.Lines[i]) {
			return forgotten, false
		}
		if !wanted {
			return lineClass, false
		}
		if lineClass != equal {
			class = lineClass
		}
	}
	return class, true
}

func (c *comparison) lineClass(address uint64, got, want Line) (class string, wanted bool) {
	if got.Line != want.Line {
		return otherLine, false
	}
	class = equal
	if got.File != want.File {
		switch {
		case want.Line == 0 && got.File == "":
			class = fileSymbol
		case want.File == "." && got.File == "":
			class = fileSymbol
		case strings.HasSuffix(want.File, "/<artificial>"):
			class = artificial
		case lineCount(want.File) < want.Line:
			class = tooShort
		default:
			return otherFile, false
		}
	}
	if got.SystemName == want.SystemName {
		return class, true
	}
	base, _, _ := strings.Cut(want.SystemName, ".")
	switch {
	case got.SystemName == base || c.named(got.SystemName, want):
		return fromSymbol, true
	case strings.HasSuffix("::"+got.Function, "::"+asDemangled(want.SystemName)):
		return fromSymbol, true
	case want.SystemName == "??":
		return noName, true
	case c.sameAddress(got.SystemName, want.SystemName):
		return alias, true
	}
	return overruled, !strings.HasPrefix(got.SystemName, "_Z") && c.covers(want.SystemName, address)
}

// named reports whether c++filt reads the name of our line out of a symbol: then the line should have the symbol's name.
func (c *comparison) named(symbol string, line Line) bool {
	if !strings.HasPrefix(symbol, "_Z") {
		return false
	}
	if _, known := c.filtered[symbol]; !known {
		function, _, _ := strings.Cut(symbol, ".") // of a clone
		output, _ := exec.Command("c++filt", "--no-params", function).Output()
		c.filtered[symbol] = strings.TrimSpace(string(output))
	}
	plain, _, _ := strings.Cut(line.SystemName, "<")
	part := regexp.MustCompile(`(^|::|[ *&])` + regexp.QuoteMeta(plain) + `( ?<|$)`)
	return part.MatchString(c.filtered[symbol])
}

// asDemangled writes the integers of gcc's plain names as demanglers do.
func asDemangled(name string) string {
	name = regexp.MustCompile(`\b(long|short) int\b`).ReplaceAllString(name, "$1")
	return regexp.MustCompile(`\b(long long|long|short) unsigned int\b`).ReplaceAllString(name, "unsigned $1")
}

func (c *comparison) covers(name string, address uint64) bool {
	return slices.ContainsFunc(c.symbols[name], func(s elf.Symbol) bool {
		return s.Value <= address && address < s.Value+s.Size
	})
}

func (c *comparison) sameAddress(a, b string) bool {
	return slices.ContainsFunc(c.symbols[a], func(s elf.Symbol) bool {
		return slices.ContainsFunc(c.symbols[b], func(o elf.Symbol) bool { return s.Value == o.Value })
	})
}

// lineCount is the number of lines of a file, large if it cannot be read.
func lineCount(path string) int {
	text, err := os.ReadFile(path)
	if err != nil {
		return math.MaxInt
	}
	return bytes.Count(text, []byte("\n"))
}
