package unwind

import (
	"debug/elf"
	"fmt"
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// names is how readelf writes a machine's registers.
type names struct {
	sp, fp                       string
	spNumber, fpNumber, raNumber int
	general                      string // the letter that names of others begin with
	unspecified                  string // raCell where nothing is said of the return address
}

var namesOf = map[elf.Machine]names{
	elf.EM_X86_64:  {sp: "rsp", fp: "rbp", spNumber: 7, fpNumber: 6, raNumber: 16, general: "r", unspecified: "?"},
	elf.EM_AARCH64: {sp: "sp", fp: "x29", spNumber: 31, fpNumber: 29, raNumber: 30, general: "x", unspecified: "lr"},
}

// breg is how an expression begins that starts with a register.
func breg(number int, name string, offset int32) string {
	return fmt.Sprintf("DW_OP_breg%d (%s): %d", number, name, offset)
}

func (n names) bregSP(offset int32) string { return breg(n.spNumber, n.sp, offset) }

func (n names) bregFP(offset int32) string { return breg(n.fpNumber, n.fp, offset) }

// isRegister reports whether a cell is the name of a register, or begins with one.
func (n names) isRegister(cell string) bool {
	return strings.HasPrefix(cell, n.general) || strings.HasPrefix(cell, n.sp)
}

// otherBase reports whether an expression for the CFA starts with a register that rules do not have.
func (n names) otherBase(line string) bool {
	return strings.Contains(line, "def_cfa_expression") && strings.Contains(line, "DW_OP_breg") &&
		!strings.Contains(line, fmt.Sprintf("DW_OP_breg%d ", n.spNumber)) &&
		!strings.Contains(line, fmt.Sprintf("DW_OP_breg%d ", n.fpNumber))
}

// onEach runs a test for each machine. It is skipped for those whose compiler is not installed.
func onEach(t *testing.T, name string, test func(*testing.T, toolchain.Toolchain)) {
	for _, c := range toolchain.All {
		t.Run(name+" on "+c.GOARCH, func(t *testing.T) { test(t, c) })
	}
}
