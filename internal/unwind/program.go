package unwind

// Call frame instructions (DWARF 5, section 7.24, and the GNU, MIPS and arm64 additions that appear in .eh_frame). The first
// three share their byte with an operand.
const (
	cfaAdvanceLoc       = 0x40
	cfaOffset           = 0x80
	cfaRestore          = 0xc0
	cfaNop              = 0x00
	cfaSetLoc           = 0x01
	cfaAdvanceLoc1      = 0x02
	cfaAdvanceLoc2      = 0x03
	cfaAdvanceLoc4      = 0x04
	cfaOffsetExtended   = 0x05
	cfaRestoreExtended  = 0x06
	cfaUndefined        = 0x07
	cfaSameValue        = 0x08
	cfaRegister         = 0x09
	cfaRememberState    = 0x0a
	cfaRestoreState     = 0x0b
	cfaDefCFA           = 0x0c
	cfaDefCFARegister   = 0x0d
	cfaDefCFAOffset     = 0x0e
	cfaDefCFAExpression = 0x0f
	cfaExpression       = 0x10
	cfaOffsetExtendedSF = 0x11
	cfaDefCFASF         = 0x12
	cfaDefCFAOffsetSF   = 0x13
	cfaValOffset        = 0x14
	cfaValOffsetSF      = 0x15
	cfaValExpression    = 0x16
	cfaAdvanceLoc8      = 0x1d
	cfaNegateRAStatePC  = 0x2c
	cfaNegateRAState    = 0x2d
	cfaArgsSize         = 0x2e
	cfaNegativeOffset   = 0x2f
)

// rememberDepth is more than compilers nest remembered states.
const rememberDepth = 16

// A program is the run of a CIE's or an FDE's instructions. now holds from pc on; each time that pc moves, what it leaves
// behind is a row.
type program struct {
	cursor
	cie        *cie
	machine    machine
	dataAddr   uint64
	rows       *builder // nil: a CIE's program, which has no addresses
	pc, limit  uint64
	now        registers
	remembered [rememberDepth]registers
	depth      int
}

// run appends the rows of an FDE. It returns false if an instruction cannot be read; what follows is unknown then.
func (p *program) run() bool {
	for p.left() > 0 && p.pc < p.limit {
		p.step()
	}
	if p.failed {
		p.rows.cover(p.pc, p.limit, Rule{CFA: CFAUnknown})
		return false
	}
	p.advanceTo(p.limit)
	return true
}

func (p *program) step() {
	op := p.u8()
	operand := uint64(op & 0x3f)
	switch op & 0xc0 {
	case cfaAdvanceLoc:
		p.advance(operand)
	case cfaOffset:
		p.set(operand, saved{atCFA, p.unsigned()})
	case cfaRestore:
		p.restore(operand)
	default:
		p.stepExtended(op)
	}
}

// stepExtended runs an instruction whose operands are all behind it.
func (p *program) stepExtended(op byte) {
	switch op {
	case cfaNop:
	case cfaSetLoc:
		p.advanceTo(p.address(p.cie.encoding, p.dataAddr))
	case cfaAdvanceLoc1:
		p.advance(uint64(p.u8()))
	case cfaAdvanceLoc2:
		p.advance(uint64(p.u16()))
	case cfaAdvanceLoc4:
		p.advance(uint64(p.u32()))
	case cfaAdvanceLoc8:
		p.advance(p.u64())
	case cfaDefCFA, cfaDefCFASF, cfaDefCFARegister, cfaDefCFAOffset, cfaDefCFAOffsetSF, cfaDefCFAExpression:
		p.defineCFA(op)
	case cfaRememberState:
		p.remember()
	case cfaRestoreState:
		p.recall()
	case cfaArgsSize: // for exceptions only
		p.uleb()
	case cfaNegateRAState, cfaNegateRAStatePC: // walkers take the signature off, whether there is one or not
		if !p.machine.signs {
			p.fail()
		}
	default:
		p.save(op, p.uleb())
	}
}

