package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
)

type options struct {
	tool     string // the go command
	busy     bool
	complete bool
	slowest  int
	atOnce   int // folders
	record   string
	sum      string
	folders  []string
	args     []string // of go test
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
	if err := flags.Parse(words); err != nil {
		return o, err
	}
	o.folders = flags.Args()
	if at := slices.Index(o.folders, "--"); at >= 0 {
		o.folders, o.args = o.folders[:at], o.folders[at+1:]
	}
	if o.atOnce < 1 {
		return o, errors.New("want at least one folder at once")
	}
	if (len(o.folders) == 0) != (o.sum != "") {
		return o, errors.New("want either folders or -sum")
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
	var all counts
	if o.sum != "" {
		all, err = readRecord(o.sum)
	} else {
		if o.busy {
			keepBusy(2 * runtime.NumCPU())
		}
		all = o.testAll(out)
		err = all.record(o.record)
	}
	if err != nil {
		return false, err
	}
	printSlowest(out, all.Slow, o.slowest)
	allowed := list.print(out, all.Skips, o.complete)
	fmt.Fprintf(out, "tests: %d passed, %d failed, %d skipped\n", all.Passed, all.Failed, len(all.Skips))
	return allowed && all.Failed+all.Broken == 0, nil
}
