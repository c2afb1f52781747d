package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// An entry is a row of the tree, with what all tests ask of it.
type entry struct {
	*row
	in, imported []string          // files
	dirs         map[string]bool   // of the packages that it names
	named        map[string]string // other files and folders that these name, and who does
}

var entries = sync.OnceValues(func() (map[string]*entry, error) {
	rows, err := readRows()
	if err != nil {
		return nil, err
	}
	all := make(map[string]*entry)
	for name, r := range rows {
		e := &entry{row: r}
		var failed [4]error
		e.in, failed[0] = r.all()
		e.imported, failed[1] = r.imported()
		e.dirs, failed[2] = r.folders()
		e.named, failed[3] = e.names()
		if err := errors.Join(failed[:]...); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all[name] = e
	}
	return all, nil
})

// theRows are those of the tree, which becomes the working folder.
func theRows(t *testing.T) map[string]*entry {
	t.Helper()
	t.Chdir("../../..")
	rows, err := entries()
	if err != nil || len(rows) < 5 {
		t.Fatalf("%d rows: %v", len(rows), err)
	}
	return rows
}

// A folder that is moved away would otherwise change nothing.
func TestAllListedInputsExistAndHashesAreOfListedTests(t *testing.T) {
	rows := theRows(t)
	for name, r := range rows {
		if len(r.in) == 0 {
			t.Errorf("%s has no files", name)
		}
	}
	recorded, err := readTable(passedFile)
	if err != nil {
		t.Fatal(err)
	}
	for name, hash := range recorded {
		if rows[name] == nil || len(hash) != 1 || !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(hash[0]) {
			t.Errorf("%s: %q", name, hash)
		}
	}
}

// commands is what .ci/run has passed run, by name.
func commands(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(".ci/run")
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]string)
	for _, match := range regexp.MustCompile(`(?m)^\s.*?\bunchanged (\w+) (make .*)$|^step .*\bunchanged (\w+) (make .*)$`).FindAllStringSubmatch(string(text), -1) {
		found[match[1]+match[3]] = match[2] + match[4]
	}
	return found
}

var (
	goTest   = regexp.MustCompile(`out/tests .*? (\S+) -- (.*)`)
	building = regexp.MustCompile(`(?m)^cd (e2e\S*) && go (?:build|run) .*?(\./\w+|\.)(?: |$)`)
)

func TestARowHasAllPackagesThatMakeRuns(t *testing.T) {
	rows := theRows(t)
	for _, name := range []string{"ALL", "AGAIN", "RECORD", "MAKEFLAGS"} {
		t.Setenv(name, "")
	}
	ran := commands(t)
	for name, r := range rows {
		if ran[name] == "" {
			t.Errorf(".ci/run does not run %s", name)
			continue
		}
		target := strings.Fields(ran[name])[1]
		out, err := exec.Command("make", "-n", target).CombinedOutput()
		if err != nil {
			t.Fatalf("make -n %s: %v\n%s", target, err, out)
		}
		found := 0
		for line := range strings.Lines(string(out)) {
			folder, words := packagesOf(line)
			for _, p := range words {
				if !strings.HasPrefix(p, ".") {
					continue
				}
				found++
				if !r.has(folder, p) {
					t.Errorf("%s runs %s in %s, and its row does not have it", name, p, folder)
				}
			}
		}
		if found == 0 && len(r.packages) > 0 {
			t.Errorf("make %s runs no package: does this test still read what make prints?\n%s", name, out)
		}
	}
}

// packagesOf returns the folder in which a line of make runs go, and words among which those are packages that begin with a dot.
func packagesOf(line string) (folder string, words []string) {
	if match := goTest.FindStringSubmatch(line); match != nil {
		return match[1], strings.Fields(match[2])
	}
	if match := building.FindStringSubmatch(line); match != nil {
		return match[1], match[2:]
	}
	return "", nil
}

