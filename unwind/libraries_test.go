package unwind

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unsafe"
)

// library finds a shared library of the system: where gcc links from, or where the loader loads from.
func library(t testing.TB, name string) string {
	t.Helper()
	if out, err := exec.Command("gcc", "-print-file-name="+name).Output(); err == nil {
		if file := strings.TrimSpace(string(out)); filepath.IsAbs(file) {
			return file
		}
	}
	out, _ := exec.Command("ldconfig", "-p").Output()
	found := regexp.MustCompile(`(?m)^\s*` + regexp.QuoteMeta(name) + ` \(.*x86-64.*\) => (.*)$`).FindSubmatch(out)
	if found == nil {
		t.Skipf("%s for amd64 is not installed", name)
	}
	return string(found[1])
}

func TestRows(t *testing.T) {
	for _, name := range []string{"libc.so.6", "libstdc++.so.6"} {
		t.Run("equal what readelf says for every address of "+name, func(t *testing.T) {
			file := library(t, name)
			table, report := build(t, open(t, file))
			agreeAll(t, table, readelf(t, file))
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
	table, report := build(t, open(t, file))
	t.Logf("%+v, %d rules", report, len(table.Set))
	agreeAll(t, table, readelf(t, file))
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
		table, report := build(t, open(t, library(t, "libstdc++.so.6")))
		if rows := tableBytes(table) - 20*len(table.Set); rows != 6*report.Rows {
			t.Errorf("%d bytes for %d rows", rows, report.Rows)
		}
	})
}
