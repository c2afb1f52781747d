package debugfile

import (
	"sync"

	"github.com/cgoheap/cgoheap/internal/elffile"
	"github.com/cgoheap/cgoheap/internal/scratch"
)

// Module is what is known of a loaded file.
type Module struct {
	Path    string        // where it was loaded from; another file or none may be there by now
	BuildID string        // as it was when it was loaded, in lower-case hex; "" if it has none
	File    *elffile.File // the very file; nil if it is not to be had any more
}

// Finder says where to look besides the places that all debuggers know. The zero value is good.
type Finder struct {
	Dirs      []string // laid out as /usr/lib/debug is, which comes after them
	Server    *Server  // what may be asked when nothing is found; nil: nothing
	AskServer bool     // whether the user has allowed it

	Allowance *elffile.Allowance // of what is decompressed of all files; nil: no bound
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
			f.refusals = nil // what was met on the way does not matter
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

// Found says whether there is any file that may name the module.
func (f *Files) Found() bool { return f.module.File != nil || f.separate != nil }

// Layout is the file that says where the module has code: its own if possible. It must be Found.
func (f *Files) Layout() *elffile.File {
	if f.module.File != nil {
		return f.module.File
	}
	return f.separate
}

// Debug is the file that has the debug data: the module's own if that has any, otherwise the separate one. It must be
// Found.
func (f *Files) Debug() *elffile.File {
	if f.separate != nil {
		return f.separate
	}
	return f.module.File
}

// Functions are all symbol tables that are known for the module. They are subsets of one another as a rule: .symtab has
// all, .dynsym what other modules may call, the one in .gnu_debugdata what .dynsym leaves out. The error is that of a table
// that could not be read.
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
