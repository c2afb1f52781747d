package report

import (
	"fmt"
	"path/filepath"

	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/symbolize"
)

// standIns counts the addresses whose function has no name, and is named after its file and start address:
// libvips.so.42+0x1a340. Ten addresses of one function are then one line in a viewer. No symbol has a plus sign and a number
// like that, and the system name, which is for symbols, stays empty. The address stays too, for a reader with the debug
// file.
type standIns struct {
	count   int
	example string
}

// line returns such a line for a result without lines whose function is known; otherwise nil.
func (s *standIns) line(m *mappings.Module, r *symbolize.Result) []symbolize.Line {
	if m == nil || len(r.Lines) > 0 || r.Start == 0 {
		return nil
	}
	s.count++
	s.example = fmt.Sprintf("%s+%#x", filepath.Base(m.Path), uint64(r.Start))
	return []symbolize.Line{{Function: s.example}}
}

func (s *standIns) sentences() []string {
	switch s.count {
	case 0:
		return nil
	case 1:
		return []string{"1 of them is named after its file and the start of its function: " + s.example}
	}
	return []string{fmt.Sprintf("%d of them are named after their file and the start of their function, such as %s",
		s.count, s.example)}
}

// unknown stands for the module of code that lies in no known file.
var unknown = &mappings.Module{Path: "[code of no known file]"}

// nowhere returns the line of code that lies in no file. It has the module's name: viewers merge frames without either with
// everything else that is unknown. No server can name such a frame, so this also applies if addresses stay bare.
func nowhere(m *mappings.Module) []symbolize.Line { return []symbolize.Line{{Function: m.Path}} }
