package symbolize

import "testing"

func TestTheSymbolThatBeginsLastBeforeAnAddressNamesIt(t *testing.T) {
	code := spans{{0x100, 0x200}, {0x200, 0x300}}
	table := newSymbolTable([]symbol{
		{name: "outer", span: span{0x100, 0x180}},
		{name: "inner", span: span{0x120, 0x130}},
		{name: "__alias", span: span{0x120, 0x130}},
		{name: "unsized", span: span{0x190, 0x190}},
		{name: "next", span: span{0x1a0, 0x1b0}},
		{name: "last", span: span{0x1f0, 0x1f0}},
		{name: "elsewhere", span: span{0x400, 0x500}},
	}, code)
	for address, want := range map[uint64]string{
		0xff: "", 0x100: "outer", 0x11f: "outer", 0x120: "inner", 0x12f: "inner", 0x130: "outer", 0x180: "",
		0x190: "unsized", 0x19f: "unsized", 0x1a0: "next", 0x1b0: "", 0x1f0: "last", 0x1ff: "last", 0x200: "", 0x400: "",
	} {
		got := ""
		if s := table.covering(address); s != nil {
			got = s.name
		}
		if got != want {
			t.Errorf("%#x: %q, want %q", address, got, want)
		}
	}
}
