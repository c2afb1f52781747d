package e2e

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/e2e/truth"
)

// A namer names a location, innermost function first.
type namer func(*profile.Location) []string

// named takes the names that the profile has.
func named(location *profile.Location) []string {
	var names []string
	for _, line := range location.Line {
		names = append(names, line.Function.Name)
	}
	return names
}

// hasName reports whether a location has names of functions. Without a symbol, its line only has the start of the function.
func hasName(location *profile.Location) bool {
	return len(location.Line) > 0 && location.Line[0].Function.SystemName != ""
}

// fromTwin takes the profile's names and, if a location has none, the names from an executable with symbols whose code is at
// the same addresses.
func fromTwin(t *testing.T, executable, twin string) namer {
	t.Helper()
	symbols := newAddr2line(t, twin, "-C")
	return func(location *profile.Location) []string {
		if hasName(location) || fileOf(location) != executable {
			return named(location)
		}
		var names []string
		for _, p := range symbols.positions(t, location.Address) {
			names = append(names, p.function)
		}
		return names
	}
}

// stack returns a sample's functions, leaf first.
func (name namer) stack(sample *profile.Sample) []string {
	var names []string
	for _, location := range sample.Location {
		names = append(names, name(location)...)
	}
	return names
}

const module = "github.com/cgoheap/cgoheap/"

var (
	oursInC   = regexp.MustCompile(`^(victim|plugin|counted)_\w+$`)
	oursInCXX = regexp.MustCompile(`^(?:\w+[ *]+)?(victim::\w+(?:<\w+>)?)(?:\(.*)?$`) // addr2line adds types
	oursInGo  = regexp.MustCompile(`^(main\.|` + module + `(e2e|internal/victim)\b)`)
	generated = regexp.MustCompile(`\._C(func|goexp)_|-fm$|internal/victim\.\S+\.func\d+$|internal/victim\.(\(\*\w+\)\.)?useStack$`)
)

// ours keeps the functions that the test program wrote down: its own, without functions that cgo and the compiler generate.
func ours(names []string) []string {
	var kept []string
	for _, name := range names {
		switch cxx := oursInCXX.FindStringSubmatch(name); {
		case generated.MatchString(name):
		case cxx != nil:
			kept = append(kept, cxx[1])
		case oursInC.MatchString(name), oursInGo.MatchString(name):
			kept = append(kept, name)
		}
	}
	return kept
}

// bySite sums a profile's samples up by our functions.
func bySite(p *profile.Profile, name namer) map[string]truth.Values {
	return truth.Sums(p, func(sample *profile.Sample) (string, bool) { return strings.Join(ours(name.stack(sample)), "\n"), true })
}

// entries are the Go functions where a complete stack begins: functions that goroutines are started with, and functions
// where a thread or the scheduler enters its own stack.
var entries = regexp.MustCompile(`^runtime\.(main|mstart|mcall|morestack|systemstack|forcegchelper|runFinalizers|runCleanups)$|` +
	`\.gowrap\d+$|^main\.in(MovedCallback|Threads|Goroutines)\.func1$|/victim\.MoveStack\.func1$`)

// complete reports whether a stack goes down to an entry in Go or, as unwind data has it, to the first function of a C thread.
func complete(t *testing.T, sample *profile.Sample, begins map[string][]span) bool {
	t.Helper()
	if len(sample.Location) == 0 {
		return false
	}
	root := sample.Location[len(sample.Location)-1]
	if names := named(root); len(names) > 0 && entries.MatchString(names[len(names)-1]) {
		return true
	}
	file := fileOf(root)
	if file == "" {
		return false
	}
	if _, ok := begins[file]; !ok {
		begins[file] = outermost(t, file)
	}
	return anyHas(begins[file], root.Address)
}
