package mappings

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cgoheap/cgoheap/internal/descriptor"
	"github.com/cgoheap/cgoheap/stack"
)

// Self finds the modules of this process: the main executable first, the others ascending by address. The owner of the list
// of modules sets the IDs. A module whose file cannot be read is not an error of Self: its Err has the reason.
func Self() ([]Module, error) { return self.modules() }

// SelfAndMade finds the modules as Self does, and the ranges of code that was made at run time, ascending.
func SelfAndMade() (modules []Module, made []Range, err error) { return self.modulesAndMade() }

func (p process) modules() ([]Module, error) {
	modules, _, err := p.modulesAndMade()
	return modules, err
}

func (p process) modulesAndMade() ([]Module, []Range, error) {
	// One read at a time is consistent, the whole text is not: other threads go on loading while it is read.
	text, err := descriptor.ReadFile(p.file("maps"))
	if err != nil {
		return nil, nil, fmt.Errorf("reading mappings: %w", err)
	}
	mappings, err := parseMaps(bytes.NewReader(text))
	if err != nil {
		return nil, nil, err
	}
	p.settleNames(mappings)
	modules, made := inspectAll(mappings, p)
	p.mainFirst(modules)
	return modules, made, nil
}

// mainFirst moves the program's own module to the front.
func (p process) mainFirst(modules []Module) {
	link := p.file("exe")
	inode, _ := inodeOf(link)
	path, _ := os.Readlink(link)
	path = strings.TrimSuffix(path, deletedSuffix)
	at := slices.IndexFunc(modules, func(m Module) bool { return m.Path == path && m.Inode == inode })
	if at < 0 {
		at = slices.IndexFunc(modules, func(m Module) bool {
			return m.Path == path || m.Inode == inode && inode != 0
		})
	}
	if at > 0 {
		program := modules[at]
		copy(modules[1:at+1], modules[:at])
		modules[0] = program
	}
}

// Process is another process, whose files and memory are read through its directory in /proc. It must be one that the caller may
// trace (ptrace(2), "Ptrace access mode checking").
type Process struct {
	process
}

// Of returns the process of a directory, such as /proc/1234.
func Of(dir string) Process { return Process{process(dir)} }

// In returns a process that is gone, or cannot be looked at, and whose files lie below a folder, such as the root of a container.
func In(root string) Process { return Process{process(inRoot + root)} }

const inRoot = "root:"

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
	if root, found := strings.CutPrefix(string(p), inRoot); found {
		return filepath.Join(root, path)
	}
	return filepath.Join(string(p), "root", path)
}