// has reports whether the row has a package, or lists Go files of its folder.
func (r *row) has(folder, name string) bool {
	dir := filepath.Join(folder, name)
	return slices.ContainsFunc(r.packages, func(words []string) bool {
		return words[0] == folder && (slices.Contains(words[1:], name) || slices.Contains(words[1:], "./..."))
	}) || slices.ContainsFunc(r.files, func(p string) bool { return filepath.Dir(p) == dir && filepath.Ext(p) == ".go" })
}

var (
	quoted   = regexp.MustCompile(`"(\.\.?/[\w./-]+)"`)
	unquoted = regexp.MustCompile(`((?:\.\./)+[\w./-]*\w)`)
)

// Programs and files that a test names are inputs, too, although go list does not know them.
func TestARowHasAllThatItsTestsName(t *testing.T) {
	for name, r := range theRows(t) {
		for path, file := range r.named {
			if r.lacks(path) {
				t.Errorf("%s names %s, which is neither in nor out for %s", file, path, name)
			}
		}
	}
}

// names returns what is in the tree of the paths that the row's packages have as texts, and its makefiles; and who has them.
func (r *entry) names() (map[string]string, error) {
	named := make(map[string]string)
	for _, file := range r.in {
		pattern := quoted
		switch {
		case filepath.Base(file) == "Makefile":
			pattern = unquoted
		case !strings.HasSuffix(file, ".go") || !r.dirs[filepath.Dir(file)]:
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, match := range pattern.FindAllStringSubmatch(string(text), -1) {
			path := filepath.Join(filepath.Dir(file), match[1])
			if path != "." && !strings.HasPrefix(path, "..") && !strings.HasPrefix(path, "out/") && exists(path) { // in out is what was built
				named[path] = file
			}
		}
	}
	return named, nil
}

// folders are those of the packages that the row names.
func (r *row) folders() (map[string]bool, error) {
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	dirs := make(map[string]bool)
	for _, words := range r.packages {
		all, err := list(words[0], words[1:])
		if err != nil {
			return nil, err
		}
		for _, p := range all {
			if dir, err := filepath.Rel(root, p.Dir); err == nil && !p.DepOnly {
				dirs[dir] = true
			}
		}
	}
	return dirs, nil
}

// lacks reports whether something in the tree is neither in nor out. A program must be named as a package, so that what it
// imports is in, too.
func (r *entry) lacks(path string) bool {
	if r.dirs[path] || slices.ContainsFunc(slices.Concat(r.out, r.files), func(p string) bool { return matches(p, path) }) {
		return false
	}
	program, err := filepath.Glob(filepath.Join(path, "*.go"))
	return err != nil || len(program) > 0 || !slices.ContainsFunc(r.in, func(file string) bool { return matches(path, file) })
}

// A sentence may be spread over the lines that follow each other.
func TestWhatIsOutIsImportedOrNamedAndASentenceSaysWhy(t *testing.T) {
	for name, r := range theRows(t) {
		for _, pattern := range r.out {
			if r.named[pattern] == "" && !slices.ContainsFunc(r.imported, func(file string) bool { return matches(pattern, file) }) {
				t.Errorf("%s: nothing imports %s, which is out", name, pattern)
			}
		}
	}
	text, err := os.ReadFile(inputsFile)
	if err != nil {
		t.Fatal(err)
	}
	said := make(map[string]bool)
	for line := range strings.Lines(string(text)) {
		if name, rest, found := strings.Cut(line, " "); found && name != "#" && strings.Contains(rest, "out: ") {
			said[name] = said[name] || strings.Contains(rest, "# ")
		}
	}
	for name, is := range said {
		if !is {
			t.Errorf("%s: no sentence says why something is out", name)
		}
	}
}

// make test leaves out what these run, so that another step cannot find what they do not see.
func TestNothingIsOutOfWhatIsTestedNowhereElse(t *testing.T) {
	rows := theRows(t)
	text, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	packages := regexp.MustCompile(`(?m)^packages_(\w+) *:= .+$`).FindAllSubmatch(text, -1)
	if len(packages) < 2 {
		t.Fatal("the Makefile does not name the packages")
	}
	for _, p := range packages {
		if r := rows[string(p[1])]; r == nil || len(r.out) > 0 {
			t.Errorf("%s: %v", p[1], r)
		}
	}
}
