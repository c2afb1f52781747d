package unwind

import (
	"bytes"
	"debug/elf"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/toolchain"
)

// buildInParts builds rows as a recording does, piece by piece and in scratch memory.
func buildInParts(s Section, memory *scratch.Memory) (*Table, Report, error) {
	return BuildFrom(Source{bytes.NewReader(s.Data), int64(len(s.Data)), s.Addr, s.Machine, memory})
}

func TestASectionReadInPartsGivesTheSameRows(t *testing.T) {
	for name, s := range map[string]Section{
		"a library":         open(t, toolchain.Target(t).Library(t, "libstdc++.so.6")),
		"code out of order": shuffled(30_000),
		"nothing":           {Machine: elf.EM_X86_64},
	} {
		t.Run(name, func(t *testing.T) {
			want, wantReport, err := Build(s)
			if err != nil {
				t.Fatal(err)
			}
			var memory scratch.Memory
			defer memory.Free()
			got, report, err := buildInParts(s, &memory)
			if err != nil {
				t.Fatal(err)
			}
			same := got.Base == want.Base && slices.Equal(got.PCs, want.PCs) && slices.Equal(got.Rules, want.Rules) && slices.Equal(got.Set, want.Set)
			if diff := cmp.Diff(wantReport, report); !same || diff != "" {
				t.Fatalf("%d rows, want %d; reports differ by %s", len(got.PCs), len(want.PCs), diff)
			}
		})
	}
}

// shuffled is a section whose FDEs do not come in the order of their code.
func shuffled(fdes int) Section {
	random := rand.New(rand.NewPCG(1, 2))
	var records []func(int) []byte
	for _, i := range random.Perm(fdes) {
		records = append(records, code(uint64(0x1000+16*i), 16, 0x41, 0x0e, byte(16+8*random.IntN(4)), 0x86, 2, 0x41, 0x0d, 6))
	}
	return section(zR, records...)
}

// The rows of a large library take megabytes while they are built. In Go's heap they would be garbage until the next
// collection.
func TestRowsAreNotBuiltInGosHeap(t *testing.T) {
	s := shuffled(60_000)
	var memory scratch.Memory
	defer memory.Free()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	table, _, err := buildInParts(s, &memory)
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 128<<10 {
		t.Errorf("%d bytes of Go's heap for %d rows in a section of %d bytes, want at most 128 KiB", got, len(table.PCs), len(s.Data))
	}
}
