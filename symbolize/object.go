package symbolize

import (
	"debug/elf"
	"errors"
	"sort"
)

// object is an opened file: everything that can name its addresses.
type object struct {
	code    spans
	debug   *debugData // nil if the file has none
	damage  error      // why the debug data cannot be used
	symbols symbolTable
}

func readObject(f *elf.File) *object {
	o := &object{code: codeSpans(f)}
	o.debug, o.damage = readDebugData(func(name string) ([]byte, error) {
		s := f.Section(name)
		if s == nil {
			return nil, nil
		}
		return s.Data()
	})
	o.symbols = newSymbolTable(readSymbols(f), o.code)
	return o
}

// resolve gives each of the wants lines or a reason.
func (o *object) resolve(w wants, style Style) {
	damage := o.damage
	if o.debug != nil {
		s := search{debug: o.debug, code: o.code, symbols: &o.symbols, style: style}
		s.run(w)
		damage = s.damage
	}
	for i := range w {
		if w[i].lines == nil {
			o.fallBack(&w[i], style)
		}
		if w[i].lines == nil {
			w[i].reason = o.reason(damage)
		}
	}
}

// fallBack names an address by its symbol. The line, if there is one, is still the debug data's: assembly code often
// has lines and no functions.
func (o *object) fallBack(w *want, style Style) {
	s := o.symbols.covering(w.address)
	if s == nil {
		return
	}
	w.lines = []Line{{
		Function:   style.readable(s.name),
		SystemName: s.name,
		File:       w.row.file,
		Line:       w.row.line,
		Column:     w.row.column,
	}}
}

// reason is why an address has no name, given the trouble with the debug data.
func (o *object) reason(damage error) Reason {
	switch {
	case errors.Is(damage, errTooBig):
		return DebugTooBig
	case damage != nil:
		return DebugDamaged
	case o.debug == nil && len(o.symbols.symbols) == 0:
		return Stripped
	}
	return NoSymbol
}

func codeSpans(f *elf.File) spans {
	var code spans
	for _, s := range f.Sections {
		if s.Flags&elf.SHF_EXECINSTR != 0 {
			code = append(code, span{s.Addr, s.Addr + s.Size})
		}
	}
	sort.Slice(code, func(i, j int) bool { return code[i].low < code[j].low })
	return code
}

func readSymbols(f *elf.File) []symbol {
	all, _ := f.Symbols()
	dynamic, _ := f.DynamicSymbols()
	var symbols []symbol
	for _, s := range append(all, dynamic...) {
		if t := elf.ST_TYPE(s.Info); t == elf.STT_FUNC || t == elf.STT_GNU_IFUNC || t == elf.STT_NOTYPE {
			symbols = append(symbols, symbol{s.Name, span{s.Value, s.Value + s.Size}})
		}
	}
	return symbols
}
