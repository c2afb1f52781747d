// Package testonly lets tests do to package cgo what no program may do. Cgo sets the functions when it is initialised, if it
// can record.
package testonly

// Rule is unwind's Rule as C has it.
type Rule = [20]byte

var (
	// AllowBounds sets whether stack bounds of threads that are first seen from now on may be found.
	AllowBounds func(allow bool)

	// AllowObjects sets whether walks may look up libraries and plugins that the index does not know yet. It returns false
	// if that is impossible here.
	AllowObjects func(allow bool) bool

	// FillGate takes all slots of the gate: until release, nothing is recorded.
	FillGate func() (release func())

	// Hold enters that many slots of the gate, as if as many threads had been stopped there; release leaves them. It returns
	// false if there are not as many. One at a time.
	Hold func(slots int) (release func(), entered bool)

	// RuleAt returns the rule that a walk would use for the code at address: all zero if no row covers it.
	RuleAt func(address uint64) Rule
)
