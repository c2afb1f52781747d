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
	files   *debugfile.Files
	code    spans
	debug   *dwarf.Data // nil if there is none
	damage  error       // why the debug data cannot be used
	index   func([]functionTable, spans) *symbolIndex
	symbols *symbolTable   // nil as long as nobody has asked
	memory  scratch.Memory // of the search
	last    []Line         // of the symbol that named an address last, without a place
}

func readObject(files *debugfile.Files, index func([]functionTable, spans) *symbolIndex) *object {
	o := &object{files: files, code: codeSpans(files.Layout()), index: index}
	o.debug, o.damage = dwarf.Open(files.Program(o.code.contain))
	return o
}

// symbolTable has the symbols of all files. A table that cannot be read is as good as stripped.
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
	if o.debug != nil {
		o.debug.Close()
	}
	o.memory.Free()
}

// resolve gives each of the wants lines or a reason, and lines that could be better the reason for that.
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

// nameBySymbols gives lines to those of the wants without any that a symbol with a size covers, and finds the functions
// around the others.
func (o *object) nameBySymbols(w wants, style Style) {
	for want := range w.unnamed() {
		if s := o.symbolTable().covering(want.address); s != nil && !s.open {
			o.takeSymbol(want, s, style)
		}
	}
	o.findFunctions(w)
}

// fallBack names an address by a symbol without a size, if it reaches that far.
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
		o.last = []Line{{Function: style.readableOrNot(s.name), SystemName: s.name}}
	}
	w.lines = o.last
	if w.place != nil && *w.place != (dwarf.Place{}) {
		w.lines = []Line{{
			Function:   o.last[0].Function,
			SystemName: s.name,
			File:       w.place.File,
			Line:       w.place.Line,
			Column:     w.place.Column,
		}}
	}
}

// reason is why an address has no name, given the trouble with the debug data.
func (o *object) reason(damage error) Reason {
	switch {
	case errors.Is(damage, dwarf.ErrTooBig):
		return DebugTooBig
	case errors.Is(damage, elffile.ErrAllowance):
		return DebugPacked
	case errors.Is(damage, dwarf.ErrOtherUnit):
		return NeedsSplit
	case damage != nil:
		return DebugDamaged
	}
	if refusals := o.files.Refusals(); len(refusals) > 0 {
		return refusalReason(refusals[0].Err)
	}
	if o.debug == nil && (len(o.symbolTable().entries) == 0 || !hasOwnSymbols(o.files.Layout())) {
		return Stripped
	}
	return NoSymbol
}

// hasOwnSymbols reports whether a file has symbols for all of its code, and not in .dynsym for what others may call.
func hasOwnSymbols(f *elffile.File) bool {
	_, whole := f.Section(".symtab")
	_, packed := f.Section(".gnu_debugdata")
	return whole || packed
}

// codeSpans are the executable segments, cut where a section of code begins or ends.
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
