package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// test runs go test in a folder.
func (o options) test(folder string, out io.Writer) counts {
	command := exec.Command(o.tool, append([]string{"test", "-json"}, o.args...)...)
	command.Dir = folder
	command.Stderr = os.Stderr
	events, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		fmt.Fprintf(out, "%v: %v\n", command, err)
		return counts{Broken: 1}
	}
	r := reader{out: out}
	r.read(events)
	c := r.counts
	// go test fails without a failed test where a package does not build or a process dies.
	if err := command.Wait(); err != nil && c.Failed == 0 {
		fmt.Fprintf(out, "%s: %v\n", folder, err)
		c.Broken = 1
	}
	c.Skips = append(c.Skips, leftOut(o.args)...)
	return c
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
