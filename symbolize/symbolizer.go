package symbolize

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"github.com/cgoheap/cgoheap/internal/debugfile"
	"github.com/cgoheap/cgoheap/internal/elffile"
	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/mappings"
	"github.com/cgoheap/cgoheap/stack"
)

// Options select the form of names, and where they are looked for. The zero value is usable.
type Options struct {
	Style        Style
	HiddenFrames bool // show the frames that Tidy hides otherwise: between Go and C, and the allocators' entries

	// DebugDirs are searched for separate debug files before /usr/lib/debug, and have the same layout: by build ID, as
	// .build-id/xx/yyyy.debug, or by the module's path.
	DebugDirs []string

	// Debuginfod allows asking the servers in DEBUGINFOD_URLS, if that is set, for the debug files of modules that no file
	// on this machine can name. That discloses the build IDs to them. Resolve then waits for downloads.
	Debuginfod bool

	// UnpackBytes is how much memory the compressed debug sections of a module may take while its addresses are named, 12
	// MiB if it is 0. A module that needs more is named by its symbols, without inlined calls and lines. Uncompressed debug
	// sections are read in parts and need none: the Go linker writes such with -ldflags=-compressdwarf=false.
	UnpackBytes int64
}

const defaultUnpackBytes = 12 << 20

func (o *Options) unpackBytes() int64 {
	if o.UnpackBytes == 0 {
		return defaultUnpackBytes
	}
	return o.UnpackBytes
}

// Symbolizer names addresses. It may be used from several goroutines at once; it serves one at a time, so that the debug
// data of only one file is in memory.
type Symbolizer struct {
	options Options
	finder  debugfile.Finder

	mu          sync.Mutex
	answers     answers
	indexes     indexes
	descriptors jitDescriptors
	seen        jitSeen
	retired     bool

	missingMu sync.Mutex // not mu, which Resolve holds while it reads files: counting does not wait for that
	missing   MissingCounts
}

// New makes a Symbolizer.
func New(options Options) *Symbolizer {
	return &Symbolizer{options: options, finder: debugfile.Finder{
		Dirs: options.DebugDirs, Server: debugfile.EnvironmentServer(), AskServer: options.Debuginfod,
	}}
}

// Resolve names addresses of one module, nil for addresses outside all modules. The addresses lie inside the call
// instruction (return address − 1), in any order, repeated or not; the results have the same order. Earlier answers are
// remembered; for the others the module's file is opened, read and closed again. The lines of a result are shared and must
// not be changed.
func (s *Symbolizer) Resolve(m *mappings.Module, addresses []mappings.ELFAddr) []Result {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.settle()
	var results []Result
	switch {
	case m == nil:
		return slices.Repeat([]Result{{Reason: NoModule}}, len(addresses))
	case m.IsMade():
		results = slices.Repeat([]Result{{Reason: madeAtRunTime}}, len(addresses))
	default:
		results = s.resolve(m, addresses)
	}
	s.nameMade(m, addresses, results)
	return results
}

// given are the lines of an address that Go's runtime knows, and which of the addresses that is.
type given struct {
	index int
	lines []Line
}

// resolve makes the results last: thousands of them would otherwise be in memory beside the debug data.
func (s *Symbolizer) resolve(m *mappings.Module, addresses []mappings.ELFAddr) []Result {
	known := s.answers.of(m)
	own := m.HoldsGo()
	var memory scratch.Memory
	defer memory.Free()
	unknown := scratch.Slice[uint64](&memory, len(addresses))[:0]
	var runtimes []given
	for i, address := range addresses {
		if own {
			if lines := s.options.Style.goLines(mappings.RuntimeAddr(uint64(address) + m.Bias)); lines != nil {
				runtimes = append(runtimes, given{i, lines})
				continue
			}
		}
		if !known.has(address) {
			unknown = append(unknown, uint64(address))
		}
	}
	var found wants
	if len(unknown) > 0 {
		found = newWants(unknown)
		scratch.ReleaseSlice(&memory, unknown)
		s.lookUp(m, found)
		s.answers.add(known, found)
	}
	results := make([]Result, len(addresses))
	for i, address := range addresses {
		if len(runtimes) > 0 && runtimes[0].index == i {
			results[i].Lines, runtimes = runtimes[0].lines, runtimes[1:]
		} else if w := found.at(uint64(address)); w != nil {
			results[i] = w.result()
		} else {
			results[i], _ = known.of(address)
		}
	}
	return results
}

