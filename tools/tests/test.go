package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// test runs go test in a folder.
func (o options) test(folder string, r *reader) counts {
	err := o.goTest(folder, r, o.args)
	c := r.counts
	for _, f := range c.failures {
		f.folder = folder
	}
	// go test exits with 1 if it has said what failed.
	var exit *exec.ExitError
	if err != nil && (c.Failed+c.Broken == 0 || !errors.As(err, &exit) || exit.ExitCode() != 1) {
		fmt.Fprintf(r.out, "%s: %v\n", folder, err)
		c.Broken++
	}
	c.Skips = append(c.Skips, leftOut(o.args)...)
	return c
}

func (o options) goTest(folder string, r *reader, args []string) error {
	command := exec.Command(o.tool, append([]string{"test", "-json"}, args...)...)
	command.Dir = folder
	command.Stderr = os.Stderr
	events, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		return err
	}
	r.read(events)
	return command.Wait()
}

// leftOut lists what the flag -skip leaves out: go test says nothing about that.
func leftOut(args []string) []skip {
	var skips []skip
	for i, arg := range args {
		pattern, found := strings.CutPrefix(arg, "-skip=")
		if arg == "-skip" && i+1 < len(args) {
			pattern, found = args[i+1], true
		}
		if !found {
			continue
		}
		for name := range strings.SplitSeq(pattern, "|") {
			skips = append(skips, skip{Test: name, Reason: "left out by name"})
		}
	}
	return skips
}
