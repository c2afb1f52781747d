package debugfile

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/cgoheap/cgoheap/internal/dwarf"
	"github.com/cgoheap/cgoheap/internal/elffile"
)

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
