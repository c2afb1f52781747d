package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

type options struct {
	tool     string // the go command
	busy     bool
	complete bool
	slowest  int
	atOnce   int // folders
	record   string
	sum      string
	repeat   int
	times    int           // that a failed test runs again
	limit    time.Duration // for all of these runs
	timeout  time.Duration // for the first run of a program
	but      []string      // packages, as ./... would name them, that are left out
	command  string        // the name of a program to run instead of go test
	folders  []string
	args     []string // of go test; or a program and its arguments
}

func parse(words []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("tests", flag.ContinueOnError)
	flags.StringVar(&o.tool, "go", "go", "the go command")
	flags.BoolVar(&o.busy, "busy", false, "keep every processor busy while the tests run")
	flags.BoolVar(&o.complete, "complete", false, "fail on skips for want of something that can be installed")
	flags.IntVar(&o.slowest, "slowest", 0, "print so many of the slowest tests")
	flags.IntVar(&o.atOnce, "at-once", 1, "test so many folders at once")
	flags.StringVar(&o.record, "record", "", "add the counts to this file")
	flags.StringVar(&o.sum, "sum", "", "run nothing, but add up the counts in this file")
	flags.IntVar(&o.repeat, "repeat", 0, "run everything so many times, half of them on a busy machine, and count what fails")
	flags.IntVar(&o.times, "again", 0, "run a failed test so many times more; it has failed if it fails again")
	flags.DurationVar(&o.limit, "limit", 15*time.Minute, "end the runs of -again after this time")
	flags.DurationVar(&o.timeout, "timeout", time.Hour, "end the first run of the program of -command after this time")
	flags.StringVar(&o.command, "command", "", "test a program, which has this name, instead of Go packages")
	but := flags.String("but", "", "leave out these packages of the first folder, which another run tests")
	if err := flags.Parse(words); err != nil {
		return o, err
	}
	o.but = strings.Fields(*but)
	o.folders = flags.Args()
	if o.command != "" {
		o.folders, o.args = nil, o.folders
	} else if at := slices.Index(o.folders, "--"); at >= 0 {
		o.folders, o.args = o.folders[:at], o.folders[at+1:]
	}
	if o.atOnce < 1 {
		return o, errors.New("want at least one folder at once")
	}
	if o.command != "" && len(o.args) == 0 {
		return o, errors.New("want a program after --")
	}
	if (len(o.folders) == 0) != (o.sum != "" || o.command != "") || o.sum != "" && o.command != "" {
		return o, errors.New("want either folders, -sum or -command")
	}
	return o, nil
}

func main() {
	o, err := parse(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "tests:", err)
		os.Exit(2)
	}
	good, err := o.run(os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "tests:", err)
		os.Exit(2)
	}
	if !good {
		os.Exit(1)
	}
}

// run reports whether all is well: no test failed, and every skip is allowed.
func (o options) run(out io.Writer) (good bool, err error) {
	list, err := readReasons(reasonsText)
	if err != nil {
		return false, err
	}
	if o.busy {
		keepBusy(2 * runtime.NumCPU())
	}
	var all counts
	switch {
	case o.sum != "":
		all, err = readRecord(o.sum)
	case o.command != "":
		all = o.runCommand(out)
		printFlaky(os.Stderr, all.Flaky)
		return all.Failed == 0, all.record(o.record)
	case o.repeat > 0:
		all = o.repeatAll(out)
		err = all.record(o.record)
	default:
		all = o.testAll(out)
		o.again(out, &all)
		err = all.record(o.record)
	}
	if err != nil {
		return false, err
	}
	printSlowest(out, all.Slow, o.slowest)
	printFlaky(out, all.Flaky)
	allowed := list.print(out, all.Skips, o.complete)
	fmt.Fprintf(out, "tests: %d passed, %d failed, %d skipped\n", all.Passed, all.Failed, len(all.Skips))
	return allowed && all.Failed+all.Broken == 0, nil
}
