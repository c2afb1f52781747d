package account

import (
	"os"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/scratch"
	"github.com/cgoheap/cgoheap/internal/usage"
)

// secret makes memory of memfd_secret.
func secret(bytes int) (memory []byte, err error) {
	fd, err := unix.MemfdSecret(0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	if err := unix.Ftruncate(fd, int64(bytes)); err != nil {
		return nil, err
	}
	return unix.Mmap(fd, 0, bytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
}

// ioUring makes a ring of io_uring.
func ioUring(bytes int) (memory []byte, err error) {
	var parameters [120]byte
	entries := uintptr(bytes / 64) // of the queue of requests, which is mapped at its own offset
	fd, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, entries, uintptr(unsafe.Pointer(&parameters)), 0)
	if errno != 0 {
		return nil, errno
	}
	defer unix.Close(int(fd))
	const requests = 0x10000000
	return unix.Mmap(int(fd), requests, bytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_POPULATE)
}

// perfRing makes the ring of an event that counts nothing.
func perfRing(bytes int) (memory []byte, err error) {
	attributes := unix.PerfEventAttr{Type: unix.PERF_TYPE_SOFTWARE, Config: unix.PERF_COUNT_SW_DUMMY, Bits: unix.PerfBitExcludeKernel | unix.PerfBitDisabled}
	attributes.Size = uint32(unsafe.Sizeof(attributes))
	fd, err := unix.PerfEventOpen(&attributes, 0, -1, -1, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	return unix.Mmap(fd, 0, bytes+os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
}

// What the kernel counts of memory that it shares with the program is on the line that docs/account.md names; some kernels count none of a ring.
func TestRingsAndSecretMemoryAreOnTheirLines(t *testing.T) {
	bytes := 16 * int(page)
	for about, c := range map[string]struct {
		make   func(int) ([]byte, error)
		of     func(*ByLine) Size
		counts bool // in every kernel
	}{
		"memfd_secret": {secret, func(b *ByLine) Size { return b.Shared }, true},
		"io_uring":     {ioUring, func(b *ByLine) Size { return b.Files }, false},
		"perf":         {perfRing, func(b *ByLine) Size { return b.Files }, false},
	} {
		t.Run(about, func(t *testing.T) {
			memory, err := c.make(bytes)
			if err != nil {
				t.Skipf("the kernel allows no %s: %v", about, err)
			}
			defer func() { _ = unix.Munmap(memory) }()
			var touched byte
			for at := 0; at < len(memory); at += int(page) {
				touched += memory[at]
			}
			var scratch scratch.Memory
			defer scratch.Free()
			v := Take(usage.Running, &Sources{Mapped: []Mapped{{Range: rangeOf(memory)}}}, &scratch)
			var want int64
			for _, s := range smapsOf(t, rangeOf(memory)) {
				want += s.rss
			}
			got := v.Mapped[0]
			t.Logf("%d bytes of %d are resident (%d)", want, len(memory), touched)
			if of := c.of(&got); of.Resident != want || c.counts && want != int64(bytes) || got.Anonymous != (Size{}) {
				t.Errorf("%+v, by smaps %d bytes are resident", got, want)
			}
		})
	}
}
