//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package alloc

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/victim"
)

const page = 4096

// kernelRange is a line of the kernel's list.
type kernelRange struct {
	account.Range
	shared, inode bool
	path          string
}

// kernelRanges reads the kernel's list.
func kernelRanges(t *testing.T) (list []kernelRange) {
	t.Helper()
	file, err := os.Open("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var k kernelRange
		var sharing string
		var offset, inode uint64
		var device string
		if _, err := fmt.Sscanf(lines.Text(), "%x-%x %s %x %s %d", &k.Start, &k.Limit, &sharing, &offset, &device, &inode); err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		k.shared, k.inode = sharing[3] == 's', inode != 0
		k.path = strings.Join(strings.Fields(lines.Text())[5:], " ")
		list = append(list, k)
	}
	return list
}

// mapped are the recorded ranges, with the kernel's list of the same time.
func mapped(t *testing.T, r *Recording) ([]Mapping, []kernelRange) {
	t.Helper()
	var kernel []kernelRange
	list, err := r.Mappings(func() error { kernel = kernelRanges(t); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return list, kernel
}

// at returns the range that holds an address; nil if nobody knows who mapped it.
func at(list []Mapping, address unsafe.Pointer) *Mapping {
	for i := range list {
		if list[i].Start <= uint64(uintptr(address)) && uint64(uintptr(address)) < list[i].Limit {
			return &list[i]
		}
	}
	return nil
}

// known is the range that a call of the test's mapped.
func known(t *testing.T, r *Recording, address unsafe.Pointer) *Mapping {
	t.Helper()
	list, _ := mapped(t, r)
	m := at(list, address)
	if m == nil {
		t.Fatalf("nobody knows who mapped %p", address)
	}
	return m
}

//go:noinline
func mapIt(length uintptr) unsafe.Pointer { return victim.Map(nil, length, false) }

//go:noinline
func remapIt(p unsafe.Pointer, length, to uintptr) unsafe.Pointer { return victim.Remap(p, length, to) }

// through reports whether the stack of a range leads through a Go function of this package.
func through(m *Mapping, function string) bool {
	for _, f := range m.Frames {
		if strings.HasSuffix(goFunction(f), "alloc."+function) {
			return true
		}
	}
	return false
}

// beyond returns the ranges that the kernel's list does not cover.
func beyond(list []Mapping, kernel []kernelRange) (ranges []account.Range) {
	for i := range list {
		m := &list[i]
		covered := uint64(0)
		for _, k := range kernel {
			if m.Start < k.Limit && k.Start < m.Limit {
				covered += min(m.Limit, k.Limit) - max(m.Start, k.Start)
			}
		}
		if covered != m.Limit-m.Start {
			ranges = append(ranges, m.Range)
		}
	}
	return ranges
}
