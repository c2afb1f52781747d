package preload

import (
	"cmp"
	"fmt"
)

// Variable is the environment variable that the library reads: see settings.h.
const Variable = "CGOHEAP_RUN"

// Settings are its value.
type Settings struct {
	Parent      int   // the process number of the command: the process that it has started is recorded
	SampleBytes int64 // mean bytes between samples; 1 records everything
	TableBytes  int64
	Settle      bool   // a thread in the program settles its tables each second
	Children    string // none, all, or names of programs with commas between them
	Go          string // the layout of the Go code in the program, as Program.Go has it
	Boxes       string // the directory for boxes, an absolute path
}

func (s Settings) String() string {
	settle := 0
	if s.Settle {
		settle = 1
	}
	return fmt.Sprintf("parent=%d sample=%d tables=%d settle=%d children=%s go=%s boxes=%s", s.Parent, s.SampleBytes, s.TableBytes, settle, s.Children,
		cmp.Or(s.Go, none), s.Boxes)
}
