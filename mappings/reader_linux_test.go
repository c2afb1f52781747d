package mappings

import (
	"bytes"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

func TestMemoryIsReadUpToWhereItEnds(t *testing.T) {
	page := unix.Getpagesize()
	area, err := unix.Mmap(-1, 0, 2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(area)
	for i := range area {
		area[i] = byte(i)
	}
	if err := unix.Mprotect(area[page:], unix.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	start := int64(uintptr(unsafe.Pointer(&area[0])))
	for _, c := range []struct {
		at      int64
		n, want int
	}{
		{start, 16, 16},
		{start + int64(page) - 8, 16, 8},
		{start + int64(page) - 16, 16, 16},
		{start + int64(page), 16, 0},
		{0, 16, 0},
		{-1, 16, 0},
		{1<<63 - 8, 16, 0},
		{0, 0, 0},
	} {
		to := make([]byte, c.n)
		n, err := Memory{}.ReadAt(to, c.at)
		if n != c.want || (err == nil) != (n == c.n) {
			t.Errorf("%d bytes at %#x: %d, %v, want %d", c.n, c.at, n, err, c.want)
		}
		if n > 0 && !bytes.Equal(to[:n], area[c.at-start:][:n]) {
			t.Errorf("%d bytes at %#x: % x", c.n, c.at, to)
		}
	}
}
