package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// test runs go test in a folder.
func (o options) test(folder string, r *reader) counts {
	args, err := o.argsIn(folder)
	if err == nil {
		err = o.goTest(folder, r, args)
	}
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

// argsIn returns go test's arguments in a folder. In the first one, the packages of ./... are listed but those that are left out.
func (o options) argsIn(folder string) ([]string, error) {
	last := len(o.args) - 1
	if len(o.but) == 0 || folder != o.folders[0] || last < 0 || o.args[last] != "./..." {
		return o.args, nil
	}
	command := exec.Command(o.tool, "list", "-f", "{{.ImportPath}} {{.Module.Path}}", "./...")
	command.Dir, command.Stderr = folder, os.Stderr
	list, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	args := slices.Clone(o.args[:last])
	for line := range strings.Lines(string(list)) {
		path, module, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name := "." + strings.TrimPrefix(path, module); !slices.Contains(o.but, name) {
			args = append(args, name)
		}
	}
	if left := len(args) - last + len(o.but); left != strings.Count(string(list), "\n") {
		return nil, fmt.Errorf("of %v, not all are packages", o.but)
	}
	return args, nil
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
