package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// make mutants takes long. So this says at once that a patch, or its test, must follow a change.
func TestEachPatchFitsTheTree(t *testing.T) {
	list, err := mutants("patches", nil)
	if err != nil || len(list) == 0 {
		t.Fatalf("%d patches: %v", len(list), err)
	}
	for _, m := range list {
		if err := m.rotten("../../.."); err != nil {
			t.Errorf("tools/tests/mutants/patches/%s.patch: %v", m.name, err)
		}
	}
}

// replaced are the texts that a patch replaces, by file.
func (m *mutant) replaced() map[string][]string {
	found := make(map[string][]string)
	var file string
	for line := range strings.Lines(m.patch) {
		texts := found[file]
		switch {
		case strings.HasPrefix(line, "--- a/"):
			file = strings.TrimSpace(line[len("--- a/"):])
		case strings.HasPrefix(line, "@@ "):
			found[file] = append(texts, "")
		case len(texts) > 0 && (line[0] == ' ' || line[0] == '-'):
			texts[len(texts)-1] += line[1:]
		}
	}
	return found
}

// rotten returns what is wrong with a mutant for the tree as it is now.
func (m *mutant) rotten(tree string) error {
	for path, texts := range m.replaced() {
		file, err := os.ReadFile(filepath.Join(tree, path))
		if err != nil {
			return err
		}
		for _, text := range texts {
			if n := strings.Count("\n"+string(file), "\n"+text); n != 1 {
				return fmt.Errorf("%s has the text %d times:\n%s", path, n, text)
			}
		}
	}
	if len(m.replaced()) == 0 {
		return errors.New("the patch changes nothing")
	}
	return m.testIsThere(tree)
}

func (m *mutant) testIsThere(tree string) error {
	pattern, text := filepath.Join(m.cTests(tree), m.test[1]+".c"), m.sentence()
	if m.test[0] != "ctest" {
		pattern, text = filepath.Join(tree, m.test[0], m.test[1], "*_test.go"), "\nfunc "+m.test[2]+"("
	}
	files, err := filepath.Glob(pattern)
	if slices.ContainsFunc(files, func(path string) bool {
		file, err := os.ReadFile(path)
		return err == nil && strings.Contains(string(file), text)
	}) {
		return err
	}
	return fmt.Errorf("there is no test %s", strings.Join(m.test, " "))
}

// scratchTree makes a committed tree with a module and mistakes, by name, that change a line of it.
func scratchTree(t *testing.T, mistakes map[string][2]string) (tree, patches string) {
	t.Helper()
	tree, patches = t.TempDir(), t.TempDir()
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(tree, "go.mod"), "module scratch\n\ngo 1.25\n")
	write(filepath.Join(tree, "a.go"), "package scratch\n\nvar one = 1\nvar two = 2\n")
	write(filepath.Join(tree, "a_test.go"), `package scratch
import "testing"
func TestOne(t *testing.T) { if one != 1 { t.Error(one) } }
func TestBad(t *testing.T) { t.Error("bad") }
`)
	for name, m := range mistakes {
		write(filepath.Join(patches, name+".patch"), fmt.Sprintf("All is %s.\ntest: . . %s\n\ndiff --git a/a.go b/a.go\n--- a/a.go\n+++ b/a.go\n"+
			"@@ -3,2 +3,2 @@\n%s\n", name, m[0], m[1]))
	}
	for _, words := range []string{"init -q", "add .", "-c user.name=a -c user.email=a commit -q -m a"} {
		if out, err := exec.Command("git", append([]string{"-C", tree}, strings.Fields(words)...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", words, err, out)
		}
	}
	return tree, patches
}

func TestAMistakeIsNoticedOnlyIfItsTestFailsAndPassesWithoutIt(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-all runs it")
	}
	const other = "-var one = 1\n+var one = 3\n var two = 2"
	mistakes := map[string][2]string{
		"noticed":  {"TestOne", other},
		"bad":      {"TestBad", other},
		"survives": {"TestOne", " var one = 1\n-var two = 2\n+var two = 3"},
		"unbuilt":  {"TestOne", "-var one = 1\n+var one = x\n var two = 2"},
		"stale":    {"TestOne", "-var one = 2\n+var one = 3\n var two = 2"},
	}
	tree, patches := scratchTree(t, mistakes)
	var out bytes.Buffer
	if good, err := run(t.Context(), &out, tree, patches, filepath.Join(t.TempDir(), "scratch"), nil); good || err != nil {
		t.Errorf("%v, %v", good, err)
	}
	for _, want := range []string{
		"noticed: noticed\n", "SURVIVED: survives: ", "1 of 5 were noticed\n", "All is survives.\n",
		"ERROR: bad: the test fails without", "ERROR: unbuilt: go list", "ERROR: stale: git apply",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if list, err := mutants(patches, []string{"noticed"}); err != nil || len(list) != 1 {
		t.Errorf("one alone: %v, %v", list, err)
	}
	if _, err := mutants(patches, []string{"none"}); err == nil {
		t.Error("a name that none has is no error")
	}
	for name := range mistakes {
		m, err := read(filepath.Join(patches, name+".patch"))
		if err != nil {
			t.Fatal(err)
		}
		if err := m.rotten(tree); (err != nil) != (name == "stale") {
			t.Errorf("%s: %v", name, err)
		}
		if m.test[2] += "s"; m.rotten(tree) == nil {
			t.Errorf("%s: the test %s is there", name, m.test[2])
		}
	}
}

func TestARunMeetsWhatAKilledOneLeftAndNoOtherRun(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "scratch")
	left := filepath.Join(folder, "tree", "left")
	if err := os.MkdirAll(left, 0o700); err != nil {
		t.Fatal(err)
	}
	leave, err := enter(folder)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what was left is there: %v", err)
	}
	if _, err := enter(folder); err == nil {
		t.Error("two runs have the folder")
	}
	leave()
	if leave, err = enter(folder); err != nil {
		t.Fatalf("after the first has ended: %v", err)
	}
	leave()
}
