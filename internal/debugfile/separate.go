package debugfile

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/cgoheap/cgoheap/internal/elffile"
)

// globalDir is where distributions install debug files.
const globalDir = "/usr/lib/debug"

func (d Finder) dirs() []string {
	return append(d.Dirs[:len(d.Dirs):len(d.Dirs)], globalDir)
}

// findSeparate finds the separate file with the debug data, in GDB's order: by build ID, by debug link, from a server.
func (f *Files) findSeparate() *elffile.File {
	for _, dir := range f.finder.dirs() {
		if file := f.openSame(byBuildID(dir, f.module.BuildID, ".debug"), f.module.BuildID); file != nil {
			return file
		}
	}
	if file := f.followLink(); file != nil {
		return file
	}
	return f.download()
}

// byBuildID is the path of a file below a global directory: .build-id/, two digits, a slash, the others. "" if there are
// no others.
func byBuildID(dir, id, suffix string) string {
	if len(id) <= 2 {
		return ""
	}
	return filepath.Join(dir, ".build-id", id[:2], id[2:]+suffix)
}

// openSame opens a file if it has that build ID; otherwise it returns nil.
func (f *Files) openSame(path, id string) *elffile.File {
	if path == "" || id == "" {
		return nil
	}
	return f.openIf(path, func(file *elffile.File) error {
		return sameBuild(file, id)
	})
}

// openIf opens the file at a path if check accepts it; otherwise it returns nil.
func (f *Files) openIf(path string, check func(*elffile.File) error) *elffile.File {
	file, err := elffile.Open(path)
	if err != nil {
		if !missing(err) {
			f.refuse(path, openKind(err), err)
		}
		return nil
	}
	file.Share(f.finder.Allowance)
	if err := check(file); err != nil {
		f.refuse(path, err, nil)
		file.Close()
		return nil
	}
	return file
}

func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist)
}

func openKind(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return errUnreadable
	}
	return errDamaged
}

func sameBuild(file *elffile.File, id string) error {
	found, err := file.BuildID()
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", errDamaged, err)
	case found != id:
		return fmt.Errorf("%w: %q, not %q", ErrOtherBuild, found, id)
	}
	return nil
}

// followLink opens the file that the module's debug link names.
func (f *Files) followLink() *elffile.File {
	if f.module.File == nil {
		return nil
	}
	name, checksum, err := f.module.File.DebugLink()
	if err != nil {
		if !errors.Is(err, elffile.ErrNoSection) {
			f.refuse(f.module.Path, errDamaged, err)
		}
		return nil
	}
	for _, path := range f.linked(name) {
		if file := f.openIf(path, func(file *elffile.File) error { return f.linkMeans(file, checksum) }); file != nil {
			return file
		}
	}
	return nil
}

// linked returns the paths that a debug link can mean: GDB's, and those below the global directories with the name that the
// module's directory has, or had, on systems that have merged /lib into /usr/lib.
func (f *Files) linked(name string) []string {
	home := filepath.Dir(f.module.Path)
	if !filepath.IsAbs(home) {
		return nil
	}
	paths := []string{filepath.Join(home, name), filepath.Join(home, ".debug", name)}
	for _, dir := range f.finder.dirs() {
		paths = append(paths, filepath.Join(dir, home, name))
		if old, merged := strings.CutPrefix(home, "/usr/"); merged {
			paths = append(paths, filepath.Join(dir, old, name))
		}
	}
	return paths
}

// linkMeans returns an error if a file cannot be the one that a debug link means. If both files have build IDs, these
// decide, as in elfutils: tools such as dwz may change the debug file after the checksum was taken. Otherwise the checksum
// does.
func (f *Files) linkMeans(file *elffile.File, checksum uint32) error {
	if !file.HasDWARF() && !file.HasSymbolTable() {
		return fmt.Errorf("%w: it has neither debug data nor symbols", errDamaged)
	}
	if id, err := file.BuildID(); err == nil && id != "" && f.module.BuildID != "" {
		return sameBuild(file, f.module.BuildID)
	}
	found, err := file.Checksum()
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", errUnreadable, err)
	case found != checksum:
		return fmt.Errorf("%w: %#x, not %#x", ErrChecksum, found, checksum)
	}
	return nil
}
