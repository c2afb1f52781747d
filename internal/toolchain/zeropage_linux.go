package toolchain

import (
	"encoding/binary"
	"os"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// NeedsZeroPage skips a test where the kernel gives whoever reads untouched memory pages of its own instead of the zero page: reading
// a process then makes memory of it resident.
func NeedsZeroPage(t testing.TB) {
	t.Helper()
	size := os.Getpagesize()
	b, err := unix.Mmap(-1, 0, size, unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Munmap(b) }()
	f, err := os.Open("/proc/self/pagemap")
	if err != nil || b[0] != 0 {
		t.Fatal(b[0], err)
	}
	defer f.Close()
	var entry [8]byte
	if _, err := f.ReadAt(entry[:], int64(uintptr(unsafe.Pointer(unsafe.SliceData(b))))/int64(size)*8); err != nil {
		t.Fatal(err)
	}
	const exclusive = 1 << 56 // no other process has the page
	if binary.LittleEndian.Uint64(entry[:])&exclusive != 0 {
		t.Skip("the kernel has no zero page for memory that is only read")
	}
}
