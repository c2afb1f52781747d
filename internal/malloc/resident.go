//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package malloc

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/account"
)

var pageSize = uint64(os.Getpagesize())

// residency has the resident pages of a range.
type residency struct {
	start uint64 // of the first page
	pages []byte // one a page; bit 0: resident
}

// residencyOf asks the kernel. Pages that are not mapped are not resident.
func residencyOf(r account.Range) residency {
	start := r.Start &^ (pageSize - 1)
	res := residency{start, make([]byte, (r.Limit-start+pageSize-1)/pageSize)}
	res.ask(0, len(res.pages))
	return res
}

const pagesAtOnce = 1 << 18

// ask fills in pages. mincore fails as a whole where a part is not mapped, so that the parts are asked for alone.
func (r residency) ask(from, to int) {
	if n := to - from; n > pagesAtOnce || n > 0 && !r.mincore(from, to) && n > 1 {
		r.ask(from, from+n/2)
		r.ask(from+n/2, to)
	}
}

func (r residency) mincore(from, to int) bool {
	vec := r.pages[from:to]
	_, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(r.start+uint64(from)*pageSize), uintptr(len(vec))*uintptr(pageSize),
		uintptr(unsafe.Pointer(&vec[0])))
	if errno != 0 {
		clear(vec)
	}
	return errno == 0
}

// at reports whether the page of an address is resident.
func (r residency) at(address uint64) bool {
	i := (address - r.start) / pageSize
	return i < uint64(len(r.pages)) && r.pages[i]&1 != 0
}

// bytes returns how many bytes from start to limit are resident.
func (r residency) bytes(start, limit uint64) (n uint64) {
	for start < limit {
		next := min(limit, start&^(pageSize-1)+pageSize)
		if r.at(start) {
			n += next - start
		}
		start = next
	}
	return n
}

func (r residency) total() (n uint64) {
	for _, p := range r.pages {
		n += uint64(p & 1)
	}
	return n * pageSize
}
