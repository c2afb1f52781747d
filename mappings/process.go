package mappings

import (
	"path/filepath"

	"github.com/cgoheap/cgoheap/stack"
)

// Process is another process, whose files and memory are read through its directory in /proc. It must be one that the caller may
// trace (ptrace(2), "Ptrace access mode checking").
type Process struct {
	process
}

// Of returns the process of a directory, such as /proc/1234.
func Of(dir string) Process { return Process{process(dir)} }

// ModulesAndMade finds the modules as Self does, and the ranges of code that was made at run time, ascending.
func (p Process) ModulesAndMade() ([]Module, []Range, error) {
	modules, made, err := p.modulesAndMade()
	for i := range modules {
		modules[i].other = p.process
	}
	return modules, made, err
}

// Unloaded returns a module that the process has had, of which no more is known.
func (p Process) Unloaded(path, buildID string, bias uint64, code Range) *Module {
	return &Module{Path: path, BuildID: buildID, Bias: bias, Ranges: []Range{code}, other: p.process}
}

// Made is Made for the process.
func (p Process) Made(id stack.ModuleID, ranges []Range) *Module {
	m := Made(id, ranges)
	m.other = p.process
	return m
}

// Foreign reports whether this is a module of another process.
func (m *Module) Foreign() bool { return m != nil && m.other != "" }

// owner returns the process that has the module.
func (m *Module) owner() process {
	if m.other != "" {
		return m.other
	}
	return self
}

// rooted returns a path of the process as this process can open it: containers have other files.
func (p process) rooted(path string) string {
	if p == self {
		return path
	}
	return filepath.Join(string(p), "root", path)
}