// lookUp names addresses by the module's file and its debug files.
func (s *Symbolizer) lookUp(m *mappings.Module, w wants) {
	file, err := openModule(m)
	if err == nil {
		defer file.Close()
		if nameGo(file, w, s.options.Style); w.named() {
			return
		}
	}
	scratch.ClearGarbage()
	finder := s.finder
	finder.Allowance = elffile.NewAllowance(s.options.unpackBytes())
	files := finder.Open(debugfile.Module{Path: m.Path, BuildID: buildID(m, file), File: file})
	defer files.Close()
	if !files.Found() {
		w.give(openReason(m, err))
		return
	}
	o := readObject(files, func(tables []functionTable, code spans) *symbolIndex { return s.indexes.of(m, tables, code) })
	defer o.close()
	o.store = &s.answers.store
	o.resolve(w, s.options.Style)
}

// openModule opens the file that was mapped. A file that was overwritten in place keeps its inode, but not its build ID.
func openModule(m *mappings.Module) (*elffile.File, error) {
	file, err := m.Open()
	if err != nil {
		return nil, err
	}
	if id, _ := file.BuildID(); m.BuildID != "" && id != m.BuildID {
		file.Close()
		return nil, fmt.Errorf("%s: %w: build ID %q, mapped %q", m.Path, mappings.ErrGone, id, m.BuildID)
	}
	return file, nil
}

// buildID returns the module's build ID, from memory or else from its file.
func buildID(m *mappings.Module, file *elffile.File) string {
	if m.BuildID != "" || file == nil {
		return m.BuildID
	}
	id, _ := file.BuildID()
	return id
}

// openReason returns why a module's file cannot be opened.
func openReason(m *mappings.Module, err error) Reason {
	var path *fs.PathError
	switch {
	case m.Deleted || errors.Is(err, mappings.ErrGone) || errors.Is(err, fs.ErrNotExist):
		return FileGone
	case errors.Is(err, mappings.ErrUnrecognised):
		return unrecognised
	case errors.As(err, &path):
		return unreadable
	}
	return NotELF
}

// Note ends a profile: it records what could not be named well in it. That replaces the record of the profile before: an address
// without a name is in every profile again, so sums would only count profiles. Then it calls Compact.
func (s *Symbolizer) Note(t MissingCounts) {
	s.missingMu.Lock()
	s.missing = t
	s.missingMu.Unlock()
	s.Compact()
}

// Compact compresses the names until they are needed again, unless some are being looked up just now.
func (s *Symbolizer) Compact() {
	if s.mu.TryLock() {
		defer s.mu.Unlock()
		s.answers.compact()
	}
}

// Losses returns how many addresses in the last profile have no name, or a poor one, by reason. It does not wait for
// Resolve.
func (s *Symbolizer) Losses() []stack.Loss {
	s.missingMu.Lock()
	defer s.missingMu.Unlock()
	return s.missing.losses()
}

// Retire forgets all names; from then on the Symbolizer remembers none. It waits for a Resolve in progress.
func (s *Symbolizer) Retire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.retired = true
	s.settle()
}

// settle lets the caches expire: at once after Retire, otherwise when they stay unused.
func (s *Symbolizer) settle() {
	if s.retired {
		s.forget()
		s.seen = jitSeen{}
	} else {
		s.forgetWhenIdle()
	}
}

// forget drops all caches.
func (s *Symbolizer) forget() {
	s.answers.forget()
	s.indexes, s.descriptors = indexes{}, nil
}
