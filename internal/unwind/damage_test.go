package unwind

import (
	"debug/elf"
	"encoding/binary"
	"math"
	"strings"
	"testing"
)

// Sections written by hand, for what no assembler writes.

var zR = []byte{1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x00, 0x0c, 7, 8, 0x90, 1} // absolute addresses; cfa = rsp+8, ra at -8

// record puts the length before a record's content.
func record(content ...[]byte) []byte {
	var body []byte
	for _, c := range content {
		body = append(body, c...)
	}
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(body))), body...)
}

func cieRecord(content []byte) []byte { return record(u32(0), content) }

// fdeRecord writes an FDE that lies at offset at of the section, of the CIE at its start.
func fdeRecord(at int, start, length uint64, program ...byte) []byte {
	return record(u32(uint32(at+4)), u64(start), u64(length), []byte{0}, program)
}

func u32(n uint32) []byte { return binary.LittleEndian.AppendUint32(nil, n) }

func u64(n uint64) []byte { return binary.LittleEndian.AppendUint64(nil, n) }

// section writes a CIE and FDEs behind it.
func section(cie []byte, fdes ...func(at int) []byte) Section {
	data := cieRecord(cie)
	for _, f := range fdes {
		data = append(data, f(len(data))...)
	}
	return Section{Data: data, Machine: elf.EM_X86_64}
}

func code(start, length uint64, program ...byte) func(int) []byte {
	return func(at int) []byte { return fdeRecord(at, start, length, program...) }
}

func sp(offset int32) Rule { return Rule{CFA: CFAFromSP, CFAOffset: offset, RAOffset: -8} }

func wantLookups(t *testing.T, table *Table, want map[uint64]Rule) {
	t.Helper()
	for pc, rule := range want {
		if got := table.Lookup(pc); got != rule {
			t.Errorf("%#x: %+v, want %+v", pc, got, rule)
		}
	}
}

func wantSkipped(t *testing.T, report Report, want map[Reason]int) {
	t.Helper()
	for reason, n := range report.Skipped {
		if n != want[Reason(reason)] {
			t.Errorf("%d FDEs where %s, want %d", n, Reason(reason), want[Reason(reason)])
		}
	}
}

