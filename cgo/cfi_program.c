//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

#include "cfi_program.h"

#include "cfi_pointer.h"
#include "machine.h"

#define REMEMBERED 16 // more than compilers nest remembered states

// Call frame instructions: see internal/unwind/program.go. The first three share their byte with an operand.
enum {
	ADVANCE_LOC = 0x40,
	OFFSET = 0x80,
	RESTORE = 0xc0,
	NOP = 0x00,
	SET_LOC,
	ADVANCE_LOC1,
	ADVANCE_LOC2,
	ADVANCE_LOC4,
	OFFSET_EXTENDED,
	RESTORE_EXTENDED,
	UNDEFINED_REGISTER,
	SAME_VALUE,
	IN_REGISTER,
	REMEMBER_STATE,
	RESTORE_STATE,
	DEF_CFA,
	DEF_CFA_REGISTER,
	DEF_CFA_OFFSET,
	DEF_CFA_EXPRESSION,
	EXPRESSION,
	OFFSET_EXTENDED_SF,
	DEF_CFA_SF,
	DEF_CFA_OFFSET_SF,
	VAL_OFFSET,
	VAL_OFFSET_SF,
	VAL_EXPRESSION,
	ADVANCE_LOC8 = 0x1d,
	NEGATE_RA_STATE_PC = 0x2c,
	NEGATE_RA_STATE = 0x2d,
	ARGS_SIZE = 0x2e,
	NEGATIVE_OFFSET = 0x2f,
};

// now is the state from address pc on. The run ends when pc would move beyond wanted.
struct program {
	struct reader *r;
	const struct cie *cie;
	uintptr_t pc, limit, wanted;
	bool addressed; // a CIE's program has no addresses
	bool reached;
	struct state now;
	struct state remembered[REMEMBERED];
	int depth;
};

static void advance_to(struct program *p, uintptr_t pc)
{
	if (p->r->failed || !p->addressed)
		return;
	if (pc < p->pc)
		return reader_fail(p->r);
	if (pc > p->limit)
		pc = p->limit;
	p->reached = pc > p->wanted;
	p->pc = pc;
}

static void advance(struct program *p, uint64_t by)
{
	uint64_t distance;
	if (p->r->failed || !p->addressed)
		return;
	if (__builtin_mul_overflow(by, p->cie->code_factor, &distance) || distance > p->limit - p->pc)
		distance = p->limit - p->pc;
	advance_to(p, p->pc + distance);
}

static int64_t factored(const struct program *p, uint64_t n)
{
	return (int64_t)(n * (uint64_t)p->cie->data_factor);
}

// Evaluates the expression that follows. If it fails, the rest of the program can still be read.
static struct value expression(struct program *p, enum form first)
{
	struct reader *r = p->r;
	uint64_t size = read_uleb(r);
	uintptr_t end = r->end;
	if (r->failed || size > end - r->at) {
		reader_fail(r);
		return (struct value){.form = FORM_UNKNOWN};
	}
	uintptr_t after = r->end = r->at + size;
	struct value v = cfi_evaluate(r, (struct value){.form = first});
	r->end = end;
	r->at = r->unreadable ? end : after;
	r->failed = r->unreadable;
	return v;
}

// A register saved at address v.
static struct saved saved_at(struct value v)
{
	enum how how = v.form == FORM_CFA ? AT_CFA : v.form == FORM_SP ? AT_SP : v.form == FORM_FP ? AT_FP : ELSEWHERE;
	return (struct saved){how, how == ELSEWHERE ? 0 : v.offset};
}

// A register whose caller's value is v.
static struct saved saved_as(struct value v)
{
	if (v.form == FORM_CFA)
		return (struct saved){IS_CFA, v.offset};
	return (struct saved){.how = ELSEWHERE};
}

static struct saved *saved_of(const struct program *p, struct state *s, uint64_t number)
{
	if (number == p->cie->ra)
		return &s->ra;
	if (number == DWARF_SP)
		return &s->sp;
	return number == DWARF_FP ? &s->fp : NULL;
}

static void set(struct program *p, uint64_t number, struct saved saved)
{
	struct saved *to = saved_of(p, &p->now, number);
	if (to != NULL)
		*to = saved;
}

static void restore(struct program *p, uint64_t number)
{
	struct state initial = p->cie->initial;
	const struct saved *from = saved_of(p, &initial, number);
	if (from != NULL)
		set(p, number, *from);
}

static void remember(struct program *p)
{
	if (p->depth == REMEMBERED)
		return reader_fail(p->r);
	p->remembered[p->depth++] = p->now;
}

static void recall(struct program *p)
{
	if (p->depth == 0)
		return reader_fail(p->r);
	p->now = p->remembered[--p->depth];
}