func (p *program) defineCFA(op byte) {
	c := &p.now.cfa
	switch op {
	case cfaDefCFA:
		*c = cfa{register: p.uleb()}
		c.offset = int64(p.uleb())
	case cfaDefCFASF:
		*c = cfa{register: p.uleb()}
		c.offset = p.signed()
	case cfaDefCFARegister:
		*c = cfa{register: p.uleb(), offset: c.offset}
	case cfaDefCFAOffset:
		c.offset = int64(p.uleb())
	case cfaDefCFAOffsetSF:
		c.offset = p.signed()
	case cfaDefCFAExpression:
		c.expression = evaluate(p.block(), p.machine, value{})
	}
}

// save runs an instruction that defines where the caller's value of a register is.
func (p *program) save(op byte, register uint64) {
	switch op {
	case cfaUndefined:
		p.set(register, saved{how: undefined})
	case cfaSameValue:
		p.set(register, saved{how: same})
	case cfaRestoreExtended:
		p.restore(register)
	case cfaRegister:
		p.set(register, inRegister(register, p.uleb()))
	case cfaOffsetExtended:
		p.set(register, saved{atCFA, p.unsigned()})
	case cfaOffsetExtendedSF:
		p.set(register, saved{atCFA, p.signed()})
	case cfaNegativeOffset:
		p.set(register, saved{atCFA, -p.unsigned()})
	case cfaValOffset:
		p.set(register, saved{isCFA, p.unsigned()})
	case cfaValOffsetSF:
		p.set(register, saved{isCFA, p.signed()})
	case cfaExpression:
		p.set(register, at(evaluate(p.block(), p.machine, value{form: formCFA})))
	case cfaValExpression:
		p.set(register, being(evaluate(p.block(), p.machine, value{form: formCFA})))
	default:
		p.fail()
	}
}

func inRegister(register, other uint64) saved {
	if register == other {
		return saved{how: same}
	}
	return saved{how: elsewhere}
}

// unsigned and signed read an offset that counts in the CIE's data factor.
func (p *program) unsigned() int64 { return int64(p.uleb()) * p.cie.dataFactor }

func (p *program) signed() int64 { return p.sleb() * p.cie.dataFactor }

func (p *program) block() []byte { return p.take(p.uleb()) }

// register returns where r keeps the caller's value of a register, or nil for one that no rule needs.
func (p *program) register(r *registers, register uint64) *saved {
	switch register {
	case p.cie.ra:
		return &r.ra
	case p.machine.sp:
		return &r.sp
	case p.machine.fp:
		return &r.fp
	}
	return nil
}

func (p *program) set(register uint64, s saved) {
	if to := p.register(&p.now, register); to != nil {
		*to = s
	}
}

func (p *program) restore(register uint64) {
	if from := p.register(&p.cie.initial, register); from != nil {
		p.set(register, *from)
	}
}

func (p *program) remember() {
	if p.depth == rememberDepth {
		p.fail()
		return
	}
	p.remembered[p.depth] = p.now
	p.depth++
}

func (p *program) recall() {
	if p.depth == 0 {
		p.fail()
		return
	}
	p.depth--
	p.now = p.remembered[p.depth]
}

// advance moves pc on by a number of the CIE's code factors.
func (p *program) advance(by uint64) {
	if p.failed || p.rows == nil {
		return
	}
	distance := by * p.cie.codeFactor
	if by > 0 && distance/by != p.cie.codeFactor || distance > p.limit-p.pc {
		p.advanceTo(p.limit)
		return
	}
	p.advanceTo(p.pc + distance)
}

// advanceTo moves pc on and leaves a row behind. Beyond the end of the FDE is its end; backwards is an error.
func (p *program) advanceTo(pc uint64) {
	if p.failed || p.rows == nil {
		return
	}
	if pc < p.pc {
		p.fail()
		return
	}
	pc = min(pc, p.limit)
	if pc > p.pc {
		p.rows.cover(p.pc, pc, p.machine.rule(&p.now, p.cie.signal))
	}
	p.pc = pc
}
