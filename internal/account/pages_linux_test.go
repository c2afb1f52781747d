package account

import (
	"bytes"
	"errors"
	"os"
	"runtime"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mapped maps pages, of which every other is written to. Neighbours keep a gap, so that the kernel does not join them.
func mapped(t *testing.T, fd, pages, flags int) []byte {
	t.Helper()
	b, err := unix.Mmap(fd, 0, pages*int(page), unix.PROT_READ|unix.PROT_WRITE, flags)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Munmap(b) })
	_ = unix.Madvise(b, unix.MADV_NOHUGEPAGE)
	for i := 0; i < len(b); i += 2 * int(page) {
		b[i] = 1
	}
	return b
}

func rangeOf(b []byte) Range {
	start := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b))))
	return Range{start, start + uint64(len(b))}
}

// tempFile makes a file of pages that are in the page cache.
func tempFile(t *testing.T, pages int) *os.File {
	t.Helper()
	f, err := os.CreateTemp(t.TempDir(), "mapped")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if _, err := f.Write(bytes.Repeat([]byte{1}, pages*int(page))); err != nil {
		t.Fatal(err)
	}
	return f
}

// roads are the ways to look pages up that this kernel has.
func roads(t *testing.T) map[string]pages {
	t.Helper()
	f, err := os.Open("/proc/self/pagemap")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	list := map[string]pages{"pagemap": &pagemap{f: f, entries: make([]byte, entriesBytes)}, "mincore": newResidence()}
	if best, err := openPages("/proc/self/pagemap"); err != nil {
		t.Fatal(err)
	} else if s, ok := best.(*scanner); ok {
		list["PAGEMAP_SCAN"] = s
		t.Cleanup(s.close)
	}
	return list
}

// tallied sums the runs of an area, and fails if they are not ascending and inside of it.
func tallied(t *testing.T, p pages, a *area) (file, private int64, err error) {
	t.Helper()
	at := a.Start
	err = p.runs([]area{*a}, func(_ *area, r run) {
		if r.Start < at || r.Limit <= r.Start || r.Limit > a.Limit {
			t.Errorf("run %+v of %+v, behind %#x", r, a.Range, at)
		}
		at = r.Limit
		switch r.state {
		case residentOfFile:
			file += int64(r.Limit - r.Start)
		case resident:
			private += int64(r.Limit - r.Start)
		}
	})
	return file, private, err
}

func TestPagesOfKnownMappings(t *testing.T) {
	const n = 3000 // more than fits in one answer of the kernel
	f := tempFile(t, n)
	for name, p := range roads(t) {
		private := mapped(t, -1, n, unix.MAP_PRIVATE|unix.MAP_ANON)
		if file, got, err := tallied(t, p, &area{Range: rangeOf(private)}); file != 0 || got != n/2*page || err != nil {
			t.Errorf("%s: anonymous memory: %d and %d pages, %v", name, file/page, got/page, err)
		}
		if name == "mincore" {
			a := area{Range: rangeOf(private), name: []byte("/file")}
			if _, _, err := tallied(t, p, &a); !errors.Is(err, errFilePages) {
				t.Errorf("%s: a file: %v", name, err)
			}
			continue
		}
		copied := mapped(t, int(f.Fd()), n, unix.MAP_PRIVATE)
		sink := byte(0)
		for i := 0; i < len(copied); i += int(page) {
			sink += copied[i]
		}
		runtime.KeepAlive(sink)
		a := area{Range: rangeOf(copied), name: []byte("/file")}
		if file, got, err := tallied(t, p, &a); file != n/2*page || got != n/2*page || err != nil {
			t.Errorf("%s: a file, half of it written to: %d and %d pages, %v", name, file/page, got/page, err)
		}
		shared := mapped(t, -1, n, unix.MAP_SHARED|unix.MAP_ANON)
		a = area{Range: rangeOf(shared), name: []byte("/dev/zero (deleted)"), shared: true}
		if file, got, err := tallied(t, p, &a); file != n/2*page || got != 0 || err != nil {
			t.Errorf("%s: shared memory: %d and %d pages, %v", name, file/page, got/page, err)
		}
	}
}

// Most kernels map the zero page where memory is only read, and do not count it; some give each reader pages of its own.
func TestTheZeroPageIsNotResident(t *testing.T) {
	scan, ok := roads(t)["PAGEMAP_SCAN"]
	if !ok {
		t.Skip("the kernel has no PAGEMAP_SCAN")
	}
	all, err := unix.Mmap(-1, 0, 102*int(page), unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(all)
	b := all[page : 101*page] // no neighbour is like it
	if err := unix.Mprotect(b, unix.PROT_READ); err != nil {
		t.Fatal(err)
	}
	if sum := bytes.Count(b, []byte{1}); sum != 0 {
		t.Fatal(sum)
	}
	want, known := smapsOf(t, rangeOf(b))[rangeOf(b)]
	if _, got, err := tallied(t, scan, &area{Range: rangeOf(b)}); !known || got != want.rss || err != nil {
		t.Errorf("%d pages, the kernel counts %d: %v", got/page, want.rss/page, err)
	}
}

// Newer libcs guard the stacks of threads so. Where the kernel does not tell guards from swapped pages, they count as those.
func TestGuardPagesAreNotSwapped(t *testing.T) {
	const n, guardInstall = 100, 102 // MADV_GUARD_INSTALL
	all := roads(t)
	if scan, ok := all["PAGEMAP_SCAN"].(*scanner); !ok || scan.guard == 0 {
		t.Skip("the kernel does not report guard pages")
	}
	for name, p := range all {
		b := mapped(t, -1, n, unix.MAP_PRIVATE|unix.MAP_ANON)
		if err := unix.Madvise(b[:len(b)/2], guardInstall); err != nil {
			t.Fatal(err)
		}
		var found [swapped + 1]int64
		err := p.runs([]area{{Range: rangeOf(b)}}, func(_ *area, r run) { found[r.state] += int64(r.Limit - r.Start) })
		if err != nil || found[swapped] != 0 || found[resident] != n/4*page {
			t.Errorf("%s: %d pages, %v", name, found, err)
		}
	}
}
