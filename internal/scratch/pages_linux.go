package scratch

import (
	"syscall"
	"unsafe"
)

// mapPages maps zero pages. Huge ones would make a piece of a megabyte take two.
func mapPages(size int) ([]byte, error) {
	const noHugePages = 15
	at, _, errno := syscall.Syscall6(syscall.SYS_MMAP, 0, uintptr(size), syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE, ^uintptr(0), 0)
	if errno != 0 {
		return nil, errno
	}
	b := pagesAt(at, size)
	_ = advise(b, noHugePages) // a kernel without huge pages refuses
	return b, nil
}

// pagesAt returns memory outside Go's heap as a slice.
func pagesAt(at uintptr, size int) []byte {
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&at)), size)
}

func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

// unmap fails if the kernel has no room for one more mapping, which a hole makes. Then at least the pages are returned.
func unmap(b []byte) {
	if _, _, errno := syscall.Syscall(syscall.SYS_MUNMAP, address(b), uintptr(len(b)), 0); errno != 0 {
		drop(b)
	}
}

// remap makes a mapping larger, at another address if need be. New bytes are zero.
func remap(b []byte, size int) ([]byte, error) {
	const mayMove = 1
	at, _, errno := syscall.Syscall6(syscall.SYS_MREMAP, address(b), uintptr(len(b)), uintptr(size), mayMove, 0, 0)
	if errno != 0 {
		return nil, errno
	}
	return pagesAt(at, size), nil
}

// drop returns the pages that lie wholly in b to the kernel. Locked memory stays, which only costs memory.
func drop(b []byte) {
	if whole := len(b) &^ (syscall.Getpagesize() - 1); whole > 0 {
		_ = advise(b[:whole], syscall.MADV_DONTNEED)
	}
}

func advise(b []byte, advice uintptr) error {
	if _, _, errno := syscall.Syscall(syscall.SYS_MADVISE, address(b), uintptr(len(b)), advice); errno != 0 {
		return errno
	}
	return nil
}
