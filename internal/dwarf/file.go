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