func TestDamage(t *testing.T) {
	t.Run("a machine whose registers are not known is an error", func(t *testing.T) {
		s := section(zR, code(0x1000, 16))
		s.Machine = elf.EM_RISCV
		wantError(t, s, "EM_RISCV")
	})
	t.Run("only arm64 has instructions for signatures", func(t *testing.T) {
		s := section(zR, code(0x1000, 16, 0x44, 0x2d, 0x44, 0x2c))
		_, report := build(t, s)
		wantSkipped(t, report, map[Reason]int{Broken: 1})
		s.Machine = elf.EM_AARCH64
		_, report = build(t, s)
		wantSkipped(t, report, nil)
	})
	t.Run("code between FDEs has no rule", func(t *testing.T) {
		table, report := build(t, section(zR, code(0x1000, 16), code(0x2000, 16, 0x0e, 16)))
		wantLookups(t, table, map[uint64]Rule{
			0xfff: {}, 0x1000: sp(8), 0x100f: sp(8), 0x1010: {}, 0x1fff: {}, 0x2000: sp(16), 0x200f: sp(16), 0x2010: {},
		})
		if report.Rows != 4 || report.CodeBytes != 32 || report.FDEs != 2 {
			t.Errorf("%+v", report)
		}
	})
	t.Run("neighbours with one rule are one row", func(t *testing.T) {
		if _, report := build(t, section(zR, code(0x1000, 16), code(0x1010, 16))); report.Rows != 2 {
			t.Errorf("%+v", report)
		}
	})
	t.Run("of FDEs that overlap, the one that starts first keeps the code", func(t *testing.T) {
		table, report := build(t, section(zR,
			code(0x1008, 16, 0x0e, 24, 0x4c, 0x0e, 32), code(0x1000, 16, 0x0e, 16), code(0x1004, 4, 0x0e, 64)))
		wantLookups(t, table, map[uint64]Rule{0x1000: sp(16), 0x100f: sp(16), 0x1010: sp(24), 0x1014: sp(32), 0x1018: {}})
		wantSkipped(t, report, map[Reason]int{Shadowed: 1})
	})
	t.Run("of FDEs that start together, the one that the section has first keeps the code", func(t *testing.T) {
		table, report := build(t, section(zR, code(0x1000, 16, 0x0e, 24), code(0x1000, 16, 0x0e, 16)))
		wantLookups(t, table, map[uint64]Rule{0x1000: sp(24)})
		wantSkipped(t, report, map[Reason]int{Shadowed: 1})
	})
	t.Run("an FDE of removed or of no code is skipped", func(t *testing.T) {
		_, report := build(t, section(zR, code(0, 16), code(0x1000, 0), code(math.MaxUint64, 16)))
		wantSkipped(t, report, map[Reason]int{Removed: 1, Empty: 1, Malformed: 1})
	})
	t.Run("an FDE of a CIE with an unknown letter is skipped", func(t *testing.T) {
		_, report := build(t, section([]byte{1, 'z', 'Q', 0, 1, 0x78, 16, 0}, code(0x1000, 16)))
		wantSkipped(t, report, map[Reason]int{NoCIE: 1})
	})
	t.Run("what follows an unknown instruction is unknown", func(t *testing.T) {
		table, report := build(t, section(zR, code(0x1000, 16, 0x44, 0x3f, 0, 0x44)))
		wantLookups(t, table, map[uint64]Rule{0x1000: sp(8), 0x1003: sp(8), 0x1004: {CFA: CFAUnknown}, 0x1010: {}})
		wantSkipped(t, report, map[Reason]int{Broken: 1})
		if report.InexpressibleBytes != 12 {
			t.Errorf("%+v", report)
		}
	})
	t.Run("states are not remembered without bound, nor recalled from nowhere", func(t *testing.T) {
		many := []byte(strings.Repeat("\x0a", 1000))
		_, report := build(t, section(zR, code(0x1000, 16, many...), code(0x2000, 16, 0x0b)))
		wantSkipped(t, report, map[Reason]int{Broken: 2})
	})
	t.Run("a way to advance beyond the end of the FDE ends there", func(t *testing.T) {
		table, _ := build(t, section(zR, code(0x1000, 16, 0x1d, 255, 255, 255, 255, 255, 255, 255, 255, 0x0e, 16)))
		wantLookups(t, table, map[uint64]Rule{0x100f: sp(8), 0x1010: {}})
	})
	t.Run("an address may be set forwards, not backwards", func(t *testing.T) {
		table, report := build(t, section(zR,
			code(0x1000, 16, append([]byte{0x01}, append(u64(0x1008), 0x0e, 16)...)...),
			code(0x2000, 16, append([]byte{0x01}, u64(0x1fff)...)...)))
		wantLookups(t, table, map[uint64]Rule{0x1007: sp(8), 0x1008: sp(16), 0x2000: {CFA: CFAUnknown}})
		wantSkipped(t, report, map[Reason]int{Broken: 1})
	})
	t.Run("signed, negative and value offsets say what unsigned ones say", func(t *testing.T) {
		table, _ := build(t, section(zR, code(0x1000, 16,
			0x12, 6, 0x7e, 0x11, 6, 2, // def_cfa_sf rbp, 16; offset_extended_sf rbp, cfa-16
			0x44, 0x13, 0x7d, 0x2f, 6, 2, // def_cfa_offset_sf 24; negative_offset_extended rbp, cfa+16
			0x44, 0x14, 7, 0, // val_offset rsp, cfa
			0x44, 0x15, 7, 1))) // val_offset_sf rsp, cfa-8
		saved := Rule{CFA: CFAFromFP, CFAOffset: 24, FP: FPFromCFA, FPOffset: 16, RAOffset: -8}
		wantLookups(t, table, map[uint64]Rule{
			0x1000: {CFA: CFAFromFP, CFAOffset: 16, FP: FPFromCFA, FPOffset: -16, RAOffset: -8},
			0x1004: saved, 0x1008: saved, 0x100c: {CFA: CFAUnknown},
		})
	})
	t.Run("an offset beyond 32 bits is unknown", func(t *testing.T) {
		table, _ := build(t, section(zR, code(0x1000, 16, 0x0e, 0x80, 0x80, 0x80, 0x80, 0x10)))
		wantLookups(t, table, map[uint64]Rule{0x1000: {CFA: CFAUnknown}})
	})
	t.Run("code that spans more than 4 GiB is an error", func(t *testing.T) {
		wantError(t, section(zR, code(0x1000, 16), code(0x2_0000_0000, 16)), "4 GiB")
	})
	t.Run("a record that is longer than the section is an error", func(t *testing.T) {
		s := section(zR, code(0x1000, 16))
		s.Data = s.Data[:len(s.Data)-1]
		wantError(t, s, "the section has")
	})
	t.Run("rules beyond the set's size are unknown and counted", func(t *testing.T) {
		var program []byte
		for i := range uint64(maxSet + 10) {
			program = append(binary.AppendUvarint(append(program, 0x0e), 1000+i), 0x41)
		}
		table, report := build(t, section(zR, code(0x1000, maxSet+10, program...)))
		if len(table.Set) != maxSet || report.RulesLost != 12 || report.InexpressibleBytes != 12 {
			t.Errorf("%d rules, %+v", len(table.Set), report)
		}
	})
	t.Run("a terminator does not hide what comes after it", func(t *testing.T) {
		data := append(cieRecord(zR), 0, 0, 0, 0)
		table, _ := build(t, Section{Data: append(data, fdeRecord(len(data), 0x1000, 16)...), Machine: elf.EM_X86_64})
		wantLookups(t, table, map[uint64]Rule{0x1000: sp(8)})
	})
}

func wantError(t *testing.T, s Section, text string) {
	t.Helper()
	table, _, err := Build(s)
	if err == nil || table != nil || !strings.Contains(err.Error(), text) {
		t.Errorf("table %v, error %v", table, err)
	}
}
