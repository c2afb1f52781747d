package main

import (
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/cgoheap/cgoheap/internal/check"
)

// The exit codes. The greatest of all files counts.
const (
	exitGood = iota
	exitFaulty
	exitUnreadable
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run checks the files and returns the exit code.
func run(files []string, in io.Reader, out, trouble io.Writer) (code int) {
	const usage = "usage: cgoheap-check FILE...   (- is standard input)\n" +
		"Prints a line for each rule that a profile breaks, and nothing for a good profile."
	if len(files) == 0 {
		fmt.Fprintln(trouble, usage)
		return exitUnreadable
	}
	if slices.Contains([]string{"-h", "-help", "--help"}, files[0]) {
		fmt.Fprintln(trouble, usage)
		return exitGood
	}
	for _, name := range files {
		faults, err := profileFaults(name, in)
		if err != nil {
			fmt.Fprintf(trouble, "%s: %v\n", name, err)
			code = exitUnreadable
		}
		for _, f := range faults {
			if _, err := fmt.Fprintf(out, "%s: %v\n", name, f); err != nil {
				fmt.Fprintln(trouble, err)
				return exitUnreadable
			}
			if f.Severity == check.Error {
				code = max(code, exitFaulty)
			}
		}
	}
	return code
}

func profileFaults(name string, in io.Reader) ([]check.Fault, error) {
	if name == "-" {
		return check.Profile(in)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return check.Profile(f)
}
