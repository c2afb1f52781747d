//go:build (amd64 || arm64) && cgo && !asan && !msan

package twin

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/usage"
)

// refusal looks, and returns the error.
func refusal(t *testing.T) error {
	t.Helper()
	a := ask(t)
	w, err := New(&a, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Free()
	_, err = Look(w, &a)
	return err
}

const hugePage = 2 << 20

// pool makes the kernel have that many free huge pages, in the directory of the pool.
func pool(t *testing.T, pages int) {
	t.Helper()
	const dir = "/sys/kernel/mm/hugepages/hugepages-2048kB/"
	before, err := os.ReadFile(dir + "nr_hugepages")
	if err != nil {
		t.Skip("the kernel allows no huge_pages: ", err)
	}
	set := func(n string) error { return os.WriteFile(dir+"nr_hugepages", []byte(n), 0) }
	taken := number(t, dir+"nr_hugepages") - number(t, dir+"free_hugepages") + number(t, dir+"resv_hugepages")
	if err := set(strconv.Itoa(taken + pages)); err != nil {
		t.Skip("the kernel allows no huge_pages: ", err)
	}
	t.Cleanup(func() { _ = set(strings.TrimSpace(string(before))) })
	if n := number(t, dir+"free_hugepages") - number(t, dir+"resv_hugepages"); n < pages {
		t.Skipf("the kernel allows no huge_pages: %d are free", n)
	}
}

func number(t *testing.T, path string) int {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// hugetlb maps huge pages and writes to them.
func hugetlb(t *testing.T, pages, flags int) []byte {
	t.Helper()
	memory, err := unix.Mmap(-1, 0, pages*hugePage, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANONYMOUS|unix.MAP_HUGETLB|flags)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(memory) })
	write(memory)
	return memory
}

func write(memory []byte) {
	for i := 0; i < len(memory); i += hugePage {
		memory[i]++
	}
}

const hugeKind = "CGOHEAP_TEST_HUGE"

// A process whose private huge pages are all that there are goes on writing to them after a search: the kernel would end it, so
// it is one of its own.
func TestAProcessWithPrivateHugePagesIsNotCopied(t *testing.T) {
	if kind := os.Getenv(hugeKind); kind != "" {
		flags, _ := strconv.Atoi(kind)
		memory := hugetlb(t, 4, unix.MAP_PRIVATE|flags)
		made = func(int) { write(memory) }
		defer func() { made = nil }()
		if err := refusal(t); err == nil || !strings.Contains(err.Error(), "private huge pages") {
			t.Errorf("%v, want that no copy is made", err)
		}
		write(memory)
		if err := unix.Madvise(memory, unix.MADV_DONTFORK); err != nil { // as the program may say itself
			t.Fatal(err)
		}
		if err := refusal(t); err != nil {
			t.Errorf("with memory that is not copied: %v", err)
		}
		write(memory)
		return
	}
	pool(t, 4)
	for _, flags := range []int{unix.MAP_NORESERVE, 0} {
		c := exec.Command("/proc/self/exe", "-test.v", "-test.run=^"+t.Name()+"$")
		c.Env = append(os.Environ(), hugeKind+"="+strconv.Itoa(flags))
		if out, err := c.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS") {
			t.Errorf("with the flags %#x: %v\n%s", flags, err, out)
		}
	}
}

// Shared ones are the same in the copy, and what they hold is found.
func TestSharedHugePagesAreLookedAt(t *testing.T) {
	pool(t, 2)
	memory := hugetlb(t, 2, unix.MAP_SHARED)
	isLookedAt(t, uint64(uintptr(unsafe.Pointer(&memory[hugePage])))^hidden, func() {})
	write(memory)
}

// isLookedAt points from 64 words of memory at a hidden address to as many blocks, and fails the test unless these are held by
// them after a change.
func isLookedAt(t *testing.T, memory uint64, change func()) Report {
	t.Helper()
	const count = 64
	blocks := mapped(t, count*64, unix.MAP_PRIVATE)
	at := make([]uint64, count)
	stored := make(chan bool)
	go func() { // with a stack of its own
		defer close(stored)
		for i := range at {
			at[i] = ((blocks ^ hidden) + 64*uint64(i)) ^ hidden
			store(((memory^hidden)+8*uint64(i))^hidden, at[i]^hidden)
		}
	}()
	<-stored
	change()
	a := ask(t)
	found, r := look(t, &a, at, func(int) uint64 { return 64 })
	strays := 0
	for i, f := range found {
		if f.Holder != (memory^hidden)+8*uint64(i) {
			strays++
		}
	}
	if strays > fewStrays {
		t.Errorf("%d of %d blocks are not held by the words that were stored", strays, count)
	}
	return r
}

