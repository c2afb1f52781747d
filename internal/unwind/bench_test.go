package unwind

import (
	"testing"

	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// BenchmarkBuild reports how many rows a second are built, and how fast .eh_frame is read.
func BenchmarkBuild(b *testing.B) {
	s := open(b, toolchain.Target(b).Library(b, "libstdc++.so.6"))
	rows := 0
	b.SetBytes(int64(len(s.Data)))
	b.ReportAllocs()
	for b.Loop() {
		_, report := build(b, s)
		rows += report.Rows
	}
	b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "rows/s")
}

func BenchmarkLookup(b *testing.B) {
	table, _ := build(b, open(b, toolchain.Target(b).Library(b, "libstdc++.so.6")))
	span := uint64(table.PCs[len(table.PCs)-1])
	at := uint64(0)
	for b.Loop() {
		at = (at*6364136223846793005 + 1442695040888963407)
		table.Lookup(table.Base + at%span)
	}
}
