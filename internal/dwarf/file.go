package dwarf

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"

	"github.com/cgoheap/cgoheap/internal/background"
	"github.com/cgoheap/cgoheap/internal/scratch"
)

// sectionKind numbers the sections that names are read from.
type sectionKind uint8

const (
	secInfo sectionKind = iota
	secAbbrev
	secStr
	secLineStr
	secStrOffsets
	secAddr
	secRanges
	secRnglists
	secLine
	sectionKinds
)

var sectionNames = [sectionKinds]string{
	secInfo: "info", secAbbrev: "abbrev", secStr: "str", secLineStr: "line_str", secStrOffsets: "str_offsets",
	secAddr: "addr", secRanges: "ranges", secRnglists: "rnglists", secLine: "line",
}

// reaches are the windows through which the sections are read.
var reaches = [sectionKinds]uint64{
	secInfo: unitWindow, secAbbrev: tableWindow, secStr: textWindow, secLineStr: textWindow, secStrOffsets: textWindow,
	secAddr: textWindow, secRanges: tableWindow, secRnglists: tableWindow, secLine: lineWindow,
}

// file is the debug sections of one file, and where its units lie.
type file struct {
	sections [sectionKinds]Section
	units    []header        // ascending
	memory   *scratch.Memory // of the units; nil: Go's heap
	source   Source

	alternateOnce sync.Once
	openAlternate func() (Source, error)
	alternate     *file // nil if there is none
}

var errDamaged = errors.New("dwarf: debug data is inconsistent")

// openFile reads a file's sections, of which some are decompressed, which takes most of the time if it is needed at all:
// so some are read at the same time.
func openFile(source Source, suffix string, kinds []sectionKind) (*file, error) {
	f := &file{source: source}
	var group sync.WaitGroup
	errs := make([]error, len(kinds))
	slots := make(chan struct{}, workers())
	for i, kind := range kinds {
		group.Add(1)
		slots <- struct{}{}
		go func() {
			defer group.Done()
			caught := background.Guard("opening debug data", func() {
				f.sections[kind], errs[i] = source.Section(".debug_" + sectionNames[kind] + suffix)
			})
			errs[i] = errors.Join(errs[i], caught)
			<-slots
		}()
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("reading debug sections: %w", err)
	}
	return f, nil
}

var allSections = []sectionKind{secInfo, secStr, secLine, secAbbrev, secLineStr, secStrOffsets, secAddr, secRanges,
	secRnglists}

// workers returns how many goroutines read debug data at once: enough to matter, and few next to what a service runs.
func workers() int { return min(runtime.GOMAXPROCS(0), 4) }

// other returns the alternate file, opened when the first entry refers to it; nil if there is none.
func (f *file) other() *file {
	f.alternateOnce.Do(func() {
		if f.openAlternate == nil {
			return
		}
		source, err := f.openAlternate()
		if err != nil || source == nil {
			return
		}
		alternate, err := openFile(source, "", []sectionKind{secInfo, secAbbrev, secStr, secLineStr})
		if err != nil {
			closeSource(source)
			return
		}
		_ = alternate.readHeaders(nil)
		f.alternate = alternate
	})
	return f.alternate
}

// unpacked returns how many bytes of the file were decompressed when it was opened.
func (f *file) unpacked() int {
	bytes := 0
	for kind := range f.sections {
		if f.sections[kind].Unpacked {
			bytes += len(f.sections[kind].Bytes)
		}
	}
	return bytes
}

func (f *file) close() {
	closeSource(f.source)
	if f.alternate != nil {
		f.alternate.close()
	}
}

func closeSource(source Source) {
	if closer, ok := source.(io.Closer); ok {
		_ = closer.Close() // it was only read
	}
}

// Section is the contents of one section, decompressed: Bytes if they are in memory, otherwise Size bytes of Reader,
// which are read as they are needed. The zero Section is one that the file does not have.
type Section struct {
	Bytes    []byte
	Unpacked bool        // Bytes were decompressed for this call
	Reader   io.ReaderAt // safe for use by several goroutines
	Size     uint64      // of Reader's bytes
}

// Source is a file with debug sections. Its method is called once for each section, from several goroutines.
type Source interface {
	// Section returns the section of that name, such as ".debug_info", or the zero Section if there is none.
	Section(name string) (Section, error)
}

// Program is where the debug data of one program or library comes from. The functions are called when something refers
// to such a file; each may be nil, and each may return a nil Source if there is no such file. A Source that is an
// io.Closer is closed after use.
type Program struct {
	Source // the file that holds the debug data

	// Alternate opens the file that the .gnu_debugaltlink section names, into which dwz has moved what several
	// programs have in common.
	Alternate func() (Source, error)

	// Split opens the file into which the compiler wrote the larger part of a unit: a .dwo file, or a .dwp package,
	// recognised by its .debug_cu_index section, that holds the unit.
	Split func(SplitUnit) (Source, error)

	// IsCode reports whether an ELF address lies in the program's code. Entries that begin elsewhere describe what the
	// linker has dropped.
	IsCode func(address uint64) bool
}

// SplitUnit is what a skeleton unit says about the file with its other part.
type SplitUnit struct {
	ID        uint64 // DW_AT_dwo_id, or the unit ID in the header of DWARF 5
	Name      string // DW_AT_dwo_name, often relative to Directory
	Directory string // DW_AT_comp_dir
}

// read returns the bytes from offset up to limit, as many as it has at once: all that are in memory, otherwise what fits
// into the buffer.
func (s *Section) read(offset, limit uint64, buffer []byte) []byte {
	if s.Reader == nil {
		return s.Bytes[offset:limit]
	}
	n, _ := s.Reader.ReadAt(buffer[:min(limit-offset, uint64(len(buffer)))], int64(offset))
	return buffer[:n]
}

func (s *Section) size() uint64 {
	if s.Reader == nil {
		return uint64(len(s.Bytes))
	}
	return s.Size
}
