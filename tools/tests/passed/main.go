// Command passed runs a long test only if what it depends on has changed since it last passed.
//
//	passed [-always] NAME COMMAND...
//
// inputs.txt lists what each name depends on, and passed.txt has a hash of it, from when the command last succeeded. If the hash
// is the same now, nothing runs. Otherwise the command runs, and if it succeeds, passed.txt gets the new hash: a change of it
// belongs into the commit. A hash that was taken of anything else does not fit, so the command runs.
//
// The hash is of the listed files, of the command's words, of what the Makefile says of the target if the command is make, of the
// machine's kind, and of the versions of Go, gcc and the tools that are listed. It is the same in each folder and on each machine
// that has the same tools.
//
// A run in which a test failed once and then no more (package tests) is not recorded: what fails rarely runs the next time too.
//
// With -always, the command runs in any case: it may also fail for what is not listed, such as another version of a library.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// The folders are named from the repository's root, where the command runs too.
const (
	inputsFile = "tools/tests/passed/inputs.txt"
	passedFile = "tools/tests/passed/passed.txt"
)

func main() {
	always := flag.Bool("always", false, "run the command even if nothing has changed")
	flag.Parse()
	if flag.NArg() < 2 {
		fmt.Fprintln(os.Stderr, "passed: want a name and a command")
		os.Exit(2)
	}
	if err := run(flag.Arg(0), flag.Args()[1:], *always); err != nil {
		fmt.Fprintln(os.Stderr, "passed:", err)
		os.Exit(1)
	}
}

func run(name string, words []string, always bool) error {
	before, err := hash(name, words)
	if err != nil {
		return err
	}
	recorded, err := readTable(passedFile)
	if err != nil {
		return err
	}
	if old := recorded[name]; !always && len(old) == 1 && old[0] == before {
		fmt.Printf("%s passed with the same files and tools: not run again (%s, %s)\n", name, passedFile, inputsFile)
		return nil
	}
	flaky, err := runNoting(words)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if flaky > 0 {
		fmt.Printf("%s passed, but %d of its tests had failed at first: not recorded\n", name, flaky)
		return nil
	}
	after, err := hash(name, words)
	if err != nil {
		return err
	}
	if after != before {
		fmt.Printf("%s passed, but files or tools have changed meanwhile, and nobody knows which of them were tested: not recorded\n", name)
		return nil
	}
	if old := recorded[name]; len(old) == 1 && old[0] == after {
		return nil
	}
	fmt.Printf("%s passed: to be committed: %s\n", name, passedFile)
	return record(name, after)
}

// runNoting runs a command and returns how many flaky tests it added to the file that RECORD names. Without one, it makes one.
func runNoting(words []string) (flaky int, err error) {
	path := os.Getenv("RECORD")
	if path == "" {
		file, err := os.CreateTemp("", "cgoheap-passed-")
		if err != nil {
			return 0, err
		}
		path = file.Name()
		defer func() { _ = os.Remove(path) }()
		if err := file.Close(); err != nil {
			return 0, err
		}
	}
	before, err := flakyIn(path)
	if err != nil {
		return 0, err
	}
	command := exec.Command(words[0], words[1:]...)
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	command.Env = append(os.Environ(), "RECORD="+path)
	if err := command.Run(); err != nil {
		return 0, err
	}
	after, err := flakyIn(path)
	return after - before, err
}

// flakyIn counts the flaky tests in a file of -record of package tests. It may be missing.
func flakyIn(path string) (n int, err error) {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer file.Close()
	for lines := json.NewDecoder(file); ; {
		var counts struct{ Flaky []json.RawMessage }
		if err := lines.Decode(&counts); errors.Is(err, io.EOF) {
			return n, nil
		} else if err != nil {
			return n, fmt.Errorf("%s: %w", path, err)
		}
		n += len(counts.Flaky)
	}
}
