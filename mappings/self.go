package mappings

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/cgoheap/cgoheap/internal/descriptor"
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
