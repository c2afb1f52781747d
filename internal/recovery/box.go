package recovery

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/cgoheap/cgoheap/internal/dump"
	"github.com/cgoheap/cgoheap/internal/remote"
	"github.com/cgoheap/cgoheap/internal/report"
	"github.com/cgoheap/cgoheap/symbolize"
)

// Found is what was recovered of a process.
type Found struct {
	Path string // of the dump
	Story
}

// errOrderly reports that the process was asked to end, and did.
var errOrderly = errors.New("it ended because it was asked to")

// dump writes the dump, and returns fs.ErrExist if it was written before.
func (e *Examined) dump(o *Options) (path string, err error) {
	d := dump.Recovered{Dir: o.To, Keep: o.Keep, KeepBytes: o.KeepBytes, Program: e.Program, PID: e.About.Process, Time: e.Time,
		Number: uint64(e.Started().UnixNano()),
		Profile: func(w io.Writer) error {
			return e.WriteProfile(w, remote.View{View: report.InUse}, symbolize.New(o.Names))
		},
		Beside: e.WriteStory,
	}
	if path, err = d.Write(); err == nil || errors.Is(err, fs.ErrExist) || errors.Is(err, remote.ErrFault) {
		return path, err
	}
	if len(e.story.Verdict) == 0 { // the profile came to no end
		_ = e.WriteProfile(io.Discard, remote.View{View: report.InUse}, symbolize.New(o.Names))
	}
	return "", fmt.Errorf("%w: %w", errNotWritten, err)
}

// Examined is a box, with what is known of its process and of its end, if it is gone.
type Examined struct {
	*remote.Recording
	history remote.History
	story   *Story
	orderly bool
}

// Open reads the box of a process that is gone, which is locked unless it is only shown. It must be closed.
func Open(file *os.File) (*Examined, error) { return open(file, remote.ReadBox) }

// OpenLiving reads the box of a process that lives. It must be closed.
func OpenLiving(file *os.File) (*Examined, error) { return open(file, remote.ReadLiving) }

func open(file *os.File, read func(*os.File) (*remote.Recording, error)) (*Examined, error) {
	r, err := read(file)
	if err != nil {
		return nil, err
	}
	e := &Examined{Recording: r, story: &Story{}}
	if e.history, err = r.History(); err != nil {
		r.Close()
		return nil, fmt.Errorf("%s: %w", file.Name(), err)
	}
	if !r.Living {
		evidence := evidenceOf(r, &e.history)
		e.story.Cause, e.orderly = evidence.cause()
	}
	e.story.tell(r, &e.history)
	return e, nil
}

// WriteProfile writes a profile of the box, and completes the verdict, if its process is gone.
func (e *Examined) WriteProfile(w io.Writer, v remote.View, names *symbolize.Symbolizer) error {
	var who holders
	v.Seen = who.add
	if err := e.Write(w, v, names); err != nil {
		return err
	}
	if e.Living {
		return nil
	}
	e.story.Verdict = verdict(e.Recording, &e.history, e.story.Cause, &who)
	return nil
}

// Verdict returns three sentences on which a person can act, after WriteProfile.
func (e *Examined) Verdict() []string { return e.story.Verdict }

// Story returns what is known of the process; the verdict is in it after WriteProfile. It stays e's.
func (e *Examined) Story() *Story { return e.story }

// WriteStory writes what is known of the process, after WriteProfile.
func (e *Examined) WriteStory(w io.Writer) error { return e.story.write(w) }
