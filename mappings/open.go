package mappings

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cgoheap/cgoheap/internal/descriptor"
	"github.com/cgoheap/cgoheap/internal/elffile"
)

// ErrGone reports that the mapped file can no longer be opened.
var ErrGone = errors.New("the file is not there as it was mapped")

// ErrUnrecognised reports a file of another process of which neither a build ID nor device and inode are known, so that no file
// can be said to be it.
var ErrUnrecognised = errors.New("it has no build ID, and which file it was is not known")

// Open opens the very file that the module was loaded from: by its path, by the kernel's own links to mapped files if it was
// deleted or replaced, or, for the vdso, from memory. The caller closes it. The error is ErrGone if there is only another
// file at the path, or none. For a Module with nothing but a Path, Open opens that path.
func (m *Module) Open() (*elffile.File, error) { return m.owner().Open(m) }

// process is the opener for the process whose directory in /proc it names.
type process string

const self process = "/proc/self"

// file returns the path of one of the process's files.
func (p process) file(name string) string {
	if p == self {
		return filepath.Join(descriptor.Self("/proc"), name)
	}
	return filepath.Join(string(p), name)
}

func (p process) Open(m *Module) (*elffile.File, error) {
	if m.Path == vdsoPath {
		return p.openVDSO(m)
	}
	if m.Foreign() && m.BuildID == "" && len(m.mapped) == 0 && m.Inode == 0 {
		return nil, fmt.Errorf("%s: %w", m.Path, ErrUnrecognised)
	}
	var first error
	for _, path := range p.candidates(m) {
		file, err := p.openSame(path, m)
		if err == nil {
			return file, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

// candidates returns the paths that may lead to the module's file: in the process's own file system first, which may be that of a
// container. Links in map_files need CAP_CHECKPOINT_RESTORE.
func (p process) candidates(m *Module) []string {
	paths := []string{p.rooted(m.Path)}
	if p != self {
		paths = append(paths, m.Path)
	}
	if len(m.mapped) > 0 {
		first := m.mapped[0]
		paths = append(paths, fmt.Sprintf("%s/map_files/%x-%x", p, first.Start, first.Limit))
	}
	if m.Inode != 0 { // without it, any executable would be accepted as the module
		paths = append(paths, p.file("exe"))
	}
	return paths
}

// openSame opens a path if it leads to the module's file.
func (p process) openSame(path string, m *Module) (*elffile.File, error) {
	file, err := elffile.Open(path)
	if m.Deleted && errors.Is(err, fs.ErrNotExist) {
		return nil, p.deleted(m)
	}
	if err != nil {
		return nil, err
	}
	if err := p.verify(file, m); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// deleted returns the error for a file that no longer exists: a library, or code that the program made.
func (p process) deleted(m *Module) error {
	head, err := p.OpenHead(m)
	if errors.Is(err, elffile.ErrNotELF) {
		return err
	}
	if err == nil {
		head.Close()
	}
	return fmt.Errorf("%s: %w: deleted", m.Path, ErrGone)
}

// verify returns an error if an open file is not the module's.
func (p process) verify(file *elffile.File, m *Module) error {
	device, inode, known := identity(file)
	if m.Inode == 0 || known && device == m.Device && inode == m.Inode {
		return m.verifyWritten(file)
	}
	head, err := p.OpenHead(m)
	if err != nil {
		return fmt.Errorf("%s: %w: replaced, by device and inode", m.Path, ErrGone)
	}
	defer head.Close()
	mappedID, _ := head.BuildID()
	fileID, _ := file.BuildID()
	sameBuild := fileID == mappedID && (fileID != "" || known && inode == m.Inode)
	if !sameBuild || !slices.Equal(file.Segments(), head.Segments()) {
		return fmt.Errorf("%s: %w: replaced: build ID %q, in memory %q", m.Path, ErrGone, fileID, mappedID)
	}
	return nil
}

// verifyWritten returns an error if a file without a build ID has changed since the module was found. If there is a build
// ID, which is better evidence, the caller compares it.
func (m *Module) verifyWritten(file *elffile.File) error {
	if m.BuildID != "" || m.Written == (Written{}) || m.Written == written(file) {
		return nil
	}
	return fmt.Errorf("%s: %w: overwritten in place, by size and time", m.Path, ErrGone)
}

// written returns the state of an open file.
func written(file *elffile.File) Written {
	info, err := file.Stat()
	if err != nil {
		return Written{}
	}
	return Written{info.Size(), info.ModTime()}
}

// settleNames finds the files whose name really ends in " (deleted)": they exist, with the mapped inode.
func (p process) settleNames(mappings []mapping) {
	for i := range mappings {
		m := &mappings[i]
		if !m.Deleted || m.Inode == 0 || !strings.HasPrefix(m.Path, "/") {
			continue
		}
		if inode, ok := inodeOf(p.rooted(m.Path + deletedSuffix)); ok && inode == m.Inode {
			m.Path, m.Deleted = m.Path+deletedSuffix, false
		}
	}
}