// Runs an instruction that defines where the caller's value of a register is.
static void save(struct program *p, uint8_t op, uint64_t number)
{
	struct reader *r = p->r;
	switch (op) {
	case UNDEFINED_REGISTER: return set(p, number, (struct saved){.how = UNDEFINED});
	case SAME_VALUE: return set(p, number, (struct saved){.how = SAME});
	case RESTORE_EXTENDED: return restore(p, number);
	case IN_REGISTER: return set(p, number, (struct saved){.how = number == read_uleb(r) ? SAME : ELSEWHERE});
	case OFFSET_EXTENDED: return set(p, number, (struct saved){AT_CFA, factored(p, read_uleb(r))});
	case OFFSET_EXTENDED_SF: return set(p, number, (struct saved){AT_CFA, factored(p, read_sleb(r))});
	case NEGATIVE_OFFSET: return set(p, number, (struct saved){AT_CFA, factored(p, 0 - read_uleb(r))});
	case VAL_OFFSET: return set(p, number, (struct saved){IS_CFA, factored(p, read_uleb(r))});
	case VAL_OFFSET_SF: return set(p, number, (struct saved){IS_CFA, factored(p, read_sleb(r))});
	case EXPRESSION: return set(p, number, saved_at(expression(p, FORM_CFA)));
	case VAL_EXPRESSION: return set(p, number, saved_as(expression(p, FORM_CFA)));
	default: reader_fail(r);
	}
}

// Runs op if it defines the CFA; false if it does not.
static bool define_cfa(struct program *p, uint8_t op)
{
	struct state *s = &p->now;
	switch (op) {
	case DEF_CFA: case DEF_CFA_SF:
		s->cfa_register = read_uleb(p->r);
		s->cfa_offset = op == DEF_CFA ? (int64_t)read_uleb(p->r) : factored(p, read_sleb(p->r));
		break;
	case DEF_CFA_REGISTER:
		s->cfa_register = read_uleb(p->r);
		break;
	case DEF_CFA_OFFSET:
		s->cfa_offset = read_uleb(p->r);
		return true;
	case DEF_CFA_OFFSET_SF:
		s->cfa_offset = factored(p, read_sleb(p->r));
		return true;
	case DEF_CFA_EXPRESSION:
		s->expression = expression(p, FORM_NONE);
		return true;
	default:
		return false;
	}
	s->expression = (struct value){.form = FORM_NONE};
	return true;
}

// Runs an instruction whose operands all follow it.
static void step_extended(struct program *p, uint8_t op)
{
	struct reader *r = p->r;
	switch (op) {
	case NOP: return;
	case SET_LOC: return advance_to(p, cfi_address(r, p->cie->encoding));
	case ADVANCE_LOC1: return advance(p, read_bytes(r, 1));
	case ADVANCE_LOC2: return advance(p, read_bytes(r, 2));
	case ADVANCE_LOC4: return advance(p, read_bytes(r, 4));
	case ADVANCE_LOC8: return advance(p, read_bytes(r, 8));
	case REMEMBER_STATE: return remember(p);
	case RESTORE_STATE: return recall(p);
	case ARGS_SIZE: // for exceptions only
		read_uleb(r);
		return;
	case NEGATE_RA_STATE: case NEGATE_RA_STATE_PC: // walks strip the signature, whether there is one or not
		if (!DWARF_SIGNS)
			reader_fail(r);
		return;
	}
	if (!define_cfa(p, op))
		save(p, op, read_uleb(r));
}

static void step(struct program *p)
{
	uint8_t op = read_bytes(p->r, 1), operand = op & 0x3f;
	switch (op & 0xc0) {
	case ADVANCE_LOC: return advance(p, operand);
	case OFFSET: return set(p, operand, (struct saved){AT_CFA, factored(p, read_uleb(p->r))});
	case RESTORE: return restore(p, operand);
	default: step_extended(p, op);
	}
}

void cfi_run_cie(struct reader *r, struct cie *cie)
{
	struct program p;
	p.r = r;
	p.cie = cie;
	p.addressed = p.reached = false;
	p.now = cie->initial;
	p.depth = 0;
	while (r->at < r->end)
		step(&p);
	cie->initial = p.now;
}

bool cfi_run(struct reader *r, const struct cie *cie, struct span code, uintptr_t pc, struct state *now)
{
	struct program p;
	p.r = r;
	p.cie = cie;
	p.pc = code.start;
	p.limit = code.limit;
	p.wanted = pc;
	p.addressed = true;
	p.reached = false;
	p.depth = 0;
	p.now = cie->initial;
	while (r->at < r->end && !p.reached)
		step(&p);
	*now = p.now;
	return p.reached || !r->failed;
}
