package unwind

import (
	"strings"
	"testing"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// assembled compiles one function, f, of assembly with .cfi directives.
func assembled(t *testing.T, c toolchain.Toolchain, directives string) []Rule {
	t.Helper()
	body := strings.ReplaceAll(directives, "\n", `\n`)
	file, table := fixture(t, c, `__asm__(".text\n.globl f\n.type f,@function\nf:\n.cfi_startproc `+body+
		`\n.cfi_endproc\n.size f,.-f\n");`)
	return rulesOf(t, file, table, "f")
}

func wantRules(t *testing.T, got []Rule, want ...Rule) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("address %d:\ngot  %+v\nwant %+v", i, got, want)
		}
	}
}

func TestAssemblyOfAMD64(t *testing.T) {
	amd64 := toolchain.All[0]
	entry := Rule{CFA: CFAFromSP, CFAOffset: 8, RAOffset: -8}
	t.Run("the outermost frame of a thread has no return address", func(t *testing.T) {
		wantRules(t, assembled(t, amd64, `
			.cfi_undefined %rip
			nop`),
			Rule{CFA: CFAFromSP, CFAOffset: 8, RA: RAUndefined})
	})
	t.Run("a signal trampoline finds everything by expressions", func(t *testing.T) {
		wantRules(t, assembled(t, amd64, `simple
			.cfi_signal_frame
			.cfi_escape 0x0f,4,0x77,0xa0,1,0x06
			.cfi_escape 0x10,6,3,0x77,0xf8,0
			.cfi_escape 0x10,7,3,0x77,0xa0,1
			.cfi_escape 0x10,16,3,0x77,0xa8,1
			nop`),
			Rule{CFA: CFADerefSP, CFAOffset: 160, FP: FPFromSP, FPOffset: 120, RA: RAFromSP, RAOffset: 168, Flags: FlagSignalFrame})
	})
	t.Run("a stack that was left is found where it was saved", func(t *testing.T) {
		wantRules(t, assembled(t, amd64, `
			nop
			.cfi_escape 0x0f,5,0x77,16,0x06,0x23,8
			nop
			.cfi_escape 0x0f,3,0x76,0x78,0x06
			nop`),
			entry,
			Rule{CFA: CFADerefSP, CFAOffset: 16, CFAExtra: 8, RAOffset: -8},
			Rule{CFA: CFADerefFP, CFAOffset: -8, RAOffset: -8})
	})
	t.Run("a remembered state comes back with its CFA", func(t *testing.T) {
		wantRules(t, assembled(t, amd64, `
			nop
			.cfi_def_cfa_offset 16
			.cfi_offset %rbp, -16
			nop
			.cfi_remember_state
			.cfi_def_cfa %rbp, 24
			.cfi_restore %rbp
			nop
			.cfi_restore_state
			nop`),
			entry,
			Rule{CFA: CFAFromSP, CFAOffset: 16, FP: FPFromCFA, FPOffset: -16, RAOffset: -8},
			Rule{CFA: CFAFromFP, CFAOffset: 24, RAOffset: -8},
			Rule{CFA: CFAFromSP, CFAOffset: 16, FP: FPFromCFA, FPOffset: -16, RAOffset: -8})
	})
	t.Run("a CFA in another register is unknown until sp or fp has it", func(t *testing.T) {
		wantRules(t, assembled(t, amd64, `
			nop
			.cfi_def_cfa_register %r10
			nop
			.cfi_adjust_cfa_offset 8
			nop
			.cfi_def_cfa_register %rbp
			nop`),
			entry, Rule{CFA: CFAUnknown}, Rule{CFA: CFAUnknown}, Rule{CFA: CFAFromFP, CFAOffset: 16, RAOffset: -8})
	})
	t.Run("a return address in a register is unknown, and so is a frame pointer", func(t *testing.T) {
		wantRules(t, assembled(t, amd64, `
			nop
			.cfi_register %rip, %rdi
			nop
			.cfi_restore %rip
			.cfi_register %rbp, %rax
			nop
			.cfi_same_value %rbp
			nop
			.cfi_undefined %rbp
			nop`),
			entry,
			Rule{CFA: CFAFromSP, CFAOffset: 8, RA: RAUnknown},
			Rule{CFA: CFAFromSP, CFAOffset: 8, RAOffset: -8, FP: FPUnknown},
			entry,
			Rule{CFA: CFAFromSP, CFAOffset: 8, RAOffset: -8, FP: FPUnknown})
	})
	t.Run("a stack pointer that is not the CFA makes the frame unknown", func(t *testing.T) {
		wantRules(t, assembled(t, amd64, `
			.cfi_offset %rsp, -24
			nop`),
			Rule{CFA: CFAUnknown})
	})
	t.Run("a long way and a short way to advance lead to the same rows", func(t *testing.T) {
		rules := assembled(t, amd64, `
			.fill 300, 1, 0x90
			.cfi_def_cfa_offset 16
			.fill 70000, 1, 0x90
			.cfi_def_cfa_offset 24
			.fill 200, 1, 0x90
			.cfi_def_cfa_offset 32
			nop`)
		for pc, want := range map[int]int32{0: 8, 299: 8, 300: 16, 70299: 16, 70300: 24, 70499: 24, 70500: 32} {
			if rules[pc].CFAOffset != want {
				t.Errorf("CFA offset %d at %d, want %d", rules[pc].CFAOffset, pc, want)
			}
		}
	})
}
