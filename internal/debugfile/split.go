package debugfile

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/cgoheap/cgoheap/internal/dwarf"
	"github.com/cgoheap/cgoheap/internal/elffile"
)

// split opens the file that holds the larger part of a unit: the package of the program if there is one, otherwise the
// unit's own. Neither has a build ID. The unit in it has an ID, a hash of its contents, which dwarf compares.
func (f *Files) split(unit dwarf.SplitUnit) (dwarf.Source, error) {
	f.packageOnce.Do(f.openPackage)
	if f.pack != nil {
		return f.pack, nil
	}
	for _, path := range f.units(unit) {
		if file := f.openIf(path, anyFile); file != nil {
			return source{file}, nil
		}
	}
	f.refuse(unit.Name, ErrNoSplit, nil)
	return nil, nil
}

// units returns the paths at which a unit's own file may be: where the compiler wrote it, or beside the module or its debug
// file, with or without the compiler's directories.
func (f *Files) units(unit dwarf.SplitUnit) []string {
	if unit.Name == "" {
		return nil
	}
	paths := []string{unit.Name}
	if !filepath.IsAbs(unit.Name) {
		paths = []string{filepath.Join(unit.Directory, unit.Name)}
	}
	for _, path := range f.ownPaths() {
		home := filepath.Dir(path)
		if !filepath.IsAbs(unit.Name) {
			paths = append(paths, filepath.Join(home, unit.Name))
		}
		paths = append(paths, filepath.Join(home, filepath.Base(unit.Name)))
	}
	return paths
}

// ownPaths returns the absolute paths of the module and of its separate file.
func (f *Files) ownPaths() []string {
	var paths []string
	if filepath.IsAbs(f.module.Path) {
		paths = append(paths, f.module.Path)
	}
	if f.separate != nil {
		paths = append(paths, f.separate.Name())
	}
	return paths
}

// openPackage looks for a package beside the module, beside the separate file, and by build ID.
func (f *Files) openPackage() {
	var paths []string
	for _, path := range f.ownPaths() {
		paths = append(paths, path+".dwp")
		if whole, found := strings.CutSuffix(path, ".debug"); found {
			paths = append(paths, whole+".dwp")
		}
	}
	for _, dir := range f.finder.dirs() {
		if path := byBuildID(dir, f.module.BuildID, ".dwp"); path != "" {
			paths = append(paths, path)
		}
	}
	for _, path := range paths {
		if file := f.openIf(path, anyFile); file != nil {
			f.pack = &kept{source: source{file}}
			return
		}
	}
}

// anyFile accepts every file: its units have IDs of their own.
func anyFile(*elffile.File) error { return nil }

// alternate opens the file into which dwz has moved debug data that several files share. It is accepted if it has the build
// ID in the link.
func (f *Files) alternate() (dwarf.Source, error) {
	path, id, err := f.Debug().AlternateLink()
	if err != nil {
		if !errors.Is(err, elffile.ErrNoSection) {
			f.refuse(f.Debug().Name(), errDamaged, err)
		}
		return nil, nil
	}
	for _, path := range f.alternates(path, id) {
		file := f.openIf(path, func(file *elffile.File) error {
			if err := sameBuild(file, id); err != nil {
				return fmt.Errorf("%w: %w", ErrNoAlternate, err)
			}
			return nil
		})
		if file != nil {
			return source{file}, nil
		}
	}
	f.refuse(path, ErrNoAlternate, nil)
	return nil, nil
}

// alternates returns the paths that a link to an alternate file can mean. Distributions write it relative to where the debug
// file really is, in a directory .dwz beside .build-id.
func (f *Files) alternates(path, id string) []string {
	var paths []string
	if filepath.IsAbs(path) {
		paths = append(paths, path)
	} else if home, err := filepath.EvalSymlinks(f.Debug().Name()); err == nil {
		paths = append(paths, filepath.Join(filepath.Dir(home), path))
	}
	below := filepath.Base(path)
	if _, after, found := strings.Cut(path, "/.dwz/"); found {
		below = after
	}
	for _, dir := range f.finder.dirs() {
		paths = append(paths, byBuildID(dir, id, ".debug"), filepath.Join(dir, ".dwz", below))
	}
	return paths
}
