package account

import (
	"bytes"
	"encoding/binary"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// mosaic maps pages of many kinds side by side, without gaps, and returns where they lie. Nobody else touches them.
func mosaic(t *testing.T) Range {
	t.Helper()
	const kinds, each, repeated = 6, 5, 20
	whole, err := unix.Mmap(-1, 0, kinds*each*repeated*int(page), unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Munmap(whole) })
	_ = unix.Madvise(whole, unix.MADV_NOHUGEPAGE)
	f := tempFile(t, each)
	at := whole
	tile := func(fd, flags int, use func([]byte)) {
		part := at[:each*page]
		at = at[each*page:]
		_, _, errno := unix.Syscall6(unix.SYS_MMAP, uintptr(rangeOf(part).Start), uintptr(len(part)), unix.PROT_READ|unix.PROT_WRITE,
			uintptr(flags|unix.MAP_FIXED), uintptr(fd), 0)
		if errno != 0 {
			t.Fatal(errno)
		}
		_ = unix.Madvise(part, unix.MADV_NOHUGEPAGE)
		use(part)
	}
	some := func(part []byte) { part[0], part[3*page] = 1, 1 }
	read := func(part []byte) { _ = bytes.Count(part, []byte{9}) }
	for range repeated {
		tile(-1, unix.MAP_PRIVATE|unix.MAP_ANON, some)
		tile(int(f.Fd()), unix.MAP_PRIVATE, func(part []byte) { read(part); some(part) })
		tile(-1, unix.MAP_SHARED|unix.MAP_ANON, some)
		tile(-1, unix.MAP_PRIVATE|unix.MAP_ANON, read) // the zero page
		tile(int(f.Fd()), unix.MAP_SHARED, read)
		at = at[each*page:] // no access
	}
	return rangeOf(whole)
}

// statesOf returns the state of each page of a range as a way to look pages up has it.
func statesOf(t *testing.T, p pages, within Range) map[uint64]state {
	t.Helper()
	found := make(map[uint64]state)
	for part, err := range parts("/proc/self/maps") {
		if err != nil {
			t.Fatal(err)
		}
		part = slices.DeleteFunc(part, func(a area) bool { return a.Start < within.Start || a.Limit > within.Limit })
		for group := range groups(part) {
			err := p.runs(group, func(a *area, r run) {
				if r.Start < a.Start || r.Limit > a.Limit || r.Start >= r.Limit {
					t.Errorf("run %+v of %+v", r, a.Range)
				}
				for at := r.Start; at < r.Limit; at += uint64(page) {
					if _, again := found[at]; again {
						t.Errorf("%#x is counted twice", at)
					}
					found[at] = r.state
				}
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return found
}

// wordsOf asks for each page of a range alone. A page that the process alone has, and no file, is not the zero page.
func wordsOf(t *testing.T, within Range) map[uint64]state {
	t.Helper()
	const exclusive = 1 << 56
	f, err := os.Open("/proc/self/pagemap")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	found := make(map[uint64]state)
	for at := within.Start; at < within.Limit; at += uint64(page) {
		var word [8]byte
		if _, err := f.ReadAt(word[:], int64(at)/page*8); err != nil {
			t.Fatal(err)
		}
		switch e := binary.NativeEndian.Uint64(word[:]); {
		case e&entryPresent != 0 && e&entryFile != 0:
			found[at] = residentOfFile
		case e&entryPresent != 0 && e&exclusive != 0:
			found[at] = resident
		}
	}
	return found
}

// smap is what smaps says of a mapping, in bytes.
type smap struct {
	rss, anonymous int64
}

// smapsOf returns what smaps says of each mapping within a range.
func smapsOf(t *testing.T, within Range) map[Range]smap {
	t.Helper()
	text, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[Range]smap)
	var r Range
	for line := range strings.Lines(string(text)) {
		if a, ok := parseArea([]byte(strings.TrimSuffix(line, "\n"))); ok {
			r = a.Range
		}
		fields := strings.Fields(line)
		if r.Start < within.Start || r.Limit > within.Limit || len(fields) != 3 {
			continue
		}
		kib, _ := strconv.ParseInt(fields[1], 10, 64)
		of := found[r]
		switch fields[0] {
		case "Rss:":
			of.rss = kib << 10
		case "Anonymous:":
			of.anonymous = kib << 10
		}
		found[r] = of
	}
	return found
}

// Three roads to the same pages: one call for many areas, the kernel's words for each page, and its sums for each mapping.
func TestOneCallForManyAreasFindsWhatEachPageSays(t *testing.T) {
	scan, ok := roads(t)["PAGEMAP_SCAN"].(*scanner)
	if !ok {
		t.Skip("the kernel has no PAGEMAP_SCAN")
	}
	within := mosaic(t)
	words, sums := wordsOf(t, within), smapsOf(t, within)
	if len(words) < 280 || len(sums) < 90 {
		t.Fatalf("%d pages are resident, and the kernel lists %d mappings", len(words), len(sums))
	}
	for _, limit := range []struct {
		runs, pages int
		window      int64
	}{{scanRuns, scanPages, scanWindow}, {scanRuns, scanPages, 3 * page}, {3, scanPages, 7 * page}, {scanRuns, 7, scanWindow}, {2, 3, 20 * page}, {1, 1, page}} {
		found := statesOf(t, &scanner{scan.f, make([]scanned, scanBuffers*limit.runs), uint64(limit.pages), uint64(limit.window), scan.guard}, within)
		if !maps.Equal(found, words) {
			t.Errorf("%+v: %d pages are resident, by their words %d", limit, len(found), len(words))
		}
		for r, want := range sums {
			var got smap
			for at := r.Start; at < r.Limit; at += uint64(page) {
				if s, ok := found[at]; ok {
					got.rss += page
					if s != residentOfFile {
						got.anonymous += page
					}
				}
			}
			if got != want {
				t.Errorf("%+v: %#x: %+v, smaps has %+v", limit, r, got, want)
			}
		}
	}
}
