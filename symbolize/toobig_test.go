package symbolize

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cgoheap/cgoheap/mappings"
)

// costly is a library with 24,576 functions, each with a name of its own in a string without an end: what is read of all
// is a gigabyte and a half. It has no symbols.
const costly = `
	.text
.Lstart:
	.fill 24576 * 16, 1, 0x90
	.section .debug_abbrev, "", %progbits
	.byte 1, 0x11, 1, 0x11, 1, 0x12, 6, 0, 0 /* a unit: DW_AT_low_pc, DW_AT_high_pc */
	.byte 2, 0x2e, 0, 3, 0xe, 0x11, 1, 0x12, 6, 0, 0 /* a function: DW_AT_name and the same */
	.byte 0
	.section .debug_info, "", %progbits
	.long .Lend - .Lunit
.Lunit:
	.short 4
	.long 0
	.byte 8
	.byte 1
	.quad .Lstart
	.long 24576 * 16
	.set i, 0
	.rept 24576
	.byte 2
	.long i
	.quad .Lstart + i * 16
	.long 16
	.set i, i + 1
	.endr
	.byte 0
.Lend:
	.section .debug_str, "", %progbits
	.fill 65536 + 24576, 1, 0x61
`

func TestDebugDataThatIsTooCostlyIsTheReason(t *testing.T) {
	need(t, "gcc")
	dir := t.TempDir()
	source, library := filepath.Join(dir, "costly.s"), filepath.Join(dir, "costly.so")
	if err := os.WriteFile(source, []byte(costly), 0o600); err != nil {
		t.Fatal(err)
	}
	tool(t, "gcc", "-shared", "-nostdlib", "-o", library, source)
	var addresses []mappings.ELFAddr
	for i, address := range everyByte(t, library) {
		if i%16 == 0 {
			addresses = append(addresses, address)
		}
	}
	var missing MissingCounts
	for _, result := range New(Options{}).Resolve(module(library), addresses) {
		missing.Add(result)
	}
	if len(addresses) < 24576 || missing.Unnamed[debugTooBig] != uint64(len(addresses)) {
		t.Errorf("%d addresses: %+v", len(addresses), missing.losses())
	}
}
