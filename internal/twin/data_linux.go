//go:build (amd64 || arm64) && cgo && !asan && !msan

package twin

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/usage"
)

// A word of a file's data that is still as the file has it is no pointer to a block, but a constant. There are many: tables, and
// numbers that look like addresses where the heap lies low.

// data are the files whose data is mapped.
type data struct {
	ranges []cgo.TwinFile
	files  map[string]*os.File // nil: it could not be opened, or is another file by now
}

// openData opens the files that are mapped to be written to privately. Those that cannot be opened are left out: all their words count.
func openData(k usage.Kernel) (d data) {
	d.files = make(map[string]*os.File)
	f, err := os.Open(k.Path("maps"))
	if err != nil {
		return d
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		d.add(lines.Text())
	}
	return d
}

// add adds a mapping: "start-limit rw-p offset major:minor inode path".
func (d *data) add(line string) {
	var m cgo.TwinFile
	var mode, device string
	var inode uint64
	n, _ := fmt.Sscanf(line, "%x-%x %s %x %s %d", &m.Start, &m.Limit, &mode, &m.Offset, &device, &inode)
	at := strings.IndexByte(line, '/')
	if n != 6 || inode == 0 || at < 0 || !strings.HasPrefix(mode, "rw") || mode[len(mode)-1] != 'p' {
		return
	}
	path := line[at:]
	f, known := d.files[path]
	if !known {
		f = openSame(path, inode)
		d.files[path] = f
	}
	if f != nil {
		m.File = int32(f.Fd())
		d.ranges = append(d.ranges, m)
	}
}

// openSame opens a file if it is a regular one and still has that inode; nil otherwise.
func openSame(path string, inode uint64) *os.File {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	var s unix.Stat_t
	if unix.Fstat(int(f.Fd()), &s) != nil || s.Ino != inode || s.Mode&unix.S_IFMT != unix.S_IFREG {
		_ = f.Close()
		return nil
	}
	return f
}

func (d *data) close() {
	for _, f := range d.files {
		if f != nil {
			_ = f.Close()
		}
	}
}
