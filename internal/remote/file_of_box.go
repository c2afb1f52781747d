package remote

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/cgoheap/cgoheap/internal/descriptor"
	"github.com/cgoheap/cgoheap/internal/layout"
)

// A black box is read from its file: reading the process's memory would make pages resident there that lie in the file only.

// boxFile is the file of a box, by the addresses at which the process has it.
type boxFile struct {
	*os.File
	start uint64
}

func (f boxFile) ReadAt(to []byte, address int64) (int, error) {
	return f.File.ReadAt(to, address-int64(f.start))
}

// openBox opens the file that lies at an address of a process; false if it is memory, or cannot be opened, or does not have
// all. The caller closes it.
func openBox(dir string, start uint64, memory io.ReaderAt) (boxFile, bool) {
	for _, path := range boxPaths(dir, start) {
		f, err := descriptor.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
		if err != nil {
			continue
		}
		if box := (boxFile{f, start}); box.same(memory) {
			return box, true
		}
		f.Close()
	}
	return boxFile{}, false
}

// inSegment reports whether the region lies in a segment of shared memory.
func inSegment(dir string, start uint64) bool {
	return slices.ContainsFunc(boxPaths(dir, start), func(path string) bool { return strings.Contains(path, segmentName) })
}

// segmentName begins the names of segments in /proc/PID/maps.
const segmentName = "/SYSV"

// boxPaths returns the kernel's link to the file, which few may follow, and the path in the process's file system.
func boxPaths(dir string, start uint64) []string {
	maps, err := descriptor.Open(filepath.Join(dir, "maps"))
	if err != nil {
		return nil
	}
	defer maps.Close()
	beginning := fmt.Sprintf("%08x-", start)
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		if line := lines.Text(); strings.HasPrefix(line, beginning) {
			addresses, rest, _ := strings.Cut(line, " ")
			if at := strings.IndexByte(rest, '/'); at >= 0 {
				return []string{filepath.Join(dir, "map_files", addresses), filepath.Join(dir, "root", rest[at:])}
			}
		}
	}
	return nil
}

// same reports whether the file has what the process has in its memory: its header is that of the same recording, and no page
// is missing.
func (f boxFile) same(memory io.ReaderAt) bool {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	const until = layout.HeaderUsed // what does not change
	var file, own [layout.SizeofHeader]byte
	for _, head := range []struct {
		from io.ReaderAt
		to   []byte
	}{{f, file[:]}, {memory, own[:]}} {
		if _, err := head.from.ReadAt(head.to, int64(f.start)); err != nil {
			return false
		}
	}
	const at = layout.HeaderStarted
	missing := file[layout.HeaderMissing:][:8]
	return bytes.Equal(file[:until], own[:until]) && bytes.Equal(file[at:at+8], own[at:at+8]) && bytes.Equal(missing, make([]byte, 8))
}
