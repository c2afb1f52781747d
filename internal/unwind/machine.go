package unwind

import "math"

// A machine has the DWARF numbers of the registers of rules.
type machine struct {
	sp, fp, pc uint64
	ra         RAKind // where the return address is by default
	signs      bool   // return addresses may be signed, and instructions mark where they are
}

// value returns register + offset.
func (m machine) value(register uint64, offset int64) value {
	switch register {
	case m.sp:
		return value{form: formSP, offset: offset}
	case m.fp:
		return value{form: formFP, offset: offset}
	case m.pc:
		return value{form: formPC, offset: offset}
	}
	return value{form: formUnknown}
}

// rule returns the rule that recovers the registers of r.
func (m machine) rule(r *registers, signal bool) Rule {
	var rule Rule
	if signal {
		rule.Flags = FlagSignalFrame
	}
	m.setRA(&rule, r.ra)
	from := m.cfa(&r.cfa)
	if !r.sp.isCFA(from) {
		from = value{form: formUnknown}
	}
	setCFA(&rule, from)
	setFP(&rule, r.fp)
	if rule.CFA == CFAUnknown && rule.RA != RAUndefined {
		return Rule{CFA: CFAUnknown}
	}
	return rule
}

func (m machine) cfa(c *cfa) value {
	if c.expression.form != formNone {
		return c.expression
	}
	return m.value(c.register, c.offset)
}

// isCFA reports whether the caller's sp is the CFA, as rules assume: by default, or because the CFA is defined as just where
// sp was saved.
func (s saved) isCFA(from value) bool {
	switch s.how {
	case unspecified, same:
		return true
	case isCFA:
		return s.offset == 0
	case atSP:
		return from == value{form: formDerefSP, offset: s.offset}
	case atFP:
		return from == value{form: formDerefFP, offset: s.offset}
	}
	return false
}

func setCFA(rule *Rule, from value) {
	rule.CFA = CFAUnknown
	if !fits(from.offset) || !fits(from.extra) {
		return
	}
	switch from.form {
	case formSP:
		rule.CFA = CFAFromSP
	case formFP:
		rule.CFA = CFAFromFP
	case formDerefSP:
		rule.CFA = CFADerefSP
	case formDerefFP:
		rule.CFA = CFADerefFP
	case formPLT:
		rule.CFA = CFAPLT
	}
	rule.CFAOffset, rule.CFAExtra = int32(from.offset), int32(from.extra)
}

func setFP(rule *Rule, s saved) {
	rule.FP = FPUnknown
	if !fits(s.offset) {
		return
	}
	switch s.how {
	case unspecified, same:
		rule.FP = FPSame
	case atCFA:
		rule.FP = FPFromCFA
	case atSP:
		rule.FP = FPFromSP
	case atFP:
		rule.FP = FPFromFP
	default:
		return
	}
	rule.FPOffset = int32(s.offset)
}

func (m machine) setRA(rule *Rule, s saved) {
	rule.RA = RAUnknown
	if !fits(s.offset) {
		return
	}
	switch s.how {
	case unspecified, same:
		rule.RA = m.ra
	case undefined:
		rule.RA = RAUndefined
	case atCFA:
		rule.RA = RAFromCFA
	case atSP:
		rule.RA = RAFromSP
	default:
		return
	}
	rule.RAOffset = int32(s.offset)
}

func fits(n int64) bool { return n >= math.MinInt32 && n <= math.MaxInt32 }
