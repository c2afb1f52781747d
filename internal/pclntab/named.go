package pclntab

import "strings"

// Function is a function of the machine code, and where that lies in the file's addresses.
type Function struct {
	Start, Limit uint64
	Assembly     bool
}

// Named returns the functions with these names, as far as there are any. Of a function in assembly, which Go calls through a wrapper of the
// same name, it returns the function.
func (t *Table) Named(names ...string) map[string]Function {
	found := make(map[string]Function)
	for i := range t.module.header.functions {
		f, ok := t.functionAt(i)
		if !ok {
			continue
		}
		name := t.text(t.names, f.name)
		for _, wanted := range names {
			if before, again := found[name]; name == wanted && (!again || !before.Assembly) {
				found[name] = Function{t.module.text + t.entry(i), t.module.text + t.entry(i+1), t.isAssembly(&f)}
			}
		}
	}
	return found
}

func (t *Table) isAssembly(f *function) bool {
	file := t.value(f.files, 0)
	if file < 0 {
		return false
	}
	offset, ok := number(from(t.units, 4*(uint64(f.unit)+uint64(file))), 0)
	return ok && offset != ^uint32(0) && strings.HasSuffix(t.text(t.files, offset), ".s")
}

// Text returns where the Go code lies.
func (t *Table) Text() Function { return Function{Start: t.module.low, Limit: t.module.high} }
