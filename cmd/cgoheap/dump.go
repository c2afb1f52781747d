package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"time"

	"github.com/cgoheap/cgoheap/internal/remote"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/symbolize"
)

// dumping is what the flags of dump say.
type dumping struct {
	shared
	pid  int    // 0 for a core file
	core string // its path
	file string
}

// dump writes the profile of a process and returns the exit code.
func dump(arguments []string, out, trouble io.Writer) (code int) {
	d, err := parseDump(arguments, trouble)
	if errors.Is(err, flag.ErrHelp) {
		return exitGood
	}
	if err == nil {
		err = d.write(out)
	}
	if err != nil {
		fmt.Fprintf(trouble, "cgoheap dump: %v\n", err)
		return exitUnreadable
	}
	return exitGood
}

func parseDump(arguments []string, trouble io.Writer) (d dumping, err error) {
	flags := flag.NewFlagSet("dump", flag.ContinueOnError)
	flags.SetOutput(trouble)
	flags.Usage = func() {
		fmt.Fprintln(trouble, "usage: cgoheap dump [FLAGS] PID|CORE\n"+
			"Writes the profile of a process without its help, also of one that hangs or is stopped, or that left a core file. Its threads stand still for some tens of\n"+
			"milliseconds. It needs the same rights as a debugger. -view rss shows all resident memory of a process, also what was mapped directly.")
		flags.PrintDefaults()
	}
	flags.StringVar(&d.file, "o", "", "the file to write, - for standard output (default cgoheap.PID.pb.gz, or with the core file's name)")
	d.add(flags)
	if err := flags.Parse(arguments); err != nil {
		return d, err
	}
	if flags.NArg() != 1 {
		return d, errors.New("one process number or core file is needed")
	}
	if d.pid, err = strconv.Atoi(flags.Arg(0)); err != nil {
		d.core = flags.Arg(0)
	} else if d.pid <= 0 {
		return d, fmt.Errorf("%q is not the number of a process", flags.Arg(0))
	}
	if d.file == "" {
		d.file = fmt.Sprintf("cgoheap.%s.pb.gz", filepath.Base(flags.Arg(0)))
	}
	if d.core != "" {
		return d, d.checkGone()
	}
	return d, d.check()
}

func (d *dumping) read() (*remote.Recording, error) {
	if d.core != "" {
		return remote.ReadCore(d.core)
	}
	if d.view.Name == report.RSS.Name {
		return remote.ReadResident(d.pid)
	}
	return remote.Read(d.pid)
}

// write reads the process first, so that a file is only made for a profile that there is.
func (d *dumping) write(out io.Writer) error {
	r, err := d.read()
	if err != nil {
		return err
	}
	if d.file == "-" {
		return r.Write(out, d.view, symbolize.New(d.naming))
	}
	if err := d.writeFile(r, d.file); err != nil {
		return err
	}
	about := fmt.Sprintf("%s: what %s recorded from %s to %s", d.file, r.Program, r.Started().UTC().Format(time.RFC3339), r.Time.UTC().Format(time.RFC3339))
	if d.core == "" {
		about += fmt.Sprintf("; its threads stood still for %v", r.Stood.Round(time.Microsecond))
	}
	_, err = fmt.Fprintln(out, about)
	return err
}
