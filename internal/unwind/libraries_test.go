package unwind

import (
	"os"
	"testing"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

func TestRows(t *testing.T) {
	for _, name := range []string{"libc.so.6", "libstdc++.so.6"} {
		onEach(t, "equal what readelf says for every address of "+name, func(t *testing.T, c toolchain.Toolchain) {
			file := c.Library(t, name)
			table, report := build(t, open(t, file))
			agreeAll(t, table, readelf(t, c, file))
			share := 100 * float64(report.InexpressibleBytes) / float64(report.CodeBytes)
			t.Logf("%d FDEs, %d rows, %d rules, %d bytes: %d of %d bytes of code (%.4f %%) are beyond rules",
				report.FDEs, report.Rows, len(table.Set), tableBytes(table), report.InexpressibleBytes, report.CodeBytes, share)
			if share >= 0.1 {
				t.Errorf("%.4f %% of the code is beyond rules, 0.1 %% is too much", share)
			}
			if lost := report.Skipped; lost != [reasons]int{} {
				t.Errorf("FDEs skipped: %v", lost)
			}
		})
	}
}

// TestAnyFile compares the rows of any file, for a person who doubts them.
func TestAnyFile(t *testing.T) {
	file := os.Getenv("UNWIND_FILE")
	if file == "" {
		t.Skip("UNWIND_FILE names no file to compare")
	}
	s := open(t, file)
	table, report := build(t, s)
	t.Logf("%+v, %d rules", report, len(table.Set))
	for _, c := range toolchain.All {
		if c.Machine == s.Machine {
			agreeAll(t, table, readelf(t, c, file))
		}
	}
}

func tableBytes(table *Table) int {
	return len(table.PCs)*int(unsafe.Sizeof(table.PCs[0])) + len(table.Rules)*int(unsafe.Sizeof(table.Rules[0])) +
		len(table.Set)*int(unsafe.Sizeof(table.Set[0]))
}

func TestSize(t *testing.T) {
	t.Run("a rule has the 20 bytes that the walker reads", func(t *testing.T) {
		if size := unsafe.Sizeof(Rule{}); size != 20 {
			t.Errorf("%d bytes", size)
		}
	})
	t.Run("a row costs 6 bytes", func(t *testing.T) {
		table, report := build(t, open(t, toolchain.Target(t).Library(t, "libstdc++.so.6")))
		if rows := tableBytes(table) - 20*len(table.Set); rows != 6*report.Rows {
			t.Errorf("%d bytes for %d rows", rows, report.Rows)
		}
	})
}
