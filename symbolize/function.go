package symbolize

import (
	"debug/elf"
	"slices"

	"github.com/cgoheap/cgoheap/internal/elffile"
	"github.com/cgoheap/cgoheap/internal/unwind"
)

// A stripped file still records where its functions begin and end, in .eh_frame. That helps for an address without a name:
// all addresses of one function have one start, and a viewer can add them up. It also shows which symbol must not name an
// address. A stripped file has only the symbols of exported functions, and one without a size seems to reach up to the next,
// over all functions between the two.

// findFunctions finds the functions around the addresses that have no lines and no symbol with a size.
func (o *object) findFunctions(w wants) {
	file := o.files.Layout()
	var open []*want
	var addresses []uint64
	for want := range w.unnamed() {
		if s := o.symbolTable().covering(want.address); s == nil || s.open {
			open, addresses = append(open, want), append(addresses, want.address)
		}
	}
	if len(open) == 0 {
		return
	}
	stubs := file.Stubs()
	for i, f := range functionsAround(file, addresses) {
		if o.code.contain(f.Start) && !within(stubs, f.Start) {
			open[i].start = f.Start
		}
	}
}

// functionsAround returns the functions around ascending addresses; the zero Function where there is none.
func functionsAround(f *elffile.File, addresses []uint64) []unwind.Function {
	if f.Machine != elf.EM_X86_64 && f.Machine != elf.EM_AARCH64 {
		return nil
	}
	frames, index := f.EhFrameExtents()
	finder := unwind.Finder{Frames: unwind.Bytes(frames), Index: unwind.Bytes(index), Read: f.ReadMemory}
	return finder.Find(addresses)
}

// within reports whether an address lies in stubs. One FDE describes all stubs of a section, so it is not a function.
func within(stubs []elffile.Extent, address uint64) bool {
	return slices.ContainsFunc(stubs, func(s elffile.Extent) bool { return address-s.Addr < s.Size })
}

// reaches reports whether a symbol covers the address. If all symbols are known, one without a size covers everything up to
// the next; in a stripped file, only the rest of the function that it lies in.
func (o *object) reaches(s *symbol, w *want) bool {
	return !s.open || o.complete() || w.start != 0 && w.start <= s.low
}

// complete reports whether there are symbols of all functions, not only of exported ones.
func (o *object) complete() bool {
	return hasOwnSymbols(o.files.Layout()) || hasOwnSymbols(o.files.Debug())
}
