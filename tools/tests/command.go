package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// runCommand runs a program that is a test, as a go test is run: if it fails, it runs again. Its standard output is that of
// the last run. What does not end by itself fails.
func (o options) runCommand(out io.Writer) (c counts) {
	first, cancel := context.WithTimeout(context.Background(), o.timeout)
	defer cancel()
	printed, failed, err := command(first, o.args)
	if err == nil {
		_, _ = out.Write(printed)
		return c
	}
	c.Failed = 1
	fmt.Fprintf(os.Stderr, "%s%s: %v\n", failed, o.command, err)
	var exit *exec.ExitError
	switch proof := proofs.Find(failed); {
	case o.times == 0:
		return c
	case !errors.As(err, &exit) || exit.ExitCode() != 1:
		fmt.Fprintf(os.Stderr, "FAILED: %s: not run again: no test ends so\n", o.command)
		return c
	case proof != nil:
		fmt.Fprintf(os.Stderr, "FAILED: %s: not run again: %q is no chance\n", o.command, proof)
		return c
	}
	fmt.Fprintf(os.Stderr, "== %s runs %d times more, for %v at most\n", o.command, o.times, o.limit)
	ctx, cancel := context.WithTimeout(context.Background(), o.limit)
	defer cancel()
	for i := range o.times {
		var output []byte
		if printed, output, err = command(ctx, o.args); err != nil {
			fmt.Fprintf(os.Stderr, "FAILED: %s: in run %d of %d: %v\n%s", o.command, i+1, o.times, err, output)
			return c
		}
	}
	_, _ = out.Write(printed)
	return counts{Flaky: []flaky{{o.command, 1, 1 + o.times, string(failed)}}}
}

// command returns what a command printed to its standard output, and what it printed to that and to standard error.
func command(ctx context.Context, words []string) (printed, all []byte, err error) {
	run := exec.CommandContext(ctx, words[0], words[1:]...)
	run.WaitDelay = 10 * time.Second
	var output bytes.Buffer
	var both turn // it locks
	run.Stdout, run.Stderr = io.MultiWriter(&output, &both), &both
	err = run.Run()
	return output.Bytes(), both.kept.Bytes(), err
}
