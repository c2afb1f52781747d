package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cgoheap/cgoheap/internal/remote"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/internal/terminal"
	"github.com/cgoheap/cgoheap/symbolize"
)

// dumping is what the flags of dump say.
type dumping struct {
	shared
	pid   int    // 0 for a core file or a box
	core  string // its path
	box   string // its path
	file  string
	named bool // by -o: then it may not be there

	asJSON bool
}

func (d *dumping) flags(flags *flag.FlagSet) {
	flags.StringVar(&d.file, "o", "", "the `file` to write, - for standard output (default cgoheap.PID.pb.gz, or with the core file's name; of another view than inuse, cgoheap.PID.VIEW.pb.gz; the next one cgoheap.PID-2.pb.gz)")
	flags.BoolVar(&d.asJSON, "json", false, "print what was written as a JSON object")
	d.add(flags)
	d.addRoot(flags)
}

func prepareDump(flags *flag.FlagSet) action {
	var d dumping
	d.flags(flags)
	return func(s *streams, names []string) (int, error) {
		if err := d.choose(names); err != nil {
			return exitUnreadable, err
		}
		return exitGood, d.write(s)
	}
}

// choose comes after the flags were parsed.
func (d *dumping) choose(names []string) (err error) {
	if len(names) != 1 {
		return errors.New("one process number, core file or black box is needed")
	}
	if d.pid, err = strconv.Atoi(names[0]); err != nil {
		if d.box = targetOf(names[0]).box; d.box == "" {
			d.core = names[0]
		}
	} else if d.pid <= 0 {
		return fmt.Errorf("%q is not the number of a process", names[0])
	}
	if d.named = d.file != ""; !d.named {
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(names[0]), "cgoheap."), ".box")
		d.file = "cgoheap." + name + d.kind() + ".pb.gz"
	}
	if d.file == "-" && d.asJSON {
		return errors.New("-json and -o - both write to standard output")
	}
	if d.pid == 0 {
		return d.checkGone()
	}
	if d.root != "" {
		return errors.New("-root is for a black box or a core file: a process has a root of its own")
	}
	return d.check()
}

// kind is what the file's name says of the view: two views of a process are two files.
func (d *dumping) kind() string {
	if d.name == report.InUse.Name {
		return ""
	}
	return "." + d.name
}

func (d *dumping) read() (*remote.Recording, error) {
	if d.box != "" {
		e, err := d.openBox(d.box, releaseTime)
		if err != nil {
			return nil, err
		}
		return e.Recording, nil
	}
	if d.core != "" {
		r, err := remote.ReadCore(d.core)
		if err == nil {
			err = d.inRoot(r)
		}
		return r, err
	}
	if d.view.Name == report.RSS.Name {
		return remote.ReadResident(d.pid)
	}
	return remote.Read(d.pid)
}

// write reads the process first, so that a file is only made for a profile that there is.
func (d *dumping) write(s *streams) error {
	var r *remote.Recording
	err := terminal.Progress(s.progress, "reading the process and its names", func() (err error) {
		if r, err = d.read(); err != nil {
			return err
		}
		defer r.Close()
		if d.file == "-" {
			return r.Write(s.raw, d.view, symbolize.New(d.naming))
		}
		return d.writeNew(r)
	})
	if err != nil || d.file == "-" {
		return err
	}
	return d.tell(s.out, r)
}

// writeNew writes a file. Where somebody has dumped the process before, it takes the next name that is free.
func (d *dumping) writeNew(r *remote.Recording) (err error) {
	if d.named {
		return d.writeFile(r, d.file)
	}
	d.file, err = newNumbered(d.file, func(w io.Writer) error { return r.Write(w, d.view, symbolize.New(d.naming)) })
	return err
}

// dumped is what was written, as JSON.
type dumped struct {
	File         string    `json:"file"`
	Program      string    `json:"program"`
	Started      time.Time `json:"started"`
	Time         time.Time `json:"time"`
	Box          string    `json:"box,omitempty"`    // the black box that was read in the place of the core file
	Living       bool      `json:"living,omitempty"` // it is of a box, whose process lives
	StoodSeconds float64   `json:"stood_seconds"`    // how long the threads stood still; 0 for a core file or a box
}

func (d *dumping) tell(out io.Writer, r *remote.Recording) error {
	if d.asJSON {
		return json.NewEncoder(out).Encode(dumped{d.file, r.Program, r.Started().UTC(), r.Time.UTC(), r.Box, r.Living, r.Stood.Seconds()})
	}
	about := fmt.Sprintf("%s: what %s recorded from %s to %s", d.file, r.Program, r.Started().UTC().Format(time.RFC3339), r.Time.UTC().Format(time.RFC3339))
	if r.Box != "" {
		about += fmt.Sprintf("; the core file lacks it, so it is from the black box %s", r.Box)
	}
	if r.Living {
		about += ", when it last settled its tables; it lives, or somebody else has its box locked"
	}
	if d.pid > 0 {
		about += fmt.Sprintf("; its threads stood still for %v", r.Stood.Round(time.Microsecond))
	}
	_, err := fmt.Fprintln(out, about)
	return err
}
