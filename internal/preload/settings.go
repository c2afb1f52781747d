package preload

import (
	"cmp"
	"fmt"
	"os"

	"github.com/cgoheap/cgoheap/internal/blackbox"
)

// Variable is the environment variable that the library reads: see settings.h.
const Variable = "CGOHEAP_RUN"

// Settings are its value, which also has the PID namespace of this process: the library records in no other.
type Settings struct {
	Parent      int   // the process number of the command: the process that it has started is recorded
	SampleBytes int64 // mean bytes between samples; 1 records everything
	TableBytes  int64
	Segment     *blackbox.Segment // of so many bytes, for the tables of the process that this one starts; nil for none
	Settle      bool              // a thread in the program settles its tables each second
	Children    string            // none, all, or names of programs with commas between them
	Go          string            // the layout of the Go code in the program, as Program.Go has it
	Boxes       string            // the directory for boxes, an absolute path
}

func (s Settings) String() string {
	settle := 0
	if s.Settle {
		settle = 1
	}
	return fmt.Sprintf("parent=%d space=%d sample=%d tables=%d segment=%v settle=%d children=%s go=%s boxes=%s", s.Parent, space(), s.SampleBytes, s.TableBytes,
		s.Segment, settle, s.Children, cmp.Or(s.Go, none), s.Boxes)
}

// space returns the inode of this process's PID namespace; 0 if it is not known.
func space() (inode uint64) {
	target, _ := os.Readlink("/proc/self/ns/pid")
	_, _ = fmt.Sscanf(target, "pid:[%d]", &inode)
	return inode
}
