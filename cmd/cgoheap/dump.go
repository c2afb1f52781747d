package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/cgoheap/cgoheap/internal/remote"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/internal/tables"
	"github.com/cgoheap/cgoheap/symbolize"
)

// dumping is what the flags of dump say.
type dumping struct {
	pid    int    // 0 for a core file
	core   string // its path
	file   string
	view   remote.View
	naming symbolize.Options
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

var views = []report.View{report.InUse, report.Allocated, report.Peak, report.Age, report.ShortLived}

func parseDump(arguments []string, trouble io.Writer) (d dumping, err error) {
	flags := flag.NewFlagSet("dump", flag.ContinueOnError)
	flags.SetOutput(trouble)
	flags.Usage = func() {
		fmt.Fprintln(trouble, "usage: cgoheap dump [FLAGS] PID|CORE\n"+
			"Writes the profile of a process without its help, also of one that hangs or is stopped, or that left a core file. Its threads stand still for some tens of\n"+
			"milliseconds. It needs the same rights as a debugger.")
		flags.PrintDefaults()
	}
	var view string
	var within time.Duration
	flags.StringVar(&d.file, "o", "", "the file to write, - for standard output (default cgoheap.PID.pb.gz, or with the core file's name)")
	flags.StringVar(&view, "view", report.InUse.Name, "inuse, allocated, peak, age or shortlived")
	flags.DurationVar(&d.view.Older, "older", 0, "of -view age: leave out younger blocks")
	flags.DurationVar(&within, "within", time.Second, "of -view shortlived: what was freed within 100ms, 1s, 10s, 1m, 10m or 1h")
	flags.Func("debug-dir", "a directory of separate debug files, like /usr/lib/debug; may be repeated", func(dir string) error {
		d.naming.DebugDirs = append(d.naming.DebugDirs, dir)
		return nil
	})
	flags.BoolVar(&d.naming.Debuginfod, "debuginfod", false, "ask the servers in DEBUGINFOD_URLS for debug files that are not on this machine")
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
	at := slices.IndexFunc(views, func(v report.View) bool { return v.Name == view })
	if at < 0 {
		return d, fmt.Errorf("there is no view %q: it must be inuse, allocated, peak, age or shortlived", view)
	}
	d.view.View = views[at]
	if d.view.Within = slices.Index(tables.Lifetimes(), within) + 1; d.view.Within == 0 {
		return d, fmt.Errorf("-within is %v: it must be one of %v", within, tables.Lifetimes())
	}
	if d.view.Older < 0 {
		return d, fmt.Errorf("-older is %v, which is negative", d.view.Older)
	}
	if d.file == "" {
		d.file = fmt.Sprintf("cgoheap.%s.pb.gz", filepath.Base(flags.Arg(0)))
	}
	return d, nil
}

func (d *dumping) read() (*remote.Recording, error) {
	if d.core != "" {
		return remote.ReadCore(d.core)
	}
	return remote.Read(d.pid)
}

// write reads the process first, so that a file is only made for a profile that there is.
func (d *dumping) write(out io.Writer) error {
	r, err := d.read()
	if err != nil {
		return err
	}
	names := symbolize.New(d.naming)
	if d.file == "-" {
		return r.Write(out, d.view, names)
	}
	f, err := os.OpenFile(d.file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(r.Write(f, d.view, names), f.Close()); err != nil {
		return errors.Join(err, os.Remove(d.file))
	}
	about := fmt.Sprintf("%s: what %s recorded from %s to %s", d.file, r.Program, r.Started().UTC().Format(time.RFC3339), r.Time.UTC().Format(time.RFC3339))
	if d.core == "" {
		about += fmt.Sprintf("; its threads stood still for %v", r.Stood.Round(time.Microsecond))
	}
	_, err = fmt.Fprintln(out, about)
	return err
}
