//go:build (amd64 || arm64) && cgo && !asan && !msan

package twin

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/descriptor"
	"github.com/cgoheap/cgoheap/internal/usage"
)

// A word of a file's data that is still as the file has it is no pointer to a block, but a constant. There are many: tables, and
// numbers that look like addresses where the heap lies low.

// data are the files whose data is mapped.
type data struct {
	ranges []fileRange
	files  map[string]*os.File // nil: it could not be opened, or is another file by now
}

// openData opens the files that the loader has loaded. Those that cannot be opened are left out: all their words count. What else the
// program maps may be a file that it has saved pointers in.
func openData(k usage.Kernel) data {
	d := data{files: make(map[string]*os.File)}
	all, _ := list(k.Path("maps"))
	loaded := cgo.Segments()
	for i := range all {
		m := &all[i]
		if mode := string(m.mode[:]); m.inode == 0 || mode != "rw-p" && mode != "r--p" ||
			!slices.ContainsFunc(loaded, func(s cgo.Segment) bool { return s.Start < m.Limit && m.Start < s.End }) {
			continue
		}
		f, known := d.files[m.name]
		if !known {
			f = openSame(m.name, m.inode, m.device)
			d.files[m.name] = f
		}
		if f != nil {
			d.ranges = append(d.ranges, fileRange{m.Start, m.Limit, m.offset, int32(f.Fd())})
		}
	}
	return d
}

// openSame opens a file if it is a regular one and still the one that is mapped; nil otherwise.
func openSame(path string, inode, device uint64) *os.File {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := descriptor.Open(path)
	if err != nil {
		return nil
	}
	var s unix.Stat_t
	if unix.Fstat(int(f.Fd()), &s) != nil || s.Ino != inode || uint64(s.Dev) != device {
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

// epollWords appends what the program has given epoll_ctl with each descriptor that it watches (epoll_data). It is often the only pointer
// to a connection. The kernel lists it as "tfd: 9 events: 19 data: 7f01a2b3c4d0 ..." (proc(5), fdinfo). The words that were there are
// gone from the old slice.
//
// While the kernel writes a list, whoever waits for its descriptors waits for that, too: 1.5 µs for each. So a process that has very many
// open is spared it.
func epollWords(k usage.Kernel, words []uint64) []uint64 {
	dir, names, _ := descriptors(k) // without a list, nothing is watched
	if len(names) > mostOpen {
		return words
	}
	for _, name := range names {
		if file, err := os.Readlink(filepath.Join(dir, name)); err == nil && file == "anon_inode:[eventpoll]" {
			words = watchedBy(k.Path("fdinfo/"+name), words)
		}
	}
	return words
}

const mostOpen = 50_000

func watchedBy(info string, words []uint64) []uint64 {
	text, err := descriptor.ReadFile(info)
	if err != nil {
		return words
	}
	before := words
	words = append(make([]uint64, 0, len(words)+bytes.Count(text, []byte(" data:"))), before...)
	clear(before) // or what is lost would be held by this
	for line := range bytes.Lines(text) {
		if _, data, found := bytes.Cut(line, []byte(" data:")); found {
			word, _, _ := bytes.Cut(bytes.TrimLeft(data, " "), []byte(" "))
			if value, err := strconv.ParseUint(string(word), 16, 64); err == nil {
				words = append(words, value)
			}
		}
	}
	return words
}
