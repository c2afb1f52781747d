package layering

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBreachesOfThePlanAreFound(t *testing.T) {
	const base = `import _ "` + module
	for about, c := range map[string]struct {
		files map[string]string
		want  string // part of the only fault; "" for none
	}{
		"a module to plan": {map[string]string{
			"a.go":              "package cgoheap\n" + base + `/alloc"`,
			"cgo/c.go":          "package cgo\n" + `import "C"` + "\n" + base + `/stack"`,
			"cgo/a_linux.c":     "",
			"cgo/b.c":           "//go:build linux && cgo\n\n",
			"cgo/b.h":           "",
			"alloc/alloc.go":    "package alloc\n" + base + `/internal/unwind"` + "\nimport _ \"github.com/cgoheap/cgoheapx\"",
			"examples/one/m.go": "package main\n" + base + `"`,
		}, ""},
		"an import upward":                     {map[string]string{"stack/a.go": "package stack\n" + base + `/alloc"`}, "only downward"},
		"an import of a neighbour":             {map[string]string{"cgo/a.go": "package cgo\n" + base + `/internal/unwind"`}, "only downward"},
		"an import of the root":                {map[string]string{"pprof/a.go": "package pprof\n" + base + `"`}, "only downward"},
		"an import among several":              {map[string]string{"stack/a.go": "package stack\nimport (\n\t\"fmt\"\n\tx \"" + module + "/cgo\"\n)"}, "only downward"},
		"an import on another platform":        {map[string]string{"stack/a_windows.go": "package stack\n" + base + `/cgo"`}, "only downward"},
		"an import of the victim":              {map[string]string{"alloc/a.go": "package alloc\n" + base + `/internal/victim"`}, "for tests only"},
		"a test-only package imports anything": {map[string]string{"internal/profiletest/a.go": "package profiletest\n" + base + `/internal/victim"`}, ""},
		"an import of no package":              {map[string]string{"alloc/a.go": "package alloc\n" + base + `/cellar"`}, "not on the plan"},
		"another import of C":                  {map[string]string{"alloc/a.go": "package alloc\n" + `import "C"`}, "may import C"},
		"a package that is not planned":        {map[string]string{"util/a.go": "package util"}, "not on the plan"},
		"a folder with C only":                 {map[string]string{"util/a_linux.c": ""}, "not on the plan"},
		"C without a guard":                    {map[string]string{"cgo/a.c": "int a;"}, "compiled off Linux"},
		"C++ with a guard for all":             {map[string]string{"cgo/a.cc": "//go:build cgo\n\n"}, "compiled off Linux"},
		"C of a test-only package":             {map[string]string{"internal/victim/a.c": "int a;"}, ""},
		"a file that is not Go":                {map[string]string{"stack/a.go": "pakage stack"}, "expected 'package'"},
		"a test that imports anything":         {map[string]string{"stack/a_test.go": "package stack\n" + base + `/internal/victim"`}, ""},
		"a nested module":                      {map[string]string{"tools/go.mod": "module x", "tools/a.go": "package x\n" + `import "C"`}, ""},
		"test data":                            {map[string]string{"cgo/testdata/a.c": "", "cgo/testdata/a.go": "package a"}, ""},
		"a folder that Go does not see":        {map[string]string{".ci/a.go": "package a", "_old/a.go": "package a"}, ""},
		"an example may import anything":       {map[string]string{"examples/one/a.go": "package main\n" + `import "C"` + "\n" + base + `/alloc"`}, ""},
	} {
		t.Run(about, func(t *testing.T) {
			checkFaults(t, inspect(tree(t, c.files)), c.want)
		})
	}
}

func TestPackageWithoutAnEssayIsFound(t *testing.T) {
	root := tree(t, map[string]string{"stack/a.go": "package stack"})
	if err := os.Remove(filepath.Join(root, "stack", "doc.go")); err != nil {
		t.Fatal(err)
	}
	checkFaults(t, inspect(root), "stack has no doc.go")
}

func checkFaults(t *testing.T, faults []string, want string) {
	t.Helper()
	switch {
	case want == "" && len(faults) > 0:
		t.Errorf("faults: %q", faults)
	case want != "" && (len(faults) != 1 || !strings.Contains(faults[0], want)):
		t.Errorf("faults: %q, want one with %q", faults, want)
	}
}

// tree writes the files and a doc.go beside each.
func tree(t *testing.T, files map[string]string) (root string) {
	t.Helper()
	root = t.TempDir()
	for name, text := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		write(t, file, text)
		write(t, filepath.Join(filepath.Dir(file), "doc.go"), "package "+packageName(text))
	}
	return root
}

func packageName(text string) string {
	if fields := strings.Fields(text); len(fields) > 1 && fields[0] == "package" {
		return fields[1]
	}
	return "x"
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
