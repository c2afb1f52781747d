package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// inTree makes a folder with files the working folder. Among them is a list with the inputs of a test called long.
func inTree(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	for path, text := range map[string]string{
		inputsFile: "long files: a *.go # both\nlong files: b/c\nother files: b\n", passedFile: "# hashes\n",
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
	return ranWith(t, always, "touch", "ran")
}

// ranWith runs a command that leaves the file ran.
func ranWith(t *testing.T, always bool, words ...string) bool {
	t.Helper()
	if err := run("long", words, always); err != nil {
		t.Fatal(err)
	}
	return os.Remove("ran") == nil
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
	other, err := hash("other", []string{"true"})
	if err != nil {
		t.Fatal(err)
	}
	write(t, passedFile, "long "+other+"\n")
	if !runs(t, false) || runs(t, false) {
		t.Error("it must run once")
	}
	if text, err := os.ReadFile(passedFile); err != nil || strings.Contains(string(text), other) {
		t.Errorf("the old hash is still there: %s, %v", text, err)
	}
}

// What is found by go list need not be listed, and what is out is.
func TestAllThatPackagesImportCountsButWhatIsOut(t *testing.T) {
	inTree(t)
	write(t, inputsFile, "long go: m ./p # a package\nlong out: m/q/out*.go m/r # no matter\nlong files: m/r/in.go\n")
	for path, text := range map[string]string{
		"m/go.mod": "module m\n\ngo 1.25\n", "m/p/p.go": "package p\n\nimport _ \"m/q\"\n", "m/p/p_test.go": "package p\n\nimport _ \"m/r\"\n",
		"m/p/testdata/a": "1", "m/q/q.go": "package q\n", "m/q/q_plan9.go": "package q\n", "m/q/out.go": "package q\n",
		"m/q/q_test.go": "package q\n", "m/q/q_plan9_test.go": "package q\n", "m/r/r.go": "package r\n", "m/r/in.go": "package r\n", "m/s/s.go": "package s\n",
	} {
		write(t, path, text)
	}
	if !runs(t, false) || runs(t, false) {
		t.Error("it must run the first time only")
	}
	for path, want := range map[string]bool{
		"m/go.mod": true, "m/p/p.go": true, "m/p/p_test.go": true, "m/p/testdata/a": true, "m/q/q.go": true, "m/q/q_plan9.go": true,
		"m/r/in.go": true, "m/q/out.go": false, "m/q/q_test.go": false, "m/q/q_plan9_test.go": false, "m/r/r.go": false, "m/s/s.go": false,
	} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		write(t, path, string(text)+"\n")
		if got := runs(t, false); got != want {
			t.Errorf("after a change of %s: runs %t, want %t", path, got, want)
		}
	}
	write(t, inputsFile, "long go: m ./absent\n")
	if err := run("long", []string{"true"}, false); err == nil {
		t.Error("a package that is not there is accepted")
	}
}

func TestTheCommandItsRuleAndTheToolsCount(t *testing.T) {
	inTree(t)
	bin := t.TempDir()
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	tool := func(text string) {
		write(t, filepath.Join(bin, "welder"), "#!/bin/sh\necho "+text+"; echo more\n")
		if err := os.Chmod(filepath.Join(bin, "welder"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	makefile := func(way, unused string) {
		write(t, "Makefile", "way := "+way+"\nunused := "+unused+"\nother: ## Help.\n\t@touch $(unused)\nlong: ## Help: "+unused+"\n\t@touch $(N)$(way)\n")
	}
	makefile("ran", "a")
	write(t, inputsFile, "long files: a\nlong tools: welder\n")
	for _, change := range []struct {
		name  string
		apply func()
		words []string
		want  bool
	}{
		{"the first time", func() {}, []string{"make", "long"}, true},
		{"nothing", func() {}, []string{"make", "long"}, false},
		{"a tool that was missing", func() { tool("welder 1") }, []string{"make", "long"}, true},
		{"another version", func() { tool("welder 2") }, []string{"make", "long"}, true},
		{"nothing", func() {}, []string{"make", "long"}, false},
		{"another word", func() {}, []string{"make", "long", "M=1"}, true},
		{"a variable that the rule names", func() { makefile("./ran", "a") }, []string{"make", "long", "M=1"}, true},
		{"another rule, and help", func() { makefile("./ran", "b") }, []string{"make", "long", "M=1"}, false},
	} {
		change.apply()
		if got := ranWith(t, false, change.words...); got != change.want {
			t.Errorf("%s: runs %t, want %t", change.name, got, change.want)
		}
	}
	if err := run("long", []string{"make", "absent"}, false); err == nil {
		t.Error("a target that is not there is accepted")
	}
}

// With or without RECORD of its own, and whatever was flaky before.
func TestARunWithAFlakyTestIsNotRecorded(t *testing.T) {
	inTree(t)
	flaky := []string{"sh", "-c", `touch ran; echo '{"Flaky":[{"Name":"TestRare"}]}' >>"$RECORD"`}
	for _, record := range []string{"", filepath.Join(t.TempDir(), "record")} {
		t.Setenv("RECORD", record)
		for i := range 2 {
			if !ranWith(t, false, flaky...) {
				t.Errorf("RECORD=%q: it does not run in run %d", record, i)
			}
		}
	}
	if !runs(t, false) || runs(t, false) {
		t.Error("after a run without a flaky test it must not run")
	}
}
