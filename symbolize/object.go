package symbolize

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/cgoheap/cgoheap/internal/debugfile"
	"github.com/cgoheap/cgoheap/internal/dwarf"
	"github.com/cgoheap/cgoheap/internal/elffile"
)

// object is a module with all its files open: everything that can name its addresses.
type object struct {
	files   *debugfile.Files
	code    spans
	debug   *dwarf.Data // nil if there is none
	damage  error       // why the debug data cannot be used
	symbols symbolTable
}

func readObject(files *debugfile.Files) *object {
	o := &object{files: files, code: codeSpans(files.Layout())}
	o.debug, o.damage = dwarf.Open(files.Program(o.code.contain))
	o.symbols = readSymbols(files, o.code)
	return o
}

func (o *object) close() {
	if o.debug != nil {
		o.debug.Close()
	}
}

// resolve gives each of the wants lines or a reason, and lines that could be better the reason for that.
func (o *object) resolve(w wants, style Style) {
	damage := o.damage
	if o.debug != nil {
		damage = o.search(w, style)
	}
	nameStubs(o.files.Layout(), w, style)
	reason := o.reason(damage)
	o.findFunctions(w)
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

// fallBack names an address by its symbol. The line, if there is one, is still the debug data's: assembly code often
// has lines and no functions.
func (o *object) fallBack(w *want, style Style) {
	s := o.symbols.covering(w.address)
	if s == nil || !o.reaches(s, w) {
		return
	}
	w.poor = true
	w.lines = []Line{{
		Function:   style.readable(s.name),
		SystemName: s.name,
		File:       w.place.File,
		Line:       w.place.Line,
		Column:     w.place.Column,
	}}
}

// reason is why an address has no name, given the trouble with the debug data.
func (o *object) reason(damage error) Reason {
	switch {
	case errors.Is(damage, dwarf.ErrTooBig):
		return DebugTooBig
	case errors.Is(damage, dwarf.ErrOtherUnit):
		return NeedsSplit
	case damage != nil:
		return DebugDamaged
	}
	if refusals := o.files.Refusals(); len(refusals) > 0 {
		return refusalReason(refusals[0].Err)
	}
	if o.debug == nil && (len(o.symbols.symbols) == 0 || !hasOwnSymbols(o.files.Layout())) {
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

func readSymbols(files *debugfile.Files, code spans) symbolTable {
	all, _ := files.Symbols() // a table that cannot be read is as good as stripped
	symbols := make([]symbol, len(all))
	for i, s := range all {
		symbols[i] = symbol{name: s.Name, span: span{s.Value, s.Value + s.Size}}
	}
	return newSymbolTable(symbols, code)
}
