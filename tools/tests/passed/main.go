// Command passed runs a long test only if what it looks at has changed since it last passed.
//
//	passed [-always] NAME COMMAND...
//
// inputs.txt lists files and folders for each name. passed.txt has the hash of what lay there when the command last succeeded.
// If the hash is the same now, nothing runs. Otherwise the command runs, and if it succeeds, passed.txt gets the new hash: a
// change of it belongs into the commit. A hash that was taken of anything else does not fit, so the command runs.
//
// With -always, the command runs in any case: it may also fail for what is not listed, such as another version of a server.
package main

import (
	"flag"
	"fmt"
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
	before, err := inputs(name)
	if err != nil {
		return err
	}
	recorded, err := readTable(passedFile)
	if err != nil {
		return err
	}
	if old := recorded[name]; !always && len(old) == 1 && old[0] == before {
		fmt.Printf("%s passed with the same files: not run again (%s, %s)\n", name, passedFile, inputsFile)
		return nil
	}
	command := exec.Command(words[0], words[1:]...)
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	if err := command.Run(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	after, err := inputs(name)
	if err != nil || after != before {
		return err // files have changed meanwhile: nobody knows which of them were tested
	}
	if old := recorded[name]; len(old) == 1 && old[0] == after {
		return nil
	}
	fmt.Printf("%s passed: to be committed: %s\n", name, passedFile)
	return record(name, after)
}
