//go:build linux && (amd64 || arm64) && cgo && !asan && !msan

package malloc

import (
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/account"
)

func TestResidency(t *testing.T) {
	memory, err := unix.Mmap(-1, 0, 8*int(pageSize), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	start := uint64(uintptr(unsafe.Pointer(&memory[0])))
	for _, page := range []uint64{1, 2, 5} {
		memory[page*pageSize] = 1
	}
	// The last page is not mapped any more: the others are known all the same.
	if _, _, errno := unix.Syscall(unix.SYS_MUNMAP, uintptr(start+7*pageSize), uintptr(pageSize), 0); errno != 0 {
		t.Fatal(errno)
	}
	r := residencyOf(account.Range{Start: start, Limit: start + 8*pageSize})
	for page := range uint64(9) {
		if want := page == 1 || page == 2 || page == 5; r.at(start+page*pageSize+100) != want {
			t.Errorf("page %d: %t, want %t", page, !want, want)
		}
	}
	if n := r.bytes(start+pageSize+100, start+2*pageSize+50); r.total() != 3*pageSize || n != pageSize-50 {
		t.Errorf("%d bytes, %d in a part", r.total(), n)
	}
	_, _, _ = unix.Syscall(unix.SYS_MUNMAP, uintptr(start), uintptr(7*pageSize), 0)
}
