package stack

// ModuleID numbers the loaded files of one recording, from 1, in the order in which they were first seen. A library
// that is closed and opened again is a new module with a new number. 0 is "no known module".
type ModuleID uint16

// NoCode stands in place of a module for a frame that is no code: the profile's writer knows what it is called. Its address is a number.
const NoCode ModuleID = 64001

// Frame is one call site of a stack: the runtime address of the call instruction (a return address − 1, or the exact
// address where a signal interrupted the code) in its low 48 bits, and the module that was mapped there when the sample
// was taken in its high 16.
type Frame uint64

const addressBits = 48

// NewFrame packs a call site's runtime address and its module.
func NewFrame(module ModuleID, address uint64) Frame {
	return Frame(uint64(module)<<addressBits | address&(1<<addressBits-1))
}

// Module returns the module that was mapped at the frame's address when its sample was taken.
func (f Frame) Module() ModuleID { return ModuleID(f >> addressBits) }

// Address returns the runtime address of the call site.
func (f Frame) Address() uint64 { return uint64(f) & (1<<addressBits - 1) }
