package unwind

import (
	"testing"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

func TestAssemblyOfARM64(t *testing.T) {
	arm64 := toolchain.All[1]
	entry := Rule{CFA: CFAFromSP, RA: RAFromLR}
	// wantInstructions compares the rules of instructions, which have four bytes each.
	wantInstructions := func(t *testing.T, got []Rule, want ...Rule) {
		t.Helper()
		var bytes []Rule
		for _, rule := range want {
			bytes = append(bytes, rule, rule, rule, rule)
		}
		wantRules(t, got, bytes...)
	}
	t.Run("the outermost frame of a thread has no return address", func(t *testing.T) {
		wantInstructions(t, assembled(t, arm64, `
			.cfi_undefined x30
			nop`),
			Rule{CFA: CFAFromSP, RA: RAUndefined})
	})
	t.Run("a return address comes back to the link register, and may be said to be there", func(t *testing.T) {
		saved := Rule{CFA: CFAFromSP, CFAOffset: 32, FP: FPFromCFA, FPOffset: -32, RAOffset: -24}
		wantInstructions(t, assembled(t, arm64, `
			nop
			.cfi_def_cfa_offset 32
			.cfi_offset 29, -32
			.cfi_offset 30, -24
			nop
			.cfi_restore 30
			.cfi_restore 29
			.cfi_def_cfa_offset 0
			nop
			.cfi_same_value 30
			nop`),
			entry, saved, entry, entry)
	})
	t.Run("a return address in another register is unknown", func(t *testing.T) {
		wantInstructions(t, assembled(t, arm64, `
			nop
			.cfi_register 30, 16
			nop`),
			entry, Rule{CFA: CFAFromSP, RA: RAUnknown})
	})
	t.Run("a signature changes nothing", func(t *testing.T) {
		wantInstructions(t, assembled(t, arm64, `
			nop
			.cfi_negate_ra_state
			nop
			.cfi_negate_ra_state
			nop`),
			entry, entry, entry)
	})
	t.Run("a CFA in another register is unknown until sp or fp has it", func(t *testing.T) {
		wantInstructions(t, assembled(t, arm64, `
			nop
			.cfi_def_cfa 9, 16
			nop
			.cfi_def_cfa 29, 16
			nop`),
			entry, Rule{CFA: CFAUnknown}, Rule{CFA: CFAFromFP, CFAOffset: 16, RA: RAFromLR})
	})
}
