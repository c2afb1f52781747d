package unwind

// registers is the interpreter's state at one address: the CFA, and where the caller's values of the three registers of a
// rule are. All other registers are ignored.
type registers struct {
	cfa        cfa
	sp, fp, ra saved
}

// cfa is register + offset or, while expression is not formNone, an expression. Register and offset change apart from
// each other, so both are kept while an expression holds.
type cfa struct {
	register   uint64
	offset     int64
	expression value
}

// saved is where the caller's value of a register is.
type saved struct {
	how    how
	offset int64
}

type how uint8

const (
	unspecified how = iota // by the ABI's default
	undefined              // lost
	same                   // in the register
	atCFA                  // *(cfa + offset)
	atSP                   // *(sp + offset)
	atFP                   // *(fp + offset)
	isCFA                  // cfa + offset
	elsewhere              // in another register, or found by an expression with no name here
)

// at returns the saved value that lies at an address.
func at(address value) saved {
	switch address.form {
	case formCFA:
		return saved{atCFA, address.offset}
	case formSP:
		return saved{atSP, address.offset}
	case formFP:
		return saved{atFP, address.offset}
	}
	return saved{how: elsewhere}
}

// being returns the saved value that is not in memory but computed.
func being(v value) saved {
	if v.form == formCFA {
		return saved{isCFA, v.offset}
	}
	return saved{how: elsewhere}
}
