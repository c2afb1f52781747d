package report

import (
	"fmt"
	"path/filepath"

	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/symbolize"
)

// standIns counts the addresses whose function has no name, and is called by its file and where it begins in it:
// libvips.so.42+0x1a340. Ten addresses of one function are then one line in a viewer. No symbol has a plus sign and a number
// like that, and the system name, which is for symbols, stays empty. The address stays too, for whoever has the debug file.
type standIns struct {
	count   int
	example string
}

// add gives f such a line if it has none, and its function is known.
func (s *standIns) add(f *named, r *symbolize.Result) {
	if f.module == nil || len(r.Lines) > 0 || r.Start == 0 {
		return
	}
	name := fmt.Sprintf("%s+%#x", filepath.Base(f.module.Path), uint64(r.Start))
	f.standIn, f.Lines = true, []symbolize.Line{{Function: name}}
	s.count++
	s.example = name
}

func (s *standIns) sentences() []string {
	switch s.count {
	case 0:
		return nil
	case 1:
		return []string{"1 of them is called by its file and where its function begins in it: " + s.example}
	}
	return []string{fmt.Sprintf("%d of them are called by their file and where their function begins in it, such as %s",
		s.count, s.example)}
}

// unknown stands for the module of code that lies in no known file.
var unknown = &mappings.Module{Path: "[code of no known file]"}

// nowhere gives a frame whose code lies in no file a mapping, and a line that says the same: viewers merge frames without
// either with whatever else they know nothing of. No server can name such a frame, so this also holds where addresses are to
// stay bare.
func (f *named) nowhere() {
	if f.module == nil {
		f.module = unknown
	}
	f.standIn, f.Lines = true, []symbolize.Line{{Function: f.module.Path}}
}
