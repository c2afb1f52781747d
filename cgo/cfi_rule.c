//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// Turns a state into a rule. See internal/unwind/machine.go.

#include "cfi_rule.h"
#include "machine.h"

static bool fits(int64_t n)
{
	return n == (int32_t)n;
}

static struct value cfa_of(const struct state *s)
{
	return s->expression.form != FORM_NONE ? s->expression : value_of_register(s->cfa_register, s->cfa_offset);
}

static bool derefs(struct value v, enum form form, int64_t offset)
{
	return v.form == form && v.offset == offset && v.extra == 0;
}

// Whether the caller's sp is the CFA, which rules assume.
static bool is_cfa(struct saved sp, struct value cfa)
{
	switch (sp.how) {
	case UNSPECIFIED: case SAME: return true;
	case IS_CFA: return sp.offset == 0;
	case AT_SP: return derefs(cfa, FORM_DEREF_SP, sp.offset);
	case AT_FP: return derefs(cfa, FORM_DEREF_FP, sp.offset);
	default: return false;
	}
}

static void set_cfa(struct rule *rule, struct value cfa)
{
	rule->cfa = CFA_UNKNOWN;
	if (!fits(cfa.offset) || !fits(cfa.extra))
		return;
	switch (cfa.form) {
	case FORM_SP: rule->cfa = CFA_FROM_SP; break;
	case FORM_FP: rule->cfa = CFA_FROM_FP; break;
	case FORM_DEREF_SP: rule->cfa = CFA_DEREF_SP; break;
	case FORM_DEREF_FP: rule->cfa = CFA_DEREF_FP; break;
	case FORM_PLT: rule->cfa = CFA_PLT; break;
	default: break;
	}
	rule->cfa_offset = cfa.offset;
	rule->cfa_extra = cfa.extra;
}

static void set_fp(struct rule *rule, struct saved fp)
{
	rule->fp = FP_UNKNOWN;
	if (!fits(fp.offset))
		return;
	switch (fp.how) {
	case UNSPECIFIED: case SAME: rule->fp = FP_SAME; break;
	case AT_CFA: rule->fp = FP_FROM_CFA; break;
	case AT_SP: rule->fp = FP_FROM_SP; break;
	case AT_FP: rule->fp = FP_FROM_FP; break;
	default: return;
	}
	rule->fp_offset = fp.offset;
}

static void set_ra(struct rule *rule, struct saved ra)
{
	rule->ra = RA_UNKNOWN;
	if (!fits(ra.offset))
		return;
	switch (ra.how) {
	case UNSPECIFIED: case SAME: rule->ra = DWARF_RA_UNSPECIFIED; break;
	case UNDEFINED: rule->ra = RA_UNDEFINED; break;
	case AT_CFA: rule->ra = RA_FROM_CFA; break;
	case AT_SP: rule->ra = RA_FROM_SP; break;
	default: return;
	}
	rule->ra_offset = ra.offset;
}

struct rule cfi_rule_of(const struct state *s, bool signal)
{
	struct rule rule = {.flags = signal ? FLAG_SIGNAL_FRAME : 0};
	struct value cfa = cfa_of(s);
	set_ra(&rule, s->ra);
	if (!is_cfa(s->sp, cfa))
		cfa = (struct value){.form = FORM_UNKNOWN};
	set_cfa(&rule, cfa);
	set_fp(&rule, s->fp);
	if (rule.cfa == CFA_UNKNOWN && rule.ra != RA_UNDEFINED)
		return (struct rule){.cfa = CFA_UNKNOWN};
	return rule;
}
