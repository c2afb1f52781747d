//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package cgo

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The C of this package, and that of internal/twin, is made of parts. A part is a header that others include and the files whose names begin with its
// name: walk.h has walk.c, walk_c.c and walk_go.h, which only walk_go.c includes. A part needs another if it includes its
// header, or if its own header declares a function that the other defines. No part may need itself through others.
//
// And no file may need itself through others: a file needs another if its object has an undefined symbol, a function or a variable of
// any kind, that the other's object defines.

// source is the text of a C file without comments.
type source struct{ file, text string }

var comment = regexp.MustCompile(`(?s)//[^\n]*|/\*.*?\*/`)

func readSources(t *testing.T, folder string) (sources []source) {
	t.Helper()
	for _, pattern := range []string{"*.h", "*.c", "*.cc"} {
		files, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			sources = append(sources, source{filepath.Base(file), comment.ReplaceAllString(string(text), "")})
		}
	}
	return sources
}

// partOf returns the part that each file belongs to.
func partOf(sources []source) func(file string) string {
	doors := map[string]bool{}
	for _, s := range sources {
		for _, name := range include.FindAllStringSubmatch(s.text, -1) {
			door, from := stem(name[1]), stem(s.file)
			doors[door] = doors[door] || from != door && !strings.HasPrefix(door, from+"_")
		}
	}
	return func(file string) string {
		for name := stem(file); name != ""; name = name[:max(strings.LastIndexByte(name, '_'), 0)] {
			if doors[name] {
				return name
			}
		}
		return stem(file)
	}
}

var (
	include    = regexp.MustCompile(`(?m)^#\s*include "([a-z0-9_]+\.h)"`)
	prototype  = regexp.MustCompile(`(?m)^(?:[a-z][^\n;={}()#]*?)\b([a-z_0-9]+)\([^;{]*\);`)
	definition = regexp.MustCompile(`(?m)^[a-z_][^\n;#]*?\b([a-z_0-9]+)\([^;{]*\)\n\{`)
)

// needs returns, for each part, which parts it needs and why.
func needs(sources []source) map[string]map[string]string {
	part, defined, all := partOf(sources), map[string]string{}, map[string]map[string]string{}
	for _, s := range sources {
		if strings.HasSuffix(s.file, ".h") {
			continue
		}
		for _, name := range definition.FindAllStringSubmatch(s.text, -1) {
			if !strings.HasPrefix(name[0], "static ") {
				defined[name[1]] = s.file
			}
		}
	}
	add := func(from, to, why string) {
		if all[from] == nil {
			all[from] = map[string]string{}
		}
		if from != to {
			all[from][to] = why
		}
	}
	for _, s := range sources {
		from := part(s.file)
		for _, name := range include.FindAllStringSubmatch(s.text, -1) {
			add(from, part(name[1]), s.file+" includes "+name[1])
		}
		if !strings.HasSuffix(s.file, ".h") {
			continue
		}
		for _, name := range prototype.FindAllStringSubmatch(s.text, -1) {
			if file, ok := defined[name[1]]; ok {
				add(from, part(file), fmt.Sprintf("%s declares %s, which is in %s", s.file, name[1], file))
			}
		}
	}
	return all
}

// circle returns the steps of a path from a part to itself; nil if there is none.
func circle(all map[string]map[string]string) []string {
	done := map[string]bool{}
	var on, why, found []string
	var visit func(part string)
	visit = func(part string) {
		if at := slices.Index(on, part); at >= 0 && found == nil {
			found = slices.Clone(why[at:])
		}
		if done[part] || found != nil {
			return
		}
		done[part] = true
		on = append(on, part)
		for _, to := range sorted(all[part]) {
			why = append(why, all[part][to])
			visit(to)
			why = why[:len(why)-1]
		}
		on = on[:len(on)-1]
	}
	for _, part := range sorted(all) {
		visit(part)
	}
	return found
}

