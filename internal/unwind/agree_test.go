package unwind

import (
	"debug/elf"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func open(t testing.TB, file string) Section {
	t.Helper()
	f, err := elf.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	section := f.Section(".eh_frame")
	if section == nil {
		t.Fatalf("%s has no .eh_frame", file)
	}
	data, err := section.Data()
	if err != nil {
		t.Fatal(err)
	}
	return Section{data, section.Addr, f.Machine}
}

func build(t testing.TB, s Section) (*Table, Report) {
	t.Helper()
	table, report, err := Build(s)
	if err != nil {
		t.Fatal(err)
	}
	return table, report
}

// agreeAll compares the rule of every address, in FDEs and between them, with what readelf says.
func agreeAll(t *testing.T, table *Table, d dump) {
	t.Helper()
	if len(d.rows) == 0 {
		t.Fatal("readelf says nothing")
	}
	at := d.rows[0].from - 1
	for _, want := range d.rows {
		for ; at < want.from; at++ {
			if rule := table.Lookup(at); rule != (Rule{}) {
				t.Fatalf("%#x: %+v, but no FDE covers it", at, rule)
			}
		}
		rule := table.Lookup(want.from)
		if err := d.agree(rule, want); err != nil {
			t.Errorf("%#x: %v\nreadelf: %+v %q\nrule: %+v", want.from, err, want, d.expressions[want.record], rule)
		}
		for ; at < want.to; at++ {
			if table.Lookup(at) != rule {
				t.Fatalf("%#x: %+v, but %+v at %#x", at, table.Lookup(at), rule, want.from)
			}
		}
	}
	if rule := table.Lookup(at); rule != (Rule{}) {
		t.Errorf("%#x: %+v after the end of the code", at, rule)
	}
}

// agree compares a rule, cell by cell, with readelf's row.
func (d dump) agree(rule Rule, want readelfRow) error {
	expressions := slices.Concat(d.expressions[want.cie], d.expressions[want.record])
	if rule.Flags&FlagSignalFrame != 0 != want.signal && rule.CFA != CFAUnknown {
		return fmt.Errorf("signal frame: %v", rule.Flags)
	}
	if rule.CFA == CFAUnknown {
		return d.inexpressible(want, expressions)
	}
	if got := d.cfaCell(rule); got != want.cfa && !(want.cfa == "exp" && holds(expressions, "def_cfa_expression", got)) {
		return fmt.Errorf("CFA is %s", got)
	}
	if got := d.fpCell(rule); !d.sameFP(got, want.fp, expressions) {
		return fmt.Errorf("%s is %s", d.fp, got)
	}
	if got := d.raCell(rule); !d.sameRA(got, want.ra, expressions) {
		return fmt.Errorf("ra is %s", got)
	}
	return nil
}

// inexpressible says what is wrong with giving up on a row: nothing if the CFA counts from a register that rules do not
// have, or sp is restored from elsewhere than the CFA says.
func (d dump) inexpressible(want readelfRow, expressions []string) error {
	register, _, _ := strings.Cut(want.cfa, "+")
	if d.isRegister(register) && register != d.sp && register != d.fp || want.sp != "u" {
		return nil
	}
	if want.cfa == "exp" && slices.ContainsFunc(expressions, d.otherBase) {
		return nil
	}
	return fmt.Errorf("CFA is unknown")
}

func (d dump) sameFP(got, want string, expressions []string) bool {
	switch {
	case want == "exp":
		return holds(expressions, fmt.Sprintf(": r%d ", d.fpNumber), got)
	case want == "u" && got == "?":
		return holds(expressions, fmt.Sprintf("DW_CFA_undefined: r%d ", d.fpNumber), "")
	case want == "u" || want == "s":
		return got == "s"
	}
	return got == want || got == "?" && (d.isRegister(want) || strings.HasPrefix(want, "v"))
}

func (d dump) sameRA(got, want string, expressions []string) bool {
	switch {
	case want == "exp":
		return holds(expressions, fmt.Sprintf(": r%d ", d.raNumber), got)
	case want == "s", want == "u" && !holds(expressions, fmt.Sprintf("DW_CFA_undefined: r%d ", d.raNumber), ""):
		return got == d.unspecified
	}
	return got == want || got == "?" && d.isRegister(want)
}

func holds(expressions []string, what, expression string) bool {
	return slices.ContainsFunc(expressions, func(line string) bool {
		return strings.Contains(line, what) && (expression == "" || strings.HasSuffix(line, "("+expression+")"))
	})
}

func (d dump) cfaCell(r Rule) string {
	switch r.CFA {
	case CFAFromSP:
		return fmt.Sprintf("%s%+d", d.sp, r.CFAOffset)
	case CFAFromFP:
		return fmt.Sprintf("%s%+d", d.fp, r.CFAOffset)
	case CFADerefSP:
		return d.bregSP(r.CFAOffset) + "; DW_OP_deref" + plus(r.CFAExtra)
	case CFADerefFP:
		return d.bregFP(r.CFAOffset) + "; DW_OP_deref" + plus(r.CFAExtra)
	case CFAPLT:
		return d.bregSP(r.CFAOffset) + fmt.Sprintf("; DW_OP_breg16 (rip): 0; DW_OP_lit15; DW_OP_and; DW_OP_lit%d; "+
			"DW_OP_ge; DW_OP_lit3; DW_OP_shl; DW_OP_plus", r.CFAExtra)
	}
	return "none"
}

func plus(extra int32) string {
	if extra == 0 {
		return ""
	}
	return fmt.Sprintf("; DW_OP_plus_uconst: %d", extra)
}

func (d dump) fpCell(r Rule) string {
	switch r.FP {
	case FPSame:
		return "s"
	case FPFromCFA:
		return fmt.Sprintf("c%+d", r.FPOffset)
	case FPFromSP:
		return d.bregSP(r.FPOffset)
	case FPFromFP:
		return d.bregFP(r.FPOffset)
	}
	return "?"
}

func (d dump) raCell(r Rule) string {
	switch r.RA {
	case RAFromCFA:
		return fmt.Sprintf("c%+d", r.RAOffset)
	case RAFromSP:
		return d.bregSP(r.RAOffset)
	case RAUndefined:
		return "u"
	case RAFromLR:
		return "lr"
	}
	return "?"
}
