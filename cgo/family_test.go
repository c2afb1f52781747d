package cgo

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what is made from family.h, and package internal/layout")

// function is a row of family.h or of mapped_calls.h.
type function struct{ does, name string }

// family returns the rows of a list in a header.
func family(t *testing.T, file, list string) (functions []function) {
	t.Helper()
	header, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(header), "#define "+list+"(X) \\\n")
	text, _, _ = strings.Cut(text, "\n\n")
	for line := range strings.Lines(text) {
		row := regexp.MustCompile(`^\tX\(([A-Z]+), [^,]+, (\w+), \(.*\)\)`).FindStringSubmatch(line)
		if row == nil {
			t.Fatalf("a row of %s is not understood: %s", list, line)
		}
		functions = append(functions, function{row[1], row[2]})
	}
	if len(functions) == 0 {
		t.Fatalf("%s has no %s", file, list)
	}
	return functions
}

// hooked returns the functions that have hooks.
func hooked(t *testing.T) []function {
	t.Helper()
	return append(family(t, "family.h", "FAMILY_REAL"), family(t, "family.h", "FAMILY_MADE")...)
}

// withMapped returns these functions and the calls that map memory.
func withMapped(t *testing.T, hooked []function) []function {
	t.Helper()
	return slices.Concat(hooked, family(t, "mapped_calls.h", "MAPPED_REAL"), family(t, "mapped_calls.h", "MAPPED_MADE_OF"))
}

const notice = "// Code generated from cgo/family.h by go test ./cgo -run Family -update. DO NOT EDIT.\n\n"

// wrapFlags returns wrap.go: with the build tag cgoheap_wrap, the linker redirects calls of the family to the hooks.
func wrapFlags(hooked []function) string {
	text := notice + "//go:build linux && (amd64 || arm64) && cgo && !asan && !msan && cgoheap_wrap\n\npackage cgo\n\n" +
		"// #cgo CFLAGS: -DCGOHEAP_WRAP\n"
	for _, f := range hooked {
		text += "// #cgo LDFLAGS: -Wl,--wrap=" + f.name + "\n"
	}
	return text + "import \"C\"\n"
}

// leaves returns symbolize/family.go: the functions that a profile does not show at the leaf of a stack.
func leaves(hooked []function) string {
	text := notice + "package symbolize\n\n// family are the hooked functions that return memory.\nvar family = map[string]bool{\n"
	for _, f := range hooked {
		if f.does != "TAKES" {
			text += fmt.Sprintf("%q: true,\n", f.name)
		}
	}
	return text + "}\n"
}

// brought is a family that libraries bring along: a row of FAMILY_BROUGHT.
type brought struct {
	name, prefix, rows string
	needed             []string // functions without which a program does not link
}

func broughtFamilies(t *testing.T) (all []brought) {
	t.Helper()
	header, err := os.ReadFile("family.h")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(header), "#define FAMILY_BROUGHT(X) \\\n")
	text, _, _ = strings.Cut(text, "\n\n")
	for line := range strings.Lines(text) {
		row := regexp.MustCompile(`^\tX\((\w+), (\w+), (\w+), \(([\w, ]*)\)\)`).FindStringSubmatch(line)
		if row == nil {
			t.Fatalf("a row of FAMILY_BROUGHT is not understood: %s", line)
		}
		all = append(all, brought{row[1], row[2], row[3], strings.FieldsFunc(row[4], func(r rune) bool { return r == ',' || r == ' ' })})
	}
	return all
}

const platforms = "//go:build linux && (amd64 || arm64) && cgo && !asan && !msan\n\n"

// hooks is the file of C that has the family's hooks.
func (b brought) hooks() string {
	return notice + platforms + "#define FAMILY_NAME(f) FAMILY_JOIN(" + b.prefix + ", f)\n#define FAMILY_ROWS " + b.rows + "\n\n#include \"brought.h\"\n"
}

// functions are the names of the family's functions, without the prefix.
func (b brought) functions(t *testing.T) (names []string) {
	t.Helper()
	header, err := os.ReadFile("family_brought.h")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(header), "#define "+b.rows+"(X) \\\n")
	text, _, _ = strings.Cut(text, "\n\n")
	for line := range strings.Lines(text) {
		row := regexp.MustCompile(`^\tX\([A-Z]+, \w+, [^,]+, (\w+), \(`).FindStringSubmatch(line)
		if row == nil {
			t.Fatalf("a row of %s is not understood: %s", b.rows, line)
		}
		names = append(names, row[1])
	}
	return names
}

