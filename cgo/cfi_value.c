//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

// DWARF expressions are evaluated on forms instead of numbers, as internal/unwind/expression.go explains.

#include "cfi_value.h"

#include "machine.h"

#define STACK_DEPTH 8 // more than any expression of a known form needs

// Operations (DWARF 5, section 7.7.1).
enum {
	OP_DEREF = 0x06,
	OP_CONST1U = 0x08,
	OP_CONST1S,
	OP_CONST2U,
	OP_CONST2S,
	OP_CONST4U,
	OP_CONST4S,
	OP_CONST8U,
	OP_CONST8S,
	OP_CONSTU,
	OP_CONSTS,
	OP_AND = 0x1a,
	OP_MINUS = 0x1c,
	OP_MUL = 0x1e,
	OP_PLUS = 0x22,
	OP_PLUS_UCONST = 0x23,
	OP_SHL = 0x24,
	OP_GE = 0x2a,
	OP_LIT0 = 0x30,
	OP_LIT31 = 0x4f,
	OP_BREG0 = 0x70,
	OP_BREG31 = 0x8f,
	OP_BREGX = 0x92,
	OP_NOP = 0x96,
};

struct evaluator {
	struct reader *code;
	struct value stack[STACK_DEPTH];
	int depth;
};

static const struct value unknown = {.form = FORM_UNKNOWN};

static struct value number(int64_t n)
{
	return (struct value){.form = FORM_NUMBER, .offset = n};
}

static bool is(struct value v, enum form form, int64_t offset)
{
	return v.form == form && v.offset == offset && v.extra == 0;
}

// Offsets come from untrusted bytes: sums must wrap, as in Go, and not be undefined.
static int64_t sum(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

struct value value_of_register(uint64_t n, int64_t offset)
{
	enum form form = n == DWARF_SP ? FORM_SP : n == DWARF_FP ? FORM_FP : n == DWARF_PC ? FORM_PC : FORM_UNKNOWN;
	return (struct value){.form = form, .offset = form == FORM_UNKNOWN ? 0 : offset};
}

static void push(struct evaluator *e, struct value v)
{
	if (e->depth == STACK_DEPTH)
		reader_fail(e->code);
	else
		e->stack[e->depth++] = v;
}

static struct value pop(struct evaluator *e)
{
	if (e->depth > 0)
		return e->stack[--e->depth];
	reader_fail(e->code);
	return (struct value){.form = FORM_NONE};
}

static struct value deref(struct value v)
{
	if (v.form == FORM_SP)
		return (struct value){.form = FORM_DEREF_SP, .offset = v.offset};
	if (v.form == FORM_FP)
		return (struct value){.form = FORM_DEREF_FP, .offset = v.offset};
	return unknown;
}

static struct value plus_number(struct value v, int64_t n)
{
	switch (v.form) {
	case FORM_NUMBER: case FORM_SP: case FORM_FP: case FORM_PC: case FORM_CFA: case FORM_PLT:
		v.offset = sum(v.offset, n);
		return v;
	case FORM_DEREF_SP: case FORM_DEREF_FP:
		v.extra = sum(v.extra, n);
		return v;
	default:
		return unknown;
	}
}

static struct value plus(struct value v, struct value w)
{
	if (v.form == FORM_NUMBER || v.form == FORM_PUSH) {
		struct value first = v;
		v = w;
		w = first;
	}
	if (w.form == FORM_NUMBER)
		return plus_number(v, w.offset);
	if (w.form == FORM_PUSH && v.form == FORM_SP)
		return (struct value){.form = FORM_PLT, .offset = v.offset, .extra = w.extra};
	return unknown;
}

static int64_t constant(struct reader *r, uint8_t op)
{
	switch (op) {
	case OP_CONST1U: return read_bytes(r, 1);
	case OP_CONST1S: return (int8_t)read_bytes(r, 1);
	case OP_CONST2U: return read_bytes(r, 2);
	case OP_CONST2S: return (int16_t)read_bytes(r, 2);
	case OP_CONST4U: return read_bytes(r, 4);
	case OP_CONST4S: return (int32_t)read_bytes(r, 4);
	case OP_CONST8U: case OP_CONST8S: return read_bytes(r, 8);
	case OP_CONSTU: return read_uleb(r);
	default: return read_sleb(r);
	}
}

static struct value combine(struct evaluator *e, uint8_t op, struct value left, struct value right)
{
	switch (op) {
	case OP_PLUS:
		return plus(left, right);
	case OP_MINUS:
		return right.form == FORM_NUMBER ? plus_number(left, (int64_t)(0 - (uint64_t)right.offset)) : unknown;
	case OP_AND:
		return is(left, FORM_PC, 0) && is(right, FORM_NUMBER, 15) ? (struct value){.form = FORM_SLOT} : unknown;
	case OP_GE:
		if (left.form == FORM_SLOT && right.form == FORM_NUMBER)
			return (struct value){.form = FORM_PUSHED, .extra = right.offset};
		return unknown;
	case OP_SHL: case OP_MUL:
		if (left.form == FORM_PUSHED && is(right, FORM_NUMBER, op == OP_SHL ? 3 : 8))
			return (struct value){.form = FORM_PUSH, .extra = left.extra};
		return unknown;
	default:
		reader_fail(e->code);
		return unknown;
	}
}

// Evaluates one operation. An operation without a known form ends the expression.
static void step(struct evaluator *e)
{
	struct reader *r = e->code;
	uint8_t op = read_bytes(r, 1);
	if (op == OP_NOP)
		return;
	if (op == OP_DEREF)
		return push(e, deref(pop(e)));
	if (op == OP_PLUS_UCONST) {
		struct value v = pop(e);
		return push(e, plus_number(v, (int64_t)read_uleb(r)));
	}
	if (op >= OP_BREG0 && op <= OP_BREG31)
		return push(e, value_of_register(op - OP_BREG0, read_sleb(r)));
	if (op == OP_BREGX) {
		uint64_t n = read_uleb(r);
		return push(e, value_of_register(n, read_sleb(r)));
	}
	if (op >= OP_LIT0 && op <= OP_LIT31)
		return push(e, number(op - OP_LIT0));
	if (op >= OP_CONST1U && op <= OP_CONSTS)
		return push(e, number(constant(r, op)));
	struct value right = pop(e), left = pop(e);
	push(e, combine(e, op, left, right));
}

struct value cfi_evaluate(struct reader *r, struct value first)
{
	struct evaluator e = {.code = r};
	if (first.form != FORM_NONE)
		push(&e, first);
	while (r->at < r->end)
		step(&e);
	struct value v = pop(&e);
	return r->failed ? unknown : v;
}
