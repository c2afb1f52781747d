package symbolize

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/cgoheap/cgoheap/internal/debugfile"
	"github.com/cgoheap/cgoheap/internal/dwarf"
	"github.com/cgoheap/cgoheap/internal/elffile"
	"github.com/cgoheap/cgoheap/internal/scratch"
)

// object is a module with all its files open: everything that can name its addresses.
type object struct {
	files    *debugfile.Files
	code     spans
	debug    *dwarf.Data // nil if there is none
	searched bool        // debug is closed
	damage   error       // why the debug data cannot be used
	index    func([]functionTable, spans) *symbolIndex
	symbols  *symbolTable   // nil until needed
	memory   scratch.Memory // of the search
	store    *store         // for lines
	last     []Line         // of the last symbol that named an address, without a source position
}

func readObject(files *debugfile.Files, index func([]functionTable, spans) *symbolIndex) *object {
	o := &object{files: files, code: codeSpans(files.Layout()), index: index, store: &store{}}
	if o.debug, o.damage = dwarf.Open(files.Program(o.code.contain)); o.debug == nil {
		files.ReleaseDebug() // the sections that could be read are of no use
	}
	return o
}

// symbolTable returns the symbols of all files. A table that cannot be read counts as stripped.
func (o *object) symbolTable() *symbolTable {
	if o.symbols == nil {
		found, _ := o.files.Functions()
		tables := make([]functionTable, len(found))
		for i := range found {
			tables[i] = found[i]
		}
		o.symbols = &symbolTable{symbolIndex: o.index(tables, o.code), code: o.code, tables: tables}
	}
	return o.symbols
}

func (o *object) close() {
	o.closeDebug()
	o.memory.Free()
}

// closeDebug frees the memory of the debug data: a program's unpacked sections, which can be larger than everything else in
// naming. No result of Find points into them.
func (o *object) closeDebug() {
	if o.debug != nil && !o.searched {
		o.searched = true
		o.debug.Close()
		o.files.ReleaseDebug()
	}
}

// resolve sets the lines of each want, or the reason for none. Lines that could be better have the reason for that.
func (o *object) resolve(w wants, style Style) {
	damage := o.damage
	if o.debug != nil {
		damage = o.search(w, style)
	}
	nameStubs(o.files.Layout(), w, style)
	reason := o.reason(damage)
	o.nameBySymbols(w, style)
	for i := range w {
		if w[i].lines == nil {
			o.fallBack(&w[i], style)
		}
		if w[i].lines == nil {
			w[i].reason = reason
		} else if w[i].poor && reason.isTrouble() {
			w[i].lack = reason
		}
	}
}

// nameBySymbols sets the lines of wants without any that a symbol with a size covers, and finds the functions around the
// others.
func (o *object) nameBySymbols(w wants, style Style) {
	for want := range w.unnamed() {
		if s := o.symbolTable().covering(want.address); s != nil && !s.open {
			o.takeSymbol(want, s, style)
		}
	}
	o.findFunctions(w)
}

// fallBack names an address by a symbol without a size, if that reaches the address.
func (o *object) fallBack(w *want, style Style) {
	if s := o.symbolTable().covering(w.address); s != nil && o.reaches(s, w) {
		o.takeSymbol(w, s, style)
	}
}

// takeSymbol names an address by a symbol. The line, if there is one, is still the debug data's: assembly code often has
// lines and no functions. Neighbours in one function share their lines.
func (o *object) takeSymbol(w *want, s *symbol, style Style) {
	w.poor = true
	if len(o.last) == 0 || o.last[0].SystemName != s.name {
		o.last = o.store.keep(o.store.symbol(s.name, style))
	}
	w.lines = o.last
	if w.position != nil && *w.position != (dwarf.Position{}) {
		w.lines = o.store.keep(Line{
			Function:   o.last[0].Function,
			SystemName: o.last[0].SystemName,
			File:       w.position.File,
			Line:       w.position.Line,
			Column:     w.position.Column,
		})
	}
}

// reason returns why an address has no name, given the error of the debug data.
func (o *object) reason(damage error) Reason {
	switch {
	case errors.Is(damage, dwarf.ErrTooBig):
		return debugTooBig
	case errors.Is(damage, elffile.ErrAllowance):
		return debugPacked
	case errors.Is(damage, dwarf.ErrOtherUnit):
		return NeedsSplit
	case damage != nil:
		return debugDamaged
	}
	if refusals := o.files.Refusals(); len(refusals) > 0 {
		return refusalReason(refusals[0].Err)
	}
	if o.debug == nil && (o.symbolTable().starts.len() == 0 || !hasOwnSymbols(o.files.Layout())) {
		return Stripped
	}
	return noSymbol
}

// hasOwnSymbols reports whether a file has symbols for all of its code, not only in .dynsym for exported functions.
func hasOwnSymbols(f *elffile.File) bool {
	_, whole := f.Section(".symtab")
	_, packed := f.Section(".gnu_debugdata")
	return whole || packed
}

// codeSpans returns the executable segments, split where a section of code begins or ends.
func codeSpans(f *elffile.File) spans {
	var code spans
	for _, s := range f.Segments() {
		if s.Exec && s.Memsz <= math.MaxUint64-s.Vaddr {
			code = append(code, span{s.Vaddr, s.Vaddr + s.Memsz})
		}
	}
	for _, name := range []string{".init", ".plt", ".plt.got", ".plt.sec", ".text", ".fini"} {
		if s, ok := f.Section(name); ok {
			code = code.cut(s.Addr).cut(s.Addr + s.Size)
		}
	}
	slices.SortFunc(code, func(a, b span) int { return cmp.Compare(a.low, b.low) })
	return code
}