// flags is the file of the package by whose import the linker leads calls of the family to the hooks.
func (b brought) flags(t *testing.T) string {
	text := notice + platforms + "package " + b.name + "\n\n"
	for _, name := range b.functions(t) {
		text += "// #cgo LDFLAGS: -Wl,--wrap=" + b.prefix + name + "\n"
	}
	return text + b.references() + "import \"C\"\n\nimport _ \"github.com/cgoheap/cgoheap/cgo\" // has the hooks\n"
}

// references are C code that refers to the functions that are needed. The hooks' references are weak, and for them no linker takes
// anything from an archive.
func (b brought) references() (text string) {
	var names []string
	for _, name := range b.needed {
		text += "// extern void __real_" + b.prefix + name + "(void);\n"
		names = append(names, "__real_"+b.prefix+name)
	}
	if len(names) > 0 {
		text += "// __attribute__((used)) static void (*const needed[])(void) = {" + strings.Join(names, ", ") + "};\n"
	}
	return text
}

// publicNames returns the file of C that defines the public names of a device's driver, of dlsym and of dlclose. Each is a jump, so that
// what it leads to sees its caller.
func publicNames(t *testing.T) string {
	t.Helper()
	header, err := os.ReadFile("device_calls.h")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(header), "#define DEVICE_NAMES(X) \\\n")
	text, _, _ = strings.Cut(text, "\n\n")
	file := strings.Replace(notice, "family.h", "device_calls.h", 1) + strings.TrimSuffix(platforms, "\n\n") + " && !cgoheap_wrap\n\n" +
		"#include \"public.h\"\n\nPUBLIC(dlsym, cgoheap_device_dlsym)\nPUBLIC(dlclose, cgoheap_device_dlclose)\n"
	for line := range strings.Lines(text) {
		row := regexp.MustCompile(`^\tX\((\w+), (\w+), ([01])\)`).FindStringSubmatch(line)
		if row == nil {
			t.Fatalf("a row of DEVICE_NAMES is not understood: %s", line)
		}
		file += "PUBLIC(" + row[1] + ", cgoheap_device_" + row[2] + "_" + row[3] + ")\n"
	}
	return file
}

// made returns what is made from family.h and from device_calls.h, by file.
func made(t *testing.T) map[string]string {
	all := withMapped(t, hooked(t))
	files := map[string]string{"wrap.go": wrapFlags(all), "../symbolize/family.go": leaves(all)}
	files["../allocators/cuda/public.c"] = publicNames(t)
	for _, b := range broughtFamilies(t) {
		files["brought_"+b.name+".c"] = b.hooks()
		files["../allocators/"+b.name+"/wrap.go"] = b.flags(t)
	}
	return files
}

func TestWhatIsMadeFromFamilyAgreesWithIt(t *testing.T) {
	for file, text := range made(t) {
		want, err := []byte(text), error(nil)
		if strings.HasSuffix(file, ".go") {
			want, err = format.Source(want)
		}
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, want, 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s does not agree with family.h (%v): go test ./cgo -run Family -update", file, err)
		}
	}
}

func TestFamilyHasEachFunctionOnce(t *testing.T) {
	names := map[string]bool{}
	for _, f := range withMapped(t, hooked(t)) {
		if names[f.name] {
			t.Errorf("%s is in family.h twice", f.name)
		}
		names[f.name] = true
		if !slices.Contains([]string{"GIVES", "STORES", "RESIZES", "TAKES"}, f.does) {
			t.Errorf("%s does what family.h does not explain: %s", f.name, f.does)
		}
	}
}

// A row without a hook would build: nobody needs its symbol.
func TestEachCallThatMapsHasAHook(t *testing.T) {
	files, err := filepath.Glob("hooks_*.c")
	if err != nil {
		t.Fatal(err)
	}
	var text []byte
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, source...)
	}
	for _, f := range withMapped(t, nil) {
		if !regexp.MustCompile(`(?m)^\S.*\bhook_` + f.name + `\(.*\n\{`).Match(text) {
			t.Errorf("%s has a row in mapped_calls.h, and no hook", f.name)
		}
	}
}
