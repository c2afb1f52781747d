//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/unwind"
	"github.com/cgoheap/cgoheap/mappings"
)

// Two roads to a rule: the C interpreter of unwind data in memory, and the rows of package unwind from the file.
func TestRulesInMemory(t *testing.T) {
	modules, err := mappings.Self()
	if err != nil {
		t.Fatal(err)
	}
	images := make(map[uint64]cgo.Image)
	for _, i := range cgo.Images() {
		images[i.Bias] = i
	}
	libc := 0
	for _, m := range modules {
		image, ok := images[m.Bias]
		if !ok || image.EhFrameHdr == 0 {
			t.Errorf("%s is at %#x, where the loader has no unwind data", m.Path, m.Bias)
			continue
		}
		t.Run("are those of the rows of "+filepath.Base(m.Path), func(t *testing.T) {
			image.Kept = true
			compareAtRows(t, &m, image, 1)
			image.Kept = false
			compareAtRows(t, &m, image, 13)
			if strings.HasPrefix(filepath.Base(m.Path), "libc.so") {
				image.Kept = true
				libc += compareAll(t, &m, image)
			}
		})
	}
	if libc < 1e6 {
		t.Errorf("of libc, only %d addresses were compared", libc)
	}
}

func tableOf(t *testing.T, m *mappings.Module) *unwind.Table {
	t.Helper()
	file, err := m.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	data, addr, err := file.EhFrame()
	if err != nil {
		t.Fatal(err)
	}
	table, report, err := unwind.Build(unwind.Section{Data: data, Addr: addr, Machine: file.Machine})
	if err != nil {
		t.Fatal(err)
	}
	if n := report.Skipped[unwind.Shadowed]; n > 0 {
		t.Logf("%d FDEs overlap", n)
	}
	return table
}

// compareAtRows compares where every stride-th row begins, and just before.
func compareAtRows(t *testing.T, m *mappings.Module, image cgo.Image, stride int) {
	t.Helper()
	table := tableOf(t, m)
	for i := 0; i < len(table.PCs); i += stride {
		at := table.Base + uint64(table.PCs[i])
		compareRule(t, table, image, at)
		compareRule(t, table, image, at-1)
	}
}

func compareAll(t *testing.T, m *mappings.Module, image cgo.Image) (compared int) {
	t.Helper()
	table := tableOf(t, m)
	for _, r := range m.Ranges {
		for address := r.Start; address < r.Limit; address++ {
			compareRule(t, table, image, uint64(m.ELFAddr(address)))
			compared++
		}
	}
	return compared
}

func compareRule(t *testing.T, table *unwind.Table, image cgo.Image, at uint64) {
	t.Helper()
	got, ok := image.Rule(at + image.Bias)
	if want := table.Lookup(at); !ok || *(*unwind.Rule)(unsafe.Pointer(&got)) != want {
		t.Fatalf("%#x: C finds %v, %v, the table has %v", at, got, ok, want)
	}
}
