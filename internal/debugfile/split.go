package debugfile

import (
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
		if file := f.openIf(path, func(*elffile.File) error { return nil }); file != nil {
			return source{file}, nil
		}
	}
	f.refuse(unit.Name, ErrNoSplit, nil)
	return nil, nil
}

// units are the paths at which the compiler may have left a unit's own file, or somebody has put it since: beside the
// module, with or without the directories that the compiler was told.
func (f *Files) units(unit dwarf.SplitUnit) []string {
	if unit.Name == "" {
		return nil
	}
	home := filepath.Dir(f.Debug().Name())
	if filepath.IsAbs(unit.Name) {
		return []string{unit.Name, filepath.Join(home, filepath.Base(unit.Name))}
	}
	return []string{
		filepath.Join(unit.Directory, unit.Name),
		filepath.Join(home, unit.Name),
		filepath.Join(home, filepath.Base(unit.Name)),
	}
}

// openPackage looks for a package beside the module, beside the separate file, and by build ID.
func (f *Files) openPackage() {
	var paths []string
	if filepath.IsAbs(f.module.Path) {
		paths = append(paths, f.module.Path+".dwp")
	}
	if f.separate != nil {
		name := f.separate.Name()
		paths = append(paths, name+".dwp", strings.TrimSuffix(name, ".debug")+".dwp")
	}
	for _, dir := range f.finder.dirs() {
		if path := byBuildID(dir, f.module.BuildID, ".dwp"); path != "" {
			paths = append(paths, path)
		}
	}
	for _, path := range paths {
		file := f.openIf(path, func(*elffile.File) error { return nil })
		if file != nil {
			f.pack = &kept{source: source{file}}
			return
		}
	}
}
