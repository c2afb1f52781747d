package flame

import (
	"path/filepath"
	"strings"

	"github.com/google/pprof/profile"
)

// Kind is what sort of code a function is.
type Kind uint8

// The kinds of code. Plumbing is what carries a call between Go and C and belongs to neither program.
const (
	Unknown Kind = iota
	Go
	C
	CPlusPlus
	Plumbing
)

var kindNames = [...]string{Unknown: "no name", Go: "Go", C: "C", CPlusPlus: "C++", Plumbing: "Go runtime"}

// String is the kind as the legend of a picture calls it.
func (k Kind) String() string { return kindNames[k] }

// KindOf tells the kind of a function from its names and its file. A function with a C name in a C++ file is C++.
func KindOf(f *profile.Function) Kind {
	switch {
	case f == nil || f.Name == "" || strings.HasPrefix(f.Name, "0x"):
		return Unknown
	case isPlumbing(f):
		return Plumbing
	case strings.HasPrefix(f.SystemName, "_Z"), strings.Contains(f.Filename, "/c++/"):
		return CPlusPlus
	}
	switch filepath.Ext(f.Filename) {
	case ".go":
		if !strings.Contains(f.Name, ".") { // C in a cgo preamble
			return C
		}
		return Go
	case ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".tcc":
		return CPlusPlus
	}
	return C
}

func isPlumbing(f *profile.Function) bool {
	return strings.HasPrefix(f.Name, "runtime.") ||
		strings.HasPrefix(f.Name, "_cgo_") ||
		strings.Contains(f.Name, "._Cfunc_") ||
		f.Name == "crosscall2"
}
