//go:build (amd64 || arm64) && cgo && !asan && !msan

package twin

import (
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What a copy cannot look at is counted, each kind of it.
func TestWhatACopyCannotReadIsCounted(t *testing.T) {
	const size = 1 << 20
	memory := func() []byte {
		m, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = unix.Munmap(m) })
		for i := 0; i < size; i += 4096 {
			m[i] = 1
		}
		return m
	}
	unread := func() Unread {
		a := ask(t)
		_, r := look(t, &a, nil, nil)
		return r.Unread
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	before := unread()
	kept, wiped, denied := memory(), memory(), memory()
	must(unix.Madvise(kept, unix.MADV_DONTFORK))
	must(unix.Madvise(wiped, unix.MADV_WIPEONFORK))
	must(unix.Mprotect(denied, unix.PROT_NONE))
	for _, advice := range []int{unix.MADV_NORMAL, unix.MADV_DONTFORK, unix.MADV_WIPEONFORK} {
		untouched, err := unix.Mmap(-1, 0, 1<<30, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS) // so nothing is in it
		must(err)
		must(unix.Madvise(untouched, advice))
	}
	after := unread()
	if n := after.Kept - before.Kept; n != 2*size {
		t.Errorf("%d bytes are kept from the copy, want %d", n, 2*size)
	}
	if n := after.Denied - before.Denied; n != size {
		t.Errorf("%d bytes may not be read, want %d", n, size)
	}
	if after.Devices != before.Devices {
		t.Errorf("%d bytes are of devices, were %d", after.Devices, before.Devices)
	}
	const secret = 447 // memfd_secret
	if file, _, errno := unix.Syscall(secret, 0, 0, 0); errno == 0 {
		defer func() { _ = unix.Close(int(file)) }()
		must(unix.Ftruncate(int(file), 4096))
		m, err := unix.Mmap(int(file), 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
		must(err)
		defer func() { _ = unix.Munmap(m) }()
		*(*uint64)(unsafe.Pointer(&m[0])) = 1
		if n := unread().Denied - after.Denied; n != 4096 {
			t.Errorf("%d bytes of secret memory may not be read, want 4096", n)
		}
	} else {
		t.Log("the kernel has no memfd_secret: ", errno)
	}
	must(unix.Madvise(kept, unix.MADV_DOFORK))
	must(unix.Madvise(wiped, unix.MADV_KEEPONFORK))
	must(unix.Mprotect(denied, unix.PROT_READ|unix.PROT_WRITE))
	if again := unread(); again.Kept != before.Kept {
		t.Errorf("%d bytes are kept from the copy, were %d", again.Kept, before.Kept)
	}
}

// Memory that held addresses is reused without being cleared for texts, and the next copy looks at them: see list.
func TestAListOfMappingsMakesNoStringsOfLines(t *testing.T) {
	all, err := list("/proc/self/smaps")
	if err != nil || len(all) < 10 {
		t.Fatal(len(all), err)
	}
	named := 0
	for _, m := range all {
		if m.name != "" {
			named++
		}
	}
	n := testing.AllocsPerRun(5, func() {
		if _, err := list("/proc/self/smaps"); err != nil {
			t.Error(err)
		}
	})
	if most := float64(named + 40); n > most { // the slice, the file and the reader
		t.Errorf("%v allocations for %d mappings, %d of which have a name; want at most %v", n, len(all), named, most)
	}
}
