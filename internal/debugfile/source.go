package debugfile

import (
	"errors"
	"sync"

	"github.com/cgoheap/cgoheap/internal/dwarf"
	"github.com/cgoheap/cgoheap/internal/elffile"
)

// source provides the debug sections of a file to internal/dwarf.
type source struct{ *elffile.File }

// Section leaves a section in the file if it can be read piece by piece there.
func (s source) Section(name string) (dwarf.Section, error) {
	part, data, err := s.SectionParts(name)
	switch {
	case errors.Is(err, elffile.ErrNoSection):
		return dwarf.Section{}, nil
	case err != nil:
		return dwarf.Section{}, err
	case part == nil:
		return dwarf.Section{Bytes: data, Unpacked: true}, nil
	}
	return dwarf.Section{Reader: part, Size: uint64(part.Size())}, nil
}

// kept is a source that stays open when dwarf closes it, because it is used again: so compressed sections are decompressed
// only once.
type kept struct {
	source
	mu       sync.Mutex
	sections map[string]dwarf.Section
}

func (k *kept) Section(name string) (dwarf.Section, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if section, ok := k.sections[name]; ok {
		return section, nil
	}
	section, err := k.source.Section(name)
	if err != nil {
		return dwarf.Section{}, err
	}
	if k.sections == nil {
		k.sections = make(map[string]dwarf.Section)
	}
	again := section
	again.Unpacked = false
	k.sections[name] = again
	return section, nil
}

// Close leaves the file open.
func (k *kept) Close() error { return nil }

// Program returns the debug data of the module, in whichever files it is. It may be used while the Files are open. Found
// must be true.
func (f *Files) Program(isCode func(address uint64) bool) dwarf.Program {
	return dwarf.Program{
		Source:    &kept{source: source{f.Debug()}},
		Alternate: f.alternate,
		Split:     f.split,
		IsCode:    isCode,
	}
}

// The reasons why a file that could have named a module does not. A Refusal wraps one of them.
var (
	ErrOtherBuild  = errors.New("it has another build ID")
	ErrChecksum    = errors.New("its checksum is not that of the debug link")
	errDamaged     = errors.New("it is damaged")
	errUnreadable  = errors.New("it cannot be read")
	ErrNoAlternate = errors.New("the file that dwz made is missing")
	ErrNoSplit     = errors.New("a file of split debug data is missing")
	ErrServerOff   = errors.New("a debuginfod server may have it, but asking is off")
	ErrNotOnServer = errors.New("no debuginfod server has it")
	ErrServer      = errors.New("no debuginfod server sent it")
)

// Refusal is a file that is not accepted, or is missing, with the reason.
type Refusal struct {
	Path string
	Err  error // wraps one of the errors of this package
}

// refuse remembers the first refusal of each kind: split debug data can be thousands of files.
func (f *Files) refuse(path string, kind, cause error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.refusals {
		if errors.Is(r.Err, kind) {
			return
		}
	}
	f.refusals = append(f.refusals, Refusal{path, errors.Join(kind, cause)})
}

// Refusals returns the files that were refused so far, in the order of the search; one of each kind.
func (f *Files) Refusals() []Refusal {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.refusals[:len(f.refusals):len(f.refusals)]
}
