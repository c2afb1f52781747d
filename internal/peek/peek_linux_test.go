package peek

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

var ways = map[string]func([]byte, uint64) int{
	"the way that is allowed": Copy,
	"process_vm_readv":        func(to []byte, from uint64) int { return allowed(copyByCall(to, from)) },
	"a pipe":                  func(to []byte, from uint64) int { return allowed(copyByPipe(to, from)) },
	"/proc/self/mem":          copyByFile,
}

// allowed returns how many bytes were copied; -1 if the way is refused.
func allowed(n int, allowed bool) int {
	if !allowed {
		return -1
	}
	return n
}

// Ways to copy, of which a sandbox may forbid some.
func TestCopies(t *testing.T) {
	memory := bytes.Repeat([]byte("heap"), 10000)
	at := uint64(uintptr(unsafe.Pointer(&memory[0])))
	for name, read := range ways {
		for _, from := range []int{0, 1, 4000} {
			to := make([]byte, len(memory)-from)
			if n := read(to, at+uint64(from)); n != len(to) || !bytes.Equal(to, memory[from:]) {
				t.Errorf("%s copied %d bytes of %d", name, n, len(to))
			}
		}
		if n := read(make([]byte, 10), 4096); n != 0 {
			t.Errorf("%s copied %d bytes where nothing is mapped", name, n)
		}
	}
	runtime.KeepAlive(memory)
}

// What is read ends at the first page that cannot be read, wherever it began.
func TestCopiesEndWhereMemoryDoes(t *testing.T) {
	const whole = 37 // pages, of 40
	size := os.Getpagesize()
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(int64(whole * size)); err != nil {
		t.Fatal(err)
	}
	memory, err := unix.Mmap(int(f.Fd()), 0, 40*size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Munmap(memory) }()
	for i := range memory[:whole*size] {
		memory[i] = byte(i / 7)
	}
	at := uint64(uintptr(unsafe.Pointer(&memory[0])))
	for name, read := range ways {
		for _, from := range []int{0, 1, size - 1, 20*size + 5, whole*size - 3} {
			to := make([]byte, len(memory)-from)
			if n := read(to, at+uint64(from)); n != whole*size-from || !bytes.Equal(to[:n], memory[from:whole*size]) {
				t.Errorf("%s copied %d bytes from %d on, want %d", name, n, from, whole*size-from)
			}
		}
	}
}

func BenchmarkCopies(b *testing.B) {
	memory, to := bytes.Repeat([]byte("heap"), 1<<14), make([]byte, 1<<16)
	at := uint64(uintptr(unsafe.Pointer(&memory[0])))
	for name, read := range ways {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				read(to, at)
			}
		})
	}
}
