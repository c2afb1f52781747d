package unwind

import "testing"

func TestExpressionsThatRulesCanExpress(t *testing.T) {
	const sp = 31 // of AArch64, the last register that has an operation of its own
	for name, c := range map[string]struct {
		machine machine
		code    []byte
		want    value
	}{
		"the last register with an operation":    {aarch64, []byte{opBreg31, 16}, value{form: formSP, offset: 16}},
		"the first register with an operation":   {machine{sp: 0, fp: 6, pc: 16}, []byte{opBreg0, 8}, value{form: formSP, offset: 8}},
		"a register by its number":               {aarch64, []byte{opBregx, sp, 16}, value{form: formSP, offset: 16}},
		"sp less a number":                       {x86, []byte{opBreg0 + 7, 16, opLit0 + 8, opMinus}, value{form: formSP, offset: 8}},
		"a number less sp":                       {x86, []byte{opLit0 + 8, opBreg0 + 7, 16, opMinus}, value{form: formUnknown}},
		"a number less a number":                 {x86, []byte{opLit0 + 3, opLit0 + 8, opMinus}, number(-5)},
		"the last number with an operation":      {x86, []byte{opLit31}, number(31)},
		"the first number with an operation":     {x86, []byte{opLit0}, number(0)},
		"a slot of the linkage table":            {x86, []byte{opBreg0 + 16, 0, opLit0 + 15, opAnd}, value{form: formSlot}},
		"a slot compared with a number":          {x86, []byte{opBreg0 + 16, 0, opLit0 + 15, opAnd, opLit0 + 11, opGe}, value{form: formPushed, extra: 11}},
		"a number compared with a number":        {x86, []byte{opLit0 + 15, opLit0 + 11, opGe}, value{form: formUnknown}},
		"a slot compared with the stack pointer": {x86, []byte{opBreg0 + 16, 0, opLit0 + 15, opAnd, opBreg0 + 7, 8, opGe}, value{form: formUnknown}},
		"pc & 7":                                 {x86, []byte{opBreg0 + 16, 0, opLit0 + 7, opAnd}, value{form: formUnknown}},
		"sp & 15":                                {x86, []byte{opBreg0 + 7, 0, opLit0 + 15, opAnd}, value{form: formUnknown}},
	} {
		if got := evaluate(c.code, c.machine, value{}); got != c.want {
			t.Errorf("%s is %+v, want %+v", name, got, c.want)
		}
	}
}
