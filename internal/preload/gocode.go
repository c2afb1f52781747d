package preload

import (
	"fmt"

	"github.com/cgoheap/cgoheap/internal/elffile"
	"github.com/cgoheap/cgoheap/internal/pclntab"
)

// offsetOfM is where a g of Go's runtime has its m, in all versions whose tables package pclntab reads. If it were elsewhere, a walk would
// find no g that leads to an m, and end where Go calls C.
const offsetOfM = 48

// goCode returns what a walk must know of a Go program that calls C, for Settings.Go: the file, the offset of m in a g, and the bounds of the
// Go code and of the functions through which Go and C call each other. It is none if the file has no Go code, or none that calls C.
func goCode(path string) string {
	f, err := elffile.Open(path)
	if err != nil {
		return none
	}
	defer f.Close()
	found, err := pclntab.Find(f)
	if err != nil {
		return none
	}
	table, err := found.Read()
	if err != nil {
		return none
	}
	functions, text := table.Named("runtime.asmcgocall", "runtime.mstart", "crosscall2"), table.Text()
	device, inode, ok := identityOf(f)
	if _, calls := functions["crosscall2"]; !calls || !ok { // runtime/cgo has it
		return none
	}
	value := fmt.Sprintf("%x,%x,%x,%x,%x", device, inode, offsetOfM, text.Start, text.Limit)
	for _, name := range []string{"runtime.asmcgocall", "crosscall2", "runtime.mstart"} {
		value += fmt.Sprintf(",%x,%x", functions[name].Start, functions[name].Limit)
	}
	return value
}

const none = "none"
