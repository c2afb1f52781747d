//go:build service

package main

import (
	"flag"
	"fmt"
	"os"
	"syscall"
	"time"
)

// parts of the service, each with enough operations to take some tenths of a second.
var parts = []struct {
	operations int
	prepare    func() (operation func() error, err error)
}{
	{60_000, insertRows},
	{12_000, selectRows},
	{1_500, compress},
	{120, parseJSON},
}

func main() {
	sample := flag.Int64("sample", 0, "mean bytes between samples; 0 records nothing")
	flag.Parse()
	stop, err := record(*sample)
	if err == nil {
		defer stop()
		err = run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "service:", err)
		os.Exit(1)
	}
}

// run prints a line for each part, and one for all of them: nanoseconds of the whole run.
func run() error {
	var all figures
	for _, p := range parts {
		operation, err := p.prepare()
		if err != nil {
			return err
		}
		wall, cpu := time.Now(), processor()
		for range p.operations {
			if err := operation(); err != nil {
				return err
			}
		}
		took := figures{time.Since(wall), processor() - cpu}
		took.print(p.operations)
		all = figures{all.wall + took.wall, all.cpu + took.cpu}
	}
	all.print(1)
	return nil
}

type figures struct{ wall, cpu time.Duration }

func (f figures) print(operations int) {
	fmt.Printf("%.1f %.1f\n", float64(f.wall)/float64(operations), float64(f.cpu)/float64(operations))
}

// processor returns the processor time of all threads.
func processor() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