// userfaultfd makes one with features, and returns it.
func userfaultfd(t *testing.T, features uint64) int {
	t.Helper()
	file, _, errno := unix.Syscall(unix.SYS_USERFAULTFD, unix.O_CLOEXEC, 0, 0)
	if errno != 0 {
		t.Skip("the kernel allows no userfaultfd: ", errno)
	}
	t.Cleanup(func() { _ = unix.Close(int(file)) })
	const uffdioAPI, version = 0xc018aa3f, 0xaa
	argument := [3]uint64{version, features}
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, file, uffdioAPI, uintptr(unsafe.Pointer(&argument))); errno != 0 {
		t.Skip("the kernel allows no userfaultfd: ", errno)
	}
	return int(file)
}

// The kernel lets clone return only when the program has read of the new process from such a descriptor, if it has memory that
// is registered with it.
func TestAProcessThatAwaitsForksIsNotCopied(t *testing.T) {
	userfaultfd(t, 0)
	if err := refusal(t); err != nil {
		t.Errorf("with a userfaultfd of the usual kind: %v", err)
	}
	file := userfaultfd(t, 1<<1)
	memory, err := unix.Mmap(-1, 0, 1<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Munmap(memory) }()
	const uffdioRegister, missing = 0xc020aa00, 1
	argument := [4]uint64{uint64(uintptr(unsafe.Pointer(&memory[0]))), 1 << 20, missing}
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(file), uffdioRegister, uintptr(unsafe.Pointer(&argument))); errno != 0 {
		t.Fatal(errno)
	}
	if err := refusal(t); err == nil || !strings.Contains(err.Error(), "told of forks") {
		t.Errorf("%v, want that no copy is made", err)
	}
}

// What the kernel reads to memory itself is lost in older kernels if a copy is made meanwhile: man 2 open, O_DIRECT.
func TestAProcessWhoseReadsACopyWouldLoseIsNotCopied(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, make([]byte, 4096), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, v := range []kernel{{4, 18}, {6, 4}, {6, 5}, {6, 18}} {
		if err := harm(usage.Running, v); err != nil {
			t.Fatalf("Linux %v: %v", v, err)
		}
	}
	file, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECT|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.EINVAL) {
		t.Skip("the kernel allows no O_DIRECT: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Close(file) }()
	for v, want := range map[kernel]bool{{4, 18}: true, {6, 4}: true, {6, 5}: false, {7, 0}: false} {
		if err := harm(usage.Running, v); want != (err != nil && strings.Contains(err.Error(), "O_DIRECT")) {
			t.Errorf("Linux %v: %v", v, err)
		}
	}
	known := pins
	defer func() { pins = known }()
	pins = nil
	if err := refusal(t); err == nil || !strings.Contains(err.Error(), "O_DIRECT") {
		t.Errorf("%v, want that no copy is made with a file system that does not pin", err)
	}
}

// Devices and io_uring write to pinned memory. Newer kernels leave it to the process when they copy.
func TestAProcessWithPinnedMemory(t *testing.T) {
	k := usage.Kernel{Proc: t.TempDir()}
	if err := errors.Join(os.MkdirAll(k.Path("fd"), 0o700),
		os.WriteFile(k.Path("status"), []byte("VmPin:\t      64 kB\nHugetlbPages:\t       0 kB\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for v, want := range map[kernel]bool{{5, 11}: true, {5, 12}: false} {
		if err := harm(k, v); want != (err != nil) {
			t.Errorf("Linux %v: %v", v, err)
		}
	}
}

// Memory with a protection key may be mapped readable, and a load from it still fault: pkeys(7).
func TestMemoryBehindAProtectionKeyIsLookedAt(t *testing.T) {
	const denied = 1       // PKEY_DISABLE_ACCESS
	runtime.LockOSThread() // each thread has rights of its own
	defer runtime.UnlockOSThread()
	key, _, errno := unix.Syscall(unix.SYS_PKEY_ALLOC, 0, denied, 0)
	if errno != 0 {
		t.Skip("the kernel allows no protection_keys: ", errno)
	}
	defer unix.Syscall(unix.SYS_PKEY_FREE, key, 0, 0)
	word := mapped(t, 4096, unix.MAP_PRIVATE)
	protect := func(key uintptr) {
		const all = unix.PROT_READ | unix.PROT_WRITE
		if _, _, errno := unix.Syscall6(unix.SYS_PKEY_MPROTECT, uintptr(word^hidden), 4096, all, key, 0, 0); errno != 0 {
			t.Fatal(errno)
		}
	}
	defer protect(0)
	isLookedAt(t, word, func() { protect(key) })
}
