package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/cgoheap/cgoheap/internal/check"
	"github.com/cgoheap/cgoheap/internal/terminal"
)

func prepareCheck(flags *flag.FlagSet) action {
	asJSON := flags.Bool("json", false, "print a JSON object for each rule that is broken")
	return func(s *streams, files []string) (int, error) {
		if len(files) == 0 {
			return exitUnreadable, errors.New("a profile is needed, or - for standard input")
		}
		return checkFiles(files, s, *asJSON)
	}
}

// broken is a rule that a file breaks, as JSON.
type broken struct {
	File     string `json:"file"`
	Severity string `json:"severity"`
	Rule     string `json:"rule"`
	At       string `json:"at"` // the first position
	Count    int    `json:"count"`
	Sentence string `json:"sentence"`
}

// checkFiles checks the files and returns the exit code. A file that cannot be read hinders no other.
func checkFiles(files []string, s *streams, asJSON bool) (code int, err error) {
	for _, name := range files {
		var faults []check.Fault
		err := terminal.Progress(s.progress, "reading "+name, func() (err error) {
			faults, err = profileFaults(name, s.in)
			return err
		})
		if err != nil {
			fmt.Fprintf(s.trouble, "%s: %v\n", name, err)
			code = exitUnreadable
		}
		for _, f := range faults {
			if err := writeFault(s.out, name, f, asJSON); err != nil {
				return exitUnreadable, err
			}
			if f.Severity == check.Error {
				code = max(code, exitFaulty)
			}
		}
	}
	return code, nil
}

func writeFault(out io.Writer, name string, f check.Fault, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(out).Encode(broken{name, f.Severity.String(), f.Name, f.Where, f.Count, f.Sentence})
	}
	_, err := fmt.Fprintf(out, "%s: %v\n", name, f)
	return err
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
