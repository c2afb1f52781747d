package main

import (
	"strings"
	"testing"
)

func TestAReportNamesOwnersAndStacks(t *testing.T) {
	var out strings.Builder
	if err := printProfile(&out, leakyProfile(nil)); err != nil {
		t.Fatal(err)
	}
	spaced := strings.Join(strings.Fields(out.String()), " ")
	for _, want := range []string{
		"by native function: 1000 B",
		"600 B 60.0 % 600 B 60.0 % operator new(unsigned long)",
		"260 B 26.0 % 360 B 36.0 % sqlite3MemMalloc",
		"700 B 350 B 2 handleReport",
		"handleReport: its largest stack holds 250 B (25.0 %) in 1 block",
		"C main.(*service).handleReport shop/main.c:7",
	} {
		if !strings.Contains(spaced, want) {
			t.Errorf("the report lacks %q:\n%s", want, &out)
		}
	}
}

func TestEqualStacksAreOne(t *testing.T) {
	p := leakyProfile(nil)
	p.Sample = append(p.Sample, p.Sample[0])
	stacks, err := callStacks(p)
	if err != nil {
		t.Fatal(err)
	}
	if stacks[0].inUse != 1200 || stacks[0].blocks != 2 {
		t.Errorf("the largest stack holds %d bytes in %d blocks, want 1200 in 2", stacks[0].inUse, stacks[0].blocks)
	}
}

func TestMemoryWithoutAHandlerIsByItsLine(t *testing.T) {
	var out strings.Builder
	if err := printHolders(&out, residentProfile(300)); err != nil {
		t.Fatal(err)
	}
	spaced := strings.Join(strings.Fields(out.String()), " ")
	want := "600 B 50.0 % [malloc: free] 300 B 25.0 % handleExport 200 B 16.7 % handleThumbnail 100 B 8.3 % (Go's heap, with stacks)"
	if !strings.HasSuffix(spaced, want) {
		t.Errorf("got %s", spaced)
	}
}
