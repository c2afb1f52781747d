package page

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

// The kinds of functions, which differ in colour.
const (
	kindC = iota
	kindCXX
	kindGo
	kindRust
	kindLeaf // what has no stack, such as [malloc: free], and what holds blocks
	kindLabel
)

// kindOf tells a function's language by its file, or else by its name: mangled names and scopes are C++, and Go's have the path
// of a package.
func kindOf(f *profile.Function, mapping *profile.Mapping) int {
	if strings.HasPrefix(f.Name, "[") || mapping != nil && strings.HasPrefix(mapping.File, "[holder]") {
		return kindLeaf
	}
	if IsGo(f.Filename, f.Name) {
		return kindGo
	}
	switch strings.ToLower(filepath.Ext(f.Filename)) {
	case ".go":
		return kindC
	case ".s":
		return kindGo
	case ".rs":
		return kindRust
	case ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx", ".tcc":
		return kindCXX
	}
	switch {
	case strings.HasPrefix(f.SystemName, "_R"):
		return kindRust
	case strings.HasPrefix(f.SystemName, "_Z"), strings.Contains(f.Name, "::"):
		return kindCXX
	case strings.HasPrefix(f.Name, "C."):
		return kindC
	case strings.HasPrefix(f.Name, "runtime."), strings.HasPrefix(f.Name, "main."), strings.Contains(f.Name, ".(*"):
		return kindGo
	}
	return kindC
}

// IsGo tells by a function's file and name whether it is Go's. C code above an import of "C" is in the same file, and its names have
// no package: only copies that the compiler makes have a dot in them.
func IsGo(file, function string) bool {
	_, rest, dotted := strings.Cut(function, ".")
	return dotted && strings.HasSuffix(file, ".go") && !slices.ContainsFunc(copies, func(c string) bool { return strings.HasPrefix(rest, c) })
}

var copies = []string{"part.", "constprop.", "isra."}
