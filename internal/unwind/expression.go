package unwind

// DWARF expressions are evaluated on forms instead of numbers: breg7 160, deref is not 0x7ffc… but "what lies at
// sp + 160". The forms are the values that rules can express and the steps on the way to them; all else is formUnknown,
// which nothing turns back into something known. There are no branches, so an expression costs what its bytes cost.

// value is one of the forms, with the numbers that its equation names.
type value struct {
	form   form
	offset int64
	extra  int64
}

type form uint8

const (
	formNone    form = iota // no value
	formUnknown             // any value
	formNumber              // offset
	formSP                  // sp + offset
	formFP                  // fp + offset
	formPC                  // pc + offset
	formCFA                 // cfa + offset
	formDerefSP             // *(sp + offset) + extra
	formDerefFP             // *(fp + offset) + extra
	formSlot                // pc & 15
	formPushed              // pc & 15 >= extra
	formPush                // pc & 15 >= extra ? 8 : 0
	formPLT                 // sp + offset + (pc & 15 >= extra ? 8 : 0)
)

// Operations (DWARF 5, section 7.7.1).
const (
	opDeref      = 0x06
	opConst1u    = 0x08
	opConst1s    = 0x09
	opConst2u    = 0x0a
	opConst2s    = 0x0b
	opConst4u    = 0x0c
	opConst4s    = 0x0d
	opConst8u    = 0x0e
	opConst8s    = 0x0f
	opConstu     = 0x10
	opConsts     = 0x11
	opAnd        = 0x1a
	opMinus      = 0x1c
	opMul        = 0x1e
	opPlus       = 0x22
	opPlusUconst = 0x23
	opShl        = 0x24
	opGe         = 0x2a
	opLit0       = 0x30
	opLit31      = 0x4f
	opBreg0      = 0x70
	opBreg31     = 0x8f
	opBregx      = 0x92
	opNop        = 0x96
)

// stackDepth is more than any expression of a known form needs.
const stackDepth = 8

type evaluator struct {
	cursor
	machine machine
	stack   [stackDepth]value
	depth   int
}

// evaluate returns the value that an expression leaves, with first on the stack unless it is formNone.
func evaluate(code []byte, m machine, first value) value {
	e := evaluator{cursor: cursor{data: code}, machine: m}
	if first.form != formNone {
		e.push(first)
	}
	for e.left() > 0 {
		e.step()
	}
	result := e.pop()
	if e.failed {
		return value{form: formUnknown}
	}
	return result
}

func (e *evaluator) push(v value) {
	if e.depth == stackDepth {
		e.fail()
		return
	}
	e.stack[e.depth] = v
	e.depth++
}

func (e *evaluator) pop() value {
	if e.depth == 0 {
		e.fail()
		return value{}
	}
	e.depth--
	return e.stack[e.depth]
}

// step evaluates one operation. An operation without a known form ends the expression.
func (e *evaluator) step() {
	switch op := e.u8(); {
	case op == opNop:
	case op == opDeref:
		e.push(e.pop().deref())
	case op == opPlusUconst:
		e.push(e.pop().plus(number(int64(e.uleb()))))
	case op >= opBreg0 && op <= opBreg31:
		e.push(e.machine.value(uint64(op-opBreg0), e.sleb()))
	case op == opBregx:
		register := e.uleb()
		e.push(e.machine.value(register, e.sleb()))
	case op >= opLit0 && op <= opLit31:
		e.push(number(int64(op - opLit0)))
	case op >= opConst1u && op <= opConsts:
		e.push(number(e.constant(op)))
	default:
		right, left := e.pop(), e.pop()
		e.push(e.combine(op, left, right))
	}
}

func (e *evaluator) constant(op byte) int64 {
	switch op {
	case opConst1u:
		return int64(e.u8())
	case opConst1s:
		return int64(int8(e.u8()))
	case opConst2u:
		return int64(e.u16())
	case opConst2s:
		return int64(int16(e.u16()))
	case opConst4u:
		return int64(e.u32())
	case opConst4s:
		return int64(int32(e.u32()))
	case opConst8u, opConst8s:
		return int64(e.u64())
	case opConstu:
		return int64(e.uleb())
	default:
		return e.sleb()
	}
}

func (e *evaluator) combine(op byte, left, right value) value {
	switch op {
	case opPlus:
		return left.plus(right)
	case opMinus:
		if right.form == formNumber {
			return left.plus(number(-right.offset))
		}
	case opAnd:
		if left == (value{form: formPC}) && right == number(15) {
			return value{form: formSlot}
		}
	case opGe:
		if left.form == formSlot && right.form == formNumber {
			return value{form: formPushed, extra: right.offset}
		}
	case opShl, opMul:
		if left.form == formPushed && (op == opShl && right == number(3) || op == opMul && right == number(8)) {
			return value{form: formPush, extra: left.extra}
		}
	default:
		e.fail()
	}
	return value{form: formUnknown}
}
