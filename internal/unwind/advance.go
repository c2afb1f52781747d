package unwind

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
