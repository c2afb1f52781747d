package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// inTree makes a folder with files the working folder. Among them is a list with the inputs of a test called long.
func inTree(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	for path, text := range map[string]string{
		inputsFile: "long a *.go # both\nlong b/c\nother b\n", passedFile: "# hashes\n",
		"a/one": "1", "a/two": "2", "b/c": "3", "b/unlisted": "4", "x.go": "5", "x.c": "6",
	} {
		write(t, path, text)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// runs reports whether the command ran, and wants it to end well.
func runs(t *testing.T, always bool) bool {
	t.Helper()
	mark := filepath.Join(t.TempDir(), "ran")
	if err := run("long", []string{"touch", mark}, always); err != nil {
		t.Fatal(err)
	}
	_, err := os.Stat(mark)
	return err == nil
}

func TestATestRunsOnlyIfItsInputsChanged(t *testing.T) {
	inTree(t)
	if !runs(t, false) || runs(t, false) {
		t.Error("it must run the first time only")
	}
	if !runs(t, true) {
		t.Error("with -always it must run")
	}
	for _, change := range []struct {
		name  string
		apply func() error
	}{
		{"another text", func() error { return os.WriteFile("a/one", []byte("7"), 0o600) }},
		{"texts that are exchanged", func() error { return os.WriteFile("x.go", []byte("3"), 0o600) }},
		{"a new file", func() error { return os.WriteFile("a/new", nil, 0o600) }},
		{"a file that matches a pattern", func() error { return os.WriteFile("y.go", nil, 0o600) }},
		{"another name", func() error { return os.Rename("a/one", "a/three") }},
		{"a file less", func() error { return os.Remove("a/two") }},
	} {
		if err := change.apply(); err != nil {
			t.Fatal(err)
		}
		if !runs(t, false) {
			t.Errorf("%s: it does not run", change.name)
		}
		if runs(t, false) {
			t.Errorf("%s: it runs twice", change.name)
		}
	}
	write(t, "b/unlisted", "7")
	write(t, "x.c", "7")
	if runs(t, false) {
		t.Error("it runs for files that it does not list")
	}
}

func TestNothingIsRecordedOfARunThatFailsOrChangesItsInputs(t *testing.T) {
	inTree(t)
	if err := run("long", []string{"false"}, false); err == nil {
		t.Error("the failure is lost")
	}
	if err := run("long", []string{"sh", "-c", "echo 8 >a/one"}, false); err != nil {
		t.Error(err)
	}
	if err := run("unlisted", []string{"true"}, false); err == nil {
		t.Error("a name without inputs is accepted")
	}
	if err := os.RemoveAll("a"); err != nil {
		t.Fatal(err)
	}
	if err := run("long", []string{"true"}, false); err == nil {
		t.Error("inputs that are not there are accepted")
	}
	if text, err := os.ReadFile(passedFile); err != nil || string(text) != "# hashes\n" {
		t.Errorf("recorded: %q, %v", text, err)
	}
}

func TestAHashOfAnythingElseDoesNotCount(t *testing.T) {
	inTree(t)
	hash, err := inputs("other")
	if err != nil {
		t.Fatal(err)
	}
	write(t, passedFile, "long "+hash+"\n")
	if !runs(t, false) || runs(t, false) {
		t.Error("it must run once")
	}
	if text, err := os.ReadFile(passedFile); err != nil || strings.Contains(string(text), hash) {
		t.Errorf("the old hash is still there: %s, %v", text, err)
	}
}

// A folder that is moved away would otherwise change nothing.
func TestAllListedInputsExistAndHashesAreOfListedTests(t *testing.T) {
	t.Chdir("../../..")
	rows, err := readTable(inputsFile)
	if err != nil || len(rows) < 5 {
		t.Fatalf("%d rows: %v", len(rows), err)
	}
	for name := range rows {
		if _, err := inputs(name); err != nil {
			t.Error(err)
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

// The short tests of these packages run with names or simulated only, so that nothing that one of them imports may be left out.
func TestInputsAreAllThatPackagesImportWhichAreTestedNowhereElse(t *testing.T) {
	t.Chdir("../../..")
	text, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	packages := regexp.MustCompile(`(?m)^packages_(\w+) *:= (.+)$`).FindAllSubmatch(text, -1)
	if len(packages) < 2 {
		t.Fatal("the Makefile does not name the packages")
	}
	rows, err := readTable(inputsFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range packages {
		name := string(p[1])
		dirs := imported(t, strings.Fields(string(p[2])))
		if len(dirs) < 2 {
			t.Errorf("%s: %v", name, dirs)
		}
		for _, dir := range dirs {
			if !slices.ContainsFunc(rows[name], func(input string) bool { return dir == input || strings.HasPrefix(dir, input+"/") }) {
				t.Errorf("%s is no input of %s", dir, name)
			}
		}
	}
}

// imported lists the folders of these packages, of their tests and of all that they import, as far as they are in the tree.
func imported(t *testing.T, packages []string) (dirs []string) {
	t.Helper()
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	list := exec.Command("go", append([]string{"list", "-test", "-deps", "-f", "{{.Dir}}"}, packages...)...)
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	for dir := range strings.Lines(string(out)) {
		if name, inside := strings.CutPrefix(strings.TrimSpace(dir), root+"/"); inside {
			dirs = append(dirs, name)
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(dirs)))
}
