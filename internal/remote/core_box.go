package remote

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cgoheap/cgoheap/internal/blackbox"
)

// Unless the process asked for it, the kernel leaves files that are mapped shared out of a core file, as a black box is. But a note
// in it says which files were mapped.

const (
	mostNotes = 256 << 20 // that are read of a core file
	mostFiles = 16 << 20  // the kernel's own bound on the note of files (kernel.core_file_note_size_limit)
	noteFile  = 0x46494c45

	releaseTime = 500 * time.Millisecond // the process may be about to end
)

// boxOf reads the black box that a process had which left a core file: where it was, or beside that file. The error is
// errNoRecording if it had none.
func boxOf(core string, c *core) (*Recording, error) {
	path := c.box()
	if path == "" {
		return nil, errNoRecording
	}
	r, err := openBoxAt(path)
	if beside := filepath.Join(filepath.Dir(core), filepath.Base(path)); errors.Is(err, fs.ErrNotExist) {
		if moved, failed := openBoxAt(beside); !errors.Is(failed, fs.ErrNotExist) {
			r, err = moved, failed
		}
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, blackbox.ErrRemoved) {
		err = errors.New("that file is gone: the program's next start, which recovers and removes it, may have written a profile of it")
	}
	if err != nil {
		return nil, fmt.Errorf("its recording lies in the black box %s, which a core file has only if bit 3 of the process's coredump_filter was set (core(5)): %w", path, err)
	}
	return r, nil
}

func openBoxAt(path string) (*Recording, error) {
	file, err := blackbox.Open(path, blackbox.Options{AnyUsers: os.Geteuid() == 0, Within: releaseTime})
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if err := blackbox.Release(file); err != nil { // what is mapped would keep the lock
		return nil, err
	}
	r, err := ReadBox(file)
	if err != nil {
		return nil, err
	}
	r.Box = path
	return r, nil
}

// box returns the path of the black box that was mapped; "" if there was none.
func (c *core) box() string {
	for _, p := range c.notes {
		if files := filesIn(io.NewSectionReader(p, 0, int64(min(p.Filesz, mostNotes)))); files != nil {
			return boxAmong(files)
		}
	}
	return ""
}

// filesIn returns what a core file's note of files contains; nil if it is not among these notes, or cannot be read.
func filesIn(notes io.Reader) []byte {
	const aligned = 3
	for from := bufio.NewReader(notes); ; {
		var head struct{ Name, Contents, Kind uint32 }
		if binary.Read(from, binary.NativeEndian, &head) != nil {
			return nil
		}
		name, contents := (int64(head.Name)+aligned)&^aligned, (int64(head.Contents)+aligned)&^aligned
		if head.Kind != noteFile || head.Contents > mostFiles {
			if _, err := io.CopyN(io.Discard, from, name+contents); err != nil {
				return nil
			}
			continue
		}
		files, err := io.ReadAll(io.LimitReader(from, name+int64(head.Contents)))
		if err != nil || int64(len(files)) < name {
			return nil
		}
		return files[name:]
	}
}

// boxAmong returns the path of a black box among files as the kernel notes them: how many there are, the size of a page, three
// words of each, and the paths.
func boxAmong(files []byte) string {
	const word = 8
	if len(files) < 2*word {
		return ""
	}
	count := binary.NativeEndian.Uint64(files)
	paths := files[2*word:]
	if count > uint64(len(paths))/(3*word) {
		return ""
	}
	paths = paths[3*word*count:]
	for range count {
		path, rest, ok := bytes.Cut(paths, []byte{0})
		if !ok {
			return ""
		}
		if name := strings.TrimSuffix(string(path), " (deleted)"); blackbox.IsName(filepath.Base(name)) {
			return name
		}
		paths = rest
	}
	return ""
}
