//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo_test

import (
	"debug/elf"
	"encoding/binary"
	"go/build"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// What begins in the program's calls and in its signal handlers. All hooks are global functions of these files.
var (
	hookFiles = []string{"hooks*.c", "brought*.c", "operators.c"}
	handlers  = []string{"catch.c note", "ending.c on_signal", "box.c on_bus"}
)

// Where a search ends: what comes before the first recording, in a constructor or in the first call of the family.
var prepares = []string{"hooks_find", "real_find", "real_try", "real_find_break", "mapping_know_go"}

// Where a search from hooks of a device's driver, and of dlsym, ends too: they are not called inside malloc, and the loader's locks are
// taken by what they stand before.
var looksUp = []string{"real_other", "real_beside", "___dlsym"}

// What they may call of libraries: what compilers insert, and what only computes.
var plain = []string{"memcpy", "memset", "memmove", "memcmp", "strlen", "strnlen", "strcmp", "sigaddset", "getauxval", "__errno_location",
	"__stack_chk_fail", "_GLOBAL_OFFSET_TABLE_", "__divti3", "__udivti3"}

// A library that is loaded before libc, such as libfaketime, may replace any function of libc by one that allocates while it holds a
// lock. So hooks and handlers ask the kernel, or its vDSO.
func TestHooksAndHandlersCallNoFunctionOfALibrary(t *testing.T) {
	calls := callsOf(t)
	var roots, ofDevices []string
	for name := range calls {
		switch {
		case strings.HasPrefix(name, "hooks_device.c "):
			ofDevices = append(ofDevices, name)
		case isRoot(name):
			roots = append(roots, name)
		}
	}
	if len(roots) < 100 || len(ofDevices) < 100 {
		t.Fatalf("only %d hooks and handlers, and %d hooks of devices: %q", len(roots), len(ofDevices), roots)
	}
	all := reached(calls, ofDevices, slices.Concat(prepares, looksUp))
	maps.Copy(all, reached(calls, roots, prepares))
	for name, caller := range all {
		if _, ours := calls[name]; !ours && !strings.HasPrefix(name, "__real_") && !slices.Contains(plain, name) {
			t.Errorf("%s, called by %s", name, caller)
		}
	}
}

func isRoot(name string) bool {
	file, function, found := strings.Cut(name, " ")
	if !found { // a global function; where it is defined is asked for by its other name
		return false
	}
	return slices.Contains(handlers, name) || slices.ContainsFunc(hookFiles, func(pattern string) bool {
		matches, _ := filepath.Match(pattern, file)
		return matches && function != "find_early"
	})
}

// reached returns the functions that roots lead to before the search ends, each with one of its callers.
func reached(calls map[string][]string, roots, ends []string) map[string]string {
	seen := map[string]string{}
	for len(roots) > 0 {
		name := roots[0]
		roots = roots[1:]
		for _, called := range calls[name] {
			if _, again := seen[called]; !again && !slices.Contains(ends, called) {
				seen[called] = name
				roots = append(roots, called)
			}
		}
	}
	return seen
}

// callsOf compiles the C of this package, each function into a section of its own, and returns which functions each one calls or takes
// the address of, by the relocations. A function is "file.c name", and also "name" if it is global.
func callsOf(t *testing.T) map[string][]string {
	tools, folder, calls := toolchain.Target(t), t.TempDir(), map[string][]string{}
	here, err := build.ImportDir(".", 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range here.CFiles {
		if source == "probe.c" { // it calls Go, and is no hook
			continue
		}
		object := filepath.Join(folder, source+".o")
		tools.Build(t, "gcc", "-std=gnu11", "-O1", "-fno-omit-frame-pointer", "-ftls-model=initial-exec", "-fvisibility=hidden", "-fno-plt",
			"-fPIC", "-ffunction-sections", "-DCGOHEAP_OPERATORS", "-c", "-o", object, source)
		f, err := elf.Open(object)
		if err != nil {
			t.Fatal(err)
		}
		addCalls(t, calls, source, f)
		_ = f.Close()
	}
	return calls
}

func addCalls(t *testing.T, calls map[string][]string, source string, f *elf.File) {
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	inSection := map[int][]string{} // the functions of a section, by both names
	for _, s := range symbols {
		if s.Section == elf.SHN_UNDEF {
			continue
		}
		if elf.ST_TYPE(s.Info) != elf.STT_FUNC { // a variable, or a function's other name
			calls[s.Name] = append(calls[s.Name], []string{}...)
			continue
		}
		names := []string{source + " " + s.Name}
		if elf.ST_BIND(s.Info) != elf.STB_LOCAL {
			names = append(names, s.Name)
		}
		inSection[int(s.Section)] = append(inSection[int(s.Section)], names...)
	}
	for _, section := range f.Sections {
		if section.Type != elf.SHT_RELA || len(inSection[int(section.Info)]) == 0 { //nolint:misspell // ELF calls it so
			continue
		}
		called := calledBy(t, section, symbols, func(s elf.Symbol) []string { return namesOf(source, s, inSection) })
		for _, name := range inSection[int(section.Info)] {
			calls[name] = append(calls[name], called...)
		}
	}
	for _, names := range inSection {
		for _, name := range names {
			calls[name] = append(calls[name], []string{}...)
		}
	}
}

// namesOf returns the functions that a relocation with this symbol may mean: all of a section, where it names that.
func namesOf(source string, s elf.Symbol, inSection map[int][]string) []string {
	switch {
	case elf.ST_TYPE(s.Info) == elf.STT_SECTION:
		return inSection[int(s.Section)]
	case s.Section == elf.SHN_UNDEF && s.Name != "" && elf.ST_TYPE(s.Info) != elf.STT_TLS:
		return []string{s.Name}
	case elf.ST_TYPE(s.Info) == elf.STT_FUNC:
		return []string{source + " " + s.Name}
	}
	return nil
}

func calledBy(t *testing.T, section *elf.Section, symbols []elf.Symbol, names func(elf.Symbol) []string) []string {
	data, err := section.Data()
	if err != nil {
		t.Fatal(err)
	}
	called := map[string]bool{}
	for ; len(data) >= 24; data = data[24:] {
		number := binary.LittleEndian.Uint64(data[8:]) >> 32
		if number == 0 {
			continue
		}
		for _, name := range names(symbols[number-1]) {
			called[name] = true
		}
	}
	return slices.Collect(maps.Keys(called))
}
