package main

import (
	"fmt"
	"io"
	"os"

	"github.com/cgoheap/cgoheap/internal/check"
)

const checkUsage = "usage: cgoheap check FILE...   (- is standard input)\n" +
	"Prints a line for each rule that a profile breaks, and nothing for a good profile."

// checkFiles checks the files and returns the exit code.
func checkFiles(files []string, in io.Reader, out, trouble io.Writer) (code int) {
	if len(files) == 0 {
		fmt.Fprintln(trouble, checkUsage)
		return exitUnreadable
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
