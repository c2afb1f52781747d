package unwind

import (
	"debug/elf"
	"fmt"
	"regexp"
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
	if len(d.told) == 0 {
		t.Fatal("readelf says nothing")
	}
	at := d.told[0].from - 1
	for _, want := range d.told {
		for ; at < want.from; at++ {
			if rule := table.Lookup(at); rule != (Rule{}) {
				t.Fatalf("%#x: %+v, but no FDE covers it", at, rule)
			}
		}
		rule := table.Lookup(want.from)
		if err := agree(rule, want, d.expressions[want.record]); err != nil {
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
func agree(rule Rule, want told, expressions []string) error {
	if rule.Flags&FlagSignalFrame != 0 != want.signal && rule.CFA != CFAUnknown {
		return fmt.Errorf("signal frame: %v", rule.Flags)
	}
	if rule.CFA == CFAUnknown {
		return inexpressible(want, expressions)
	}
	if got := cfaCell(rule); got != want.cfa && !(want.cfa == "exp" && holds(expressions, "def_cfa_expression", got)) {
		return fmt.Errorf("CFA is %s", got)
	}
	if got := fpCell(rule); !same6(got, want.fp, expressions) {
		return fmt.Errorf("rbp is %s", got)
	}
	if got := raCell(rule); got != want.ra && !(want.ra == "exp" && holds(expressions, ": r16 ", got)) &&
		!(got == "?" && isRegister(want.ra)) {
		return fmt.Errorf("ra is %s", got)
	}
	return nil
}

// other finds registers in expressions that rules do not have.
var other = regexp.MustCompile(`def_cfa_expression.*DW_OP_breg([0-58-9]|1[0-5]) `)

// inexpressible says what is wrong with giving up on a row: nothing if the CFA counts from a register that rules do not
// have, or rsp is restored from elsewhere than the CFA says.
func inexpressible(want told, expressions []string) error {
	register, _, _ := strings.Cut(want.cfa, "+")
	if isRegister(register) && register != "rsp" && register != "rbp" || want.sp != "u" {
		return nil
	}
	if want.cfa == "exp" && slices.ContainsFunc(expressions, other.MatchString) {
		return nil
	}
	return fmt.Errorf("CFA is unknown")
}

func isRegister(cell string) bool { return strings.HasPrefix(cell, "r") }

func same6(got, want string, expressions []string) bool {
	switch {
	case want == "exp":
		return holds(expressions, ": r6 ", got)
	case want == "u" && got == "?":
		return holds(expressions, "DW_CFA_undefined: r6 ", "")
	case want == "u" || want == "s":
		return got == "s"
	}
	return got == want || got == "?" && (isRegister(want) || want == "vexp" || strings.HasPrefix(want, "v"))
}

func holds(expressions []string, what, expression string) bool {
	return slices.ContainsFunc(expressions, func(line string) bool {
		return strings.Contains(line, what) && (expression == "" || strings.HasSuffix(line, "("+expression+")"))
	})
}

func cfaCell(r Rule) string {
	switch r.CFA {
	case CFAFromSP:
		return fmt.Sprintf("rsp%+d", r.CFAOffset)
	case CFAFromFP:
		return fmt.Sprintf("rbp%+d", r.CFAOffset)
	case CFADerefSP:
		return fmt.Sprintf("DW_OP_breg7 (rsp): %d; DW_OP_deref", r.CFAOffset) + plus(r.CFAExtra)
	case CFADerefFP:
		return fmt.Sprintf("DW_OP_breg6 (rbp): %d; DW_OP_deref", r.CFAOffset) + plus(r.CFAExtra)
	case CFAPLT:
		return fmt.Sprintf("DW_OP_breg7 (rsp): %d; DW_OP_breg16 (rip): 0; DW_OP_lit15; DW_OP_and; DW_OP_lit%d; "+
			"DW_OP_ge; DW_OP_lit3; DW_OP_shl; DW_OP_plus", r.CFAOffset, r.CFAExtra)
	}
	return "none"
}

func plus(extra int32) string {
	if extra == 0 {
		return ""
	}
	return fmt.Sprintf("; DW_OP_plus_uconst: %d", extra)
}

func fpCell(r Rule) string {
	switch r.FP {
	case FPSame:
		return "s"
	case FPFromCFA:
		return fmt.Sprintf("c%+d", r.FPOffset)
	case FPFromSP:
		return fmt.Sprintf("DW_OP_breg7 (rsp): %d", r.FPOffset)
	case FPFromFP:
		return fmt.Sprintf("DW_OP_breg6 (rbp): %d", r.FPOffset)
	}
	return "?"
}

func raCell(r Rule) string {
	switch r.RA {
	case RAFromCFA:
		return fmt.Sprintf("c%+d", r.RAOffset)
	case RAFromSP:
		return fmt.Sprintf("DW_OP_breg7 (rsp): %d", r.RAOffset)
	case RAUndefined:
		return "u"
	}
	return "?"
}
