package debugfile

import (
	"sync"

	"github.com/cgoheap/cgoheap/internal/elffile"
	"github.com/cgoheap/cgoheap/internal/scratch"
)

// Module describes a loaded file.
type Module struct {
	Path    string        // where it was loaded from; by now there may be another file or none
	BuildID string        // as of the time when it was loaded, in lower-case hex; "" if it has none
	File    *elffile.File // the very file; nil if it can no longer be opened
}

// Finder configures where to look besides the standard paths. The zero value is usable.
type Finder struct {
	Dirs      []string // with the layout of /usr/lib/debug, which is searched after them
	Server    *Server  // the server to ask if nothing is found; nil: none
	AskServer bool     // whether the user has allowed it

	Allowance *elffile.Allowance // for what is decompressed of all files; nil: no bound
}

// Files are the files that can name a module. Its methods may be called from several goroutines.
type Files struct {
	finder Finder
	module Module

	memory   scratch.Memory // of what mini was unpacked to
	separate *elffile.File  // nil if it is not needed, or not there
	mini     *elffile.File  // likewise

	packageOnce sync.Once
	pack        *kept // the .dwp file

	mu       sync.Mutex
	refusals []Refusal
}

// Open finds the files of a module and opens them. The caller closes them, and after that the module's own.
func (d Finder) Open(m Module) *Files {
	f := &Files{finder: d, module: m}
	if m.File != nil {
		m.File.Share(d.Allowance)
	}
	if m.File == nil || !m.File.HasDWARF() {
		if f.separate = f.findSeparate(); f.separate != nil {
			f.refusals = nil // refusals on the way do not matter
		}
	}
	if m.File != nil && !m.File.HasSymbolTable() && (f.separate == nil || !f.separate.HasSymbolTable()) {
		f.mini = f.openMini()
	}
	return f
}

// Close closes the files, without the module's own.
func (f *Files) Close() {
	for _, file := range []*elffile.File{f.separate, f.mini} {
		if file != nil {
			file.Close()
		}
	}
	if f.pack != nil {
		f.pack.File.Close()
	}
	f.memory.Free()
}

// Found reports whether there is any file that may name the module.
func (f *Files) Found() bool { return f.module.File != nil || f.separate != nil }

// Layout returns the file whose headers describe where the module has code: its own if possible. Found must be true.
func (f *Files) Layout() *elffile.File {
	if f.module.File != nil {
		return f.module.File
	}
	return f.separate
}

// Debug returns the file that has the debug data: the module's own if that has any, otherwise the separate one. Found must
// be true.
func (f *Files) Debug() *elffile.File {
	if f.separate != nil {
		return f.separate
	}
	return f.module.File
}

// ReleaseDebug frees the memory of all that was read from the file that has the debug data. Debug data that came from
// Program must be closed before.
func (f *Files) ReleaseDebug() { f.Debug().Release() }

// Functions returns all known symbol tables of the module. Usually .symtab has all functions, .dynsym the exported ones, and
// the table in .gnu_debugdata the symbols that .dynsym leaves out. The error reports a table that could not be read.
func (f *Files) Functions() (tables []*elffile.FunctionTable, err error) {
	for _, file := range []*elffile.File{f.module.File, f.separate, f.mini} {
		if file == nil {
			continue
		}
		found, failure := file.FunctionTables()
		if failure != nil {
			err = failure
		}
		if file == f.mini {
			for _, table := range found {
				table.Supplements()
			}
		}
		tables = append(tables, found...)
	}
	return tables, err
}