func sorted[V any](m map[string]V) (keys []string) {
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func TestNoPartOfTheCNeedsItselfThroughOthers(t *testing.T) {
	for folder, least := range folders {
		all := needs(readSources(t, folder))
		if len(all) < least.parts {
			t.Fatalf("%s: the files were not understood: %v", folder, all)
		}
		if way := circle(all); way != nil {
			t.Errorf("%s: a circle:\n\t%s", folder, strings.Join(way, "\n\t"))
		}
	}
}

var (
	objectName = regexp.MustCompile(`(?m)^(.+): (\S+)\.(c|cc) a .*$`)                   // the file that an object is made of
	symbolKind = regexp.MustCompile(`(?m)^(.+): (\S+) ([A-Zuw])(?: ([0-9a-f]+).*| *)$`) // no local ones; a weak one may have no value
)

// needsOfFiles returns, for each file, which files it needs and why, by what nm -a -A --format=posix says of their objects.
func needsOfFiles(symbols string) map[string]map[string]string {
	file, defined, all := map[string]string{}, map[string]string{}, map[string]map[string]string{}
	for _, row := range objectName.FindAllStringSubmatch(symbols, -1) {
		file[row[1]] = row[2] + "." + row[3]
		all[file[row[1]]] = map[string]string{}
	}
	rows := symbolKind.FindAllStringSubmatch(symbols, -1)
	for _, row := range rows {
		if row[4] != "" {
			defined[row[2]] = file[row[1]]
		}
	}
	for _, row := range rows {
		if row[4] != "" {
			continue
		}
		for _, name := range []string{row[2], "__wrap_" + row[2]} { // the linker's --wrap leads to the latter
			if from, to := file[row[1]], defined[name]; to != "" && to != from {
				all[from][to] = from + " needs " + name + ", which is in " + to
			}
		}
	}
	return all
}

func TestNoFileOfTheCNeedsItselfThroughOthers(t *testing.T) {
	type build struct{ folder, tag string }
	builds := []build{{".", ""}, {"../internal/twin", ""}}
	if !testing.Short() {
		builds = append(builds, build{".", "cgoheap_operators"}, build{".", "cgoheap_wrap"})
	}
	for _, b := range builds {
		all := needsOfFiles(symbolsOf(t, b.folder, b.tag, "-a", "-A", "--format=posix"))
		edges := 0
		for _, needed := range all {
			edges += len(needed)
		}
		if least := folders[b.folder]; len(all) < least.objects || edges < least.edges {
			t.Fatalf("%q: the objects were not understood: %v", b, all)
		}
		if way := circle(all); way != nil {
			t.Errorf("%q: a circle:\n\t%s", b, strings.Join(way, "\n\t"))
		}
	}
}

func TestCirclesOfFilesAreFound(t *testing.T) {
	for about, c := range map[string]struct{ symbols, want string }{
		"a way down":                        {"l[1]: a.c a 0 \nl[1]: f U         \nl[2]: b.c a 0 \nl[2]: f T 0 10\nl[2]: malloc U         \n", ""},
		"a function, and one of a thread's": {"l[1]: a.c a 0 \nl[1]: f U         \nl[1]: thread B 0 8\nl[2]: b.cc a 0 \nl[2]: f T 0 10\nl[2]: thread U         \n", "a.c needs f, which is in b.cc, b.cc needs thread, which is in a.c"},
		"a weak one":                        {"l[1]: a.c a 0 \nl[1]: f w         \nl[1]: mmap W 0 8\nl[2]: b.c a 0 \nl[2]: f T 0 10\nl[2]: mmap U         \n", "a.c needs f, which is in b.c, b.c needs mmap, which is in a.c"},
		"one that the linker wraps":         {"l[1]: a.c a 0 \nl[1]: f U         \nl[1]: __wrap_mmap W 0 8\nl[2]: b.c a 0 \nl[2]: f D 0 10\nl[2]: mmap U         \n", "a.c needs f, which is in b.c, b.c needs __wrap_mmap, which is in a.c"},
		"local ones of the same name":       {"l[1]: a.c a 0 \nl[1]: f U         \nl[1]: g t 0 8\nl[2]: b.c a 0 \nl[2]: f R 0 10\nl[2]: g U         \n", ""},
	} {
		if got := strings.Join(circle(needsOfFiles(c.symbols)), ", "); got != c.want {
			t.Errorf("%s: %q, want %q", about, got, c.want)
		}
	}
}

func TestCirclesAreFound(t *testing.T) {
	for about, c := range map[string]struct {
		files map[string]string
		want  string // the steps of the path, in order; "" if there is none
	}{
		"a way down":                    {map[string]string{"a.h": "", "b.h": `#include "a.h"`, "b.c": `#include "b.h"`, "c.c": `#include "b.h"`}, ""},
		"headers of each other's files": {map[string]string{"a.h": "", "b.h": "", "a.c": `#include "b.h"`, "b.c": `#include "a.h"`}, "a.c includes b.h, b.c includes a.h"},
		"a function of another file": {map[string]string{"a.h": "void f(int n);", "b.h": "", "a.c": `#include "a.h"`,
			"b.c": "#include \"a.h\"\nvoid f(int n)\n{\n}", "c.c": `#include "b.h"`}, "a.h declares f, which is in b.c, b.c includes a.h"},
		"files of one part":  {map[string]string{"a.h": "void f(int n);", "a_b.c": "#include \"a.h\"\nvoid f(int n)\n{\n}", "c.c": `#include "a.h"`}, ""},
		"a header in a note": {map[string]string{"a.h": `// #include "b.h"`, "b.h": `#include "a.h"`, "c.c": `#include "b.h"`}, ""},
	} {
		folder := t.TempDir()
		for name, text := range c.files {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(text+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got := strings.Join(circle(needs(readSources(t, folder))), ", "); got != c.want {
			t.Errorf("%s: %q, want %q", about, got, c.want)
		}
	}
}
