package systemtest

import (
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files, and the list of the API that is promised")

// promised are the packages that users may depend on. All others may change in any release.
var promised = []string{module, module + "/auto", module + "/leaktest", module + "/nativebench", module + "/metrics",
	module + "/export", module + "/export/parca", module + "/export/post", module + "/export/pyroscope"}

const apiFile = "testdata/api.txt"

// A line that changes or goes away breaks programs, or what asks them. One that is added is a promise for years.
func TestTheAPIIsTheListedOne(t *testing.T) {
	var lines []string
	for _, pkg := range promised {
		lines = append(lines, "package "+path.Base(pkg))
		lines = append(lines, declarations(t, pkg)...)
		lines = append(lines, "")
	}
	lines = append(append(lines, "header cgoheap.h"), headerDeclarations(t)...)
	for _, part := range []struct {
		title string
		lines []string
	}{
		{"variables of package auto", environmentVariables(t)},
		{"packages of allocators", allocatorPackages(t)},
		{"patterns of the handlers that package auto registers, and of PagesHandler", handlerPatterns(t)},
		{"parameters of Handler, and of PagesHandler", handlerParameters(t)},
		{"values of the parameter view", viewNames(t)},
	} {
		lines = append(append(lines, "", part.title), part.lines...)
	}
	got := strings.Join(lines, "\n") + "\n"
	if *update {
		if err := os.WriteFile(apiFile, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(apiFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("the API is not as in %s. If the change is meant, and CHANGELOG.md says so:\n"+
			"	go test ./internal/systemtest -run API -update\n%s", apiFile, diff)
	}
}

// declarations lists what a package exports, sorted, and reports types of packages that are not promised.
func declarations(t *testing.T, pkg string) []string {
	t.Helper()
	dir := filepath.Join("../..", filepath.FromSlash(strings.TrimPrefix(pkg, module)))
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d files, %v", dir, len(files), err)
	}
	a := api{lines: make(map[string]bool)}
	for _, file := range files {
		if !strings.HasSuffix(file, "_test.go") {
			if err := a.add(file); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, leak := range a.leaks {
		t.Errorf("package %s: %s", path.Base(pkg), leak)
	}
	var lines []string
	for line := range a.lines {
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return lines
}

// A package of export that is not internal is a target, which users import.
func TestEveryTargetIsPromised(t *testing.T) {
	files, err := filepath.Glob("../../export/*/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if dir := path.Base(filepath.ToSlash(filepath.Dir(file))); !slices.Contains(promised, module+"/export/"+dir) {
			t.Errorf("promised does not have export/%s, where %s is", dir, filepath.Base(file))
		}
	}
}

// Packages that users may come across state in their documentation that they are not for users.
func TestPackagesThatPromiseNothingSaySo(t *testing.T) {
	docs, err := filepath.Glob("../../*/doc.go")
	if err != nil || len(docs) < len(promised) {
		t.Fatal(docs, err)
	}
	for _, doc := range docs {
		name := filepath.Base(filepath.Dir(doc))
		if slices.Contains(promised, module+"/"+name) || hasFile(filepath.Dir(doc), "go.mod") {
			continue
		}
		text, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		want := "// Package " + name + " serves cgoheap alone: it may change in any release, and promises nothing to other modules.\n"
		if !strings.Contains(string(text), want) {
			t.Errorf("%s does not begin with %q", doc, want)
		}
	}
}

func hasFile(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}

func TestLeaksOfTheAPIAreFound(t *testing.T) {
	for about, c := range map[string]struct{ source, line, leak string }{
		"a function":           {"func F(a, b int, c ...string) (n int, err error) { return }", "func F(int, int, ...string) (int, error)", ""},
		"a method":             {"type T int; func (t *T) M() {}", "method (*T) M()", ""},
		"a method of a hidden": {"type t int; func (t) M() {}", "", ""},
		"a field":              {"type T struct { A, b []*int }", "field T.A []*int", ""},
		"a field in JSON":      {"type T struct { A int `json:\"a,omitempty\"` }", "field T.A int, in JSON a,omitempty", ""},
		"an embedded field":    {"type T struct { other.U }", "field T.U other.U", "field T.U other.U has a type of " + module + "/other"},
		"an interface":         {"type T interface { M(other.U) }", "method T.M(other.U)", "has a type of " + module + "/other"},
		"a sealed interface":   {"type T interface { hidden.U }", "sealed T", ""},
		"an open interface":    {"type T interface { other.U }", "embeds T other.U", "has a type of " + module + "/other"},
		"a type by another":    {"type T = other.U", "type T = other.U", "has a type of " + module + "/other"},
		"a function of types":  {"func F() func(map[string]other.U)", "func F() func(map[string]other.U)", "has a type of " + module + "/other"},
		"a promised type":      {"func F() auto.U", "func F() auto.U", ""},
		"a constant":           {"const A, b uint8 = 1, 2", "const A uint8", ""},
	} {
		t.Run(about, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "a.go")
			text := fmt.Sprintf("package a\nimport (%q; %q; %q)\n%s\n", module+"/other", module+"/internal/hidden", module+"/auto", c.source)
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			a := api{lines: make(map[string]bool)}
			if err := a.add(file); err != nil {
				t.Fatal(err)
			}
			if c.line != "" && !a.lines[c.line] || c.line == "" && len(a.lines) > 0 {
				t.Errorf("%v, want %q", a.lines, c.line)
			}
			if leaks := strings.Join(a.leaks, "\n"); !strings.Contains(leaks, c.leak) || c.leak == "" && leaks != "" {
				t.Errorf("leaks %q, want %q", leaks, c.leak)
			}
		})
	}
}
