package unwind

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func FuzzBuild(f *testing.F) {
	f.Add(section(zR, code(0x1000, 16, 0x41, 0x0e, 16, 0x86, 2, 0x41, 0x0a, 0x0d, 6, 0x44, 0x0b)).Data, uint64(0))
	f.Add(section(zR, code(0x1000, 16, 0x0f, 4, 0x77, 8, 0x06, 0x22, 0x41, 0x10, 6, 2, 0x77, 0, 0x41, 0x3f)).Data, uint64(0))
	f.Add(section([]byte{1, 'z', 'P', 'L', 'R', 'S', 0, 1, 0x78, 16, 7, 0x9b, 1, 2, 3, 4, 0x1b, 0x1b, 0x0c, 7, 8, 0x90, 1},
		code(0x1000, 16), code(0x1000, 8)).Data, uint64(0x4000))
	f.Fuzz(func(t *testing.T, data []byte, addr uint64) {
		for machine := range machines {
			buildAndCheck(t, Section{data, addr, machine})
		}
	})
}

func buildAndCheck(t *testing.T, s Section) {
	t.Helper()
	table, report, err := Build(s)
	if parts, _, failure := buildInParts(s, nil); (failure == nil) != (err == nil) || !cmp.Equal(parts, table) {
		t.Fatalf("in parts: %v, %v", parts, failure)
	}
	if err != nil {
		if table != nil || report != (Report{}) {
			t.Fatal("an error, and a result")
		}
		return
	}
	checkTable(t, table, report)
}

// checkTable checks what every table promises.
func checkTable(t *testing.T, table *Table, report Report) {
	t.Helper()
	if len(table.PCs) != len(table.Rules) || len(table.PCs) != report.Rows || len(table.Set) > maxSet {
		t.Fatalf("%d PCs, %d rules, %d in the set, %+v", len(table.PCs), len(table.Rules), len(table.Set), report)
	}
	for i, pc := range table.PCs {
		if int(table.Rules[i]) >= len(table.Set) {
			t.Fatalf("row %d has rule %d of %d", i, table.Rules[i], len(table.Set))
		}
		if i > 0 && (pc <= table.PCs[i-1] || table.Rules[i] == table.Rules[i-1]) {
			t.Fatalf("rows %d and %d do not differ or ascend", i-1, i)
		}
		if got := table.Lookup(table.Base + uint64(pc)); got != table.Set[table.Rules[i]] {
			t.Fatalf("look-up of row %d gives %+v", i, got)
		}
	}
	if n := len(table.Rules); n > 0 && table.Rules[n-1] != setNone {
		t.Fatal("the last row is not CFANone")
	}
	if report.InexpressibleBytes > report.CodeBytes {
		t.Fatalf("%+v", report)
	}
	table.Lookup(0)
	table.Lookup(^uint64(0))
}
