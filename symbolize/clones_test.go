package symbolize

import (
	"testing"

	"github.com/cgoheap/cgoheap/internal/dwarf"
	"github.com/cgoheap/cgoheap/internal/elffile"
)

func TestAFunctionOfOneFileHasTheSymbolOfItsCloneWithoutTheSuffix(t *testing.T) {
	const mangled = "_ZN12_GLOBAL__N_15scaleEii"
	frames := []dwarf.Frame{{Function: &dwarf.Function{Plain: "scale", Name: "scale", Scoped: true}}}
	for _, suffix := range []string{"", ".constprop.0", ".cold", ".isra.0.part.1", ".lto_priv.0"} {
		code := spans{{0x1000, 0x2000}}
		table := listed{symbols: []elffile.Symbol{{Name: mangled + suffix, Value: 0x1000, Size: 0x10}}}
		o := &object{code: code, symbols: tableOf(code, table)}
		if got := o.localSymbol(0x1008, frames); got != mangled {
			t.Errorf("%s%s: %q", mangled, suffix, got)
		}
		n := newNames(Templates, &store{})
		n.needLocal(o.localSymbol(0x1008, frames))
		n.demangle()
		got := n.lines(frames, mangled)
		if len(got) != 1 || got[0].SystemName != mangled || got[0].Function != "(anonymous namespace)::scale" {
			t.Errorf("%+v", got)
		}
	}
}
