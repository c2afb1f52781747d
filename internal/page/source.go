package page

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/google/pprof/profile"

	"github.com/cgoheap/cgoheap/internal/descriptor"
)

// Source is a part of a file of source.
type Source struct {
	File    string           `json:"file"`
	Lines   map[int64]string `json:"lines"`             // by number
	Missing string           `json:"missing,omitempty"` // why there are none, in a sentence
}

// What is read of a file at most, and shown around a line.
const (
	mostSource = 8 << 20 // bytes
	mostText   = 200     // bytes of a line
	around     = 5       // lines before and after
)

// mostNear bounds the lines of a request.
const mostNear = 1000

// ParseNear parses the numbers of lines.
func ParseNear(values []string) (near []int64, err error) {
	if len(values) == 0 || len(values) > mostNear {
		return nil, fmt.Errorf("there are %d values of the parameter near; it must be from 1 to %d", len(values), mostNear)
	}
	for _, value := range values {
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n <= 0 {
			return nil, fmt.Errorf("the parameter near is %q: it must be the number of a line", value)
		}
		near = append(near, n)
	}
	return near, nil
}

// sources are the endings of files of source. Debug data can name any file, and what is no source is not shown.
var sources = []string{".c", ".cc", ".cpp", ".cxx", ".c++", ".h", ".hh", ".hpp", ".hxx", ".tcc", ".ipp", ".inl", ".inc", ".def", ".y", ".l",
	".go", ".s", ".rs", ".d", ".zig", ".f", ".f90", ".m", ".mm", ".cu", ".cuh", ".pyx"}

// ReadSource reads the lines around those with the numbers. Only a file that a function of the profile is from is read.
func ReadSource(p *profile.Profile, file string, near []int64) *Source {
	made := &Source{File: file, Lines: make(map[int64]string)}
	if !slices.ContainsFunc(p.Function, func(f *profile.Function) bool { return f.Filename == file }) {
		made.Missing = "no function of the profile is from this file"
		return made
	}
	if err := made.read(near); err != nil {
		made.Missing = err.Error()
	}
	return made
}

func (s *Source) read(near []int64) error {
	if !filepath.IsAbs(s.File) {
		return errors.New("the debug data has no full path of the file, as after go build -trimpath")
	}
	f, err := openSource(filepath.Clean(s.File))
	if err != nil {
		return err
	}
	defer f.Close()
	wanted := func(n int64) bool {
		return slices.ContainsFunc(near, func(line int64) bool { return n-line <= around && line-n <= around })
	}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, mostSource+1)
	for n := int64(1); lines.Scan(); n++ {
		if wanted(n) {
			text := lines.Text()
			s.Lines[n] = strings.ToValidUTF8(text[:min(len(text), mostText)], "\uFFFD")
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("reading the file: %w", err)
	}
	if len(s.Lines) == 0 {
		return errors.New("the file has no such lines: it is not the one that the program was built from")
	}
	return nil
}

// isSource tells by a file's name whether it is source. Headers of C++ have no ending.
func isSource(file string) bool {
	ending := strings.ToLower(filepath.Ext(file))
	return slices.Contains(sources, ending) || ending == "" && strings.Contains(file, "/include/")
}

// noSource are folders whose files are the kernel's.
var noSource = []string{"/proc/", "/sys/", "/dev/"}

// openSource opens an ordinary file of source that is not too big, also where a link leads to it. It does not wait for the other end
// of a pipe.
func openSource(path string) (*os.File, error) {
	if !isSource(path) {
		return nil, errors.New("the name of the file is not one of source")
	}
	path, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("the file is not on this machine")
	}
	if err != nil {
		return nil, fmt.Errorf("finding the file: %w", err)
	}
	if !isSource(path) || slices.ContainsFunc(noSource, func(folder string) bool { return strings.HasPrefix(path, folder) }) {
		return nil, errors.New("the file is a link to what is no source")
	}
	f, err := descriptor.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("opening the file: %w", err)
	}
	about, err := f.Stat()
	switch {
	case err != nil:
		err = fmt.Errorf("reading the file: %w", err)
	case !about.Mode().IsRegular():
		err = errors.New("it is not an ordinary file")
	case about.Size() > mostSource:
		err = fmt.Errorf("the file has %d bytes, more than %d", about.Size(), mostSource)
	default:
		return f, nil
	}
	f.Close()
	return nil, err
}
