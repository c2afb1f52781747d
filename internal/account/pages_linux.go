package account

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"os"
	"runtime"
	"unsafe"

	"github.com/cgoheap/cgoheap/internal/background"
	"github.com/cgoheap/cgoheap/internal/descriptor"
	"golang.org/x/sys/unix"
)

// openPages returns the best way that this kernel offers. An error has the reason why files' pages cannot be looked up;
// anonymous pages still can.
func openPages(pagemapFile string) (pages, error) {
	f, err := descriptor.Open(pagemapFile)
	if err != nil {
		return newResidence(), err
	}
	first := []area{{Range: Range{0, uint64(os.Getpagesize())}}}
	for _, guard := range []uint64{categoryGuard, 0} { // kernels that do not know it refuse the whole request
		s := &scanner{f, make([]scanned, scanBuffers*scanRuns), scanPages, scanWindow, guard}
		if err := s.runs(first, func(*area, run) {}); err == nil {
			return s, nil
		}
	}
	m := &pagemap{f: f, entries: make([]byte, entriesBytes)}
	if err := m.runs(first, func(*area, run) {}); err != nil {
		f.Close()
		return newResidence(), err
	}
	return m, nil
}

// scanner asks by PAGEMAP_SCAN: Documentation/admin-guide/mm/pagemap.rst.
type scanner struct {
	f      *os.File
	found  []scanned // in scanBuffers equal parts
	most   uint64    // pages of which one call reports
	window uint64    // bytes of areas that a thread looks at before it is another one's turn
	guard  uint64    // categoryGuard if the kernel has it
}

const (
	scanRuns    = 2048
	scanPages   = 32 << 10 // while one call looks at them, no thread can map or unmap memory
	scanWindow  = scanPages * 4096
	scanBuffers = 4 // two for each thread: one is visited while the other is filled
)

// scanned is struct page_region.
type scanned struct {
	start, end, categories uint64
}

// scanRequest is struct pm_scan_arg.
type scanRequest struct {
	size, flags, start, end, walked uint64
	found, room, most               uint64
	inverted, all, any, reported    uint64
}

const (
	pagemapScan = 3<<30 | unsafe.Sizeof(scanRequest{})<<16 | 'f'<<8 | 16

	categoryFile    = 1 << 2
	categoryPresent = 1 << 3
	categorySwapped = 1 << 4
	categoryZero    = 1 << 5
	categoryGuard   = 1 << 8 // since Linux 6.15: a page made by MADV_GUARD_INSTALL, which counts as swapped too
)

// close clears the addresses, which would look like pointers until the memory is collected and used again.
func (s *scanner) close() {
	clear(s.found)
	s.f.Close()
}

// runs requests the category of files only if it is needed: the kernel then has to look at each page's own record. One call covers
// many areas. Where there is much to look at, two threads do, in turns.
func (s *scanner) runs(list []area, visit func(*area, run)) error {
	q := scanRequest{size: uint64(unsafe.Sizeof(scanRequest{})), room: uint64(len(s.found) / scanBuffers), most: s.most,
		any: categoryPresent | categorySwapped, reported: categoryPresent | categorySwapped | categoryZero | s.guard}
	if list[0].nature().ofFile() {
		q.reported |= categoryFile
	}
	var turns [2]func() ([]scanned, error, bool)
	windows := s.windows(list)
	for i := range turns {
		parts := s.parts(q, s.found[uint64(i)*2*q.room:], windows[min(i, len(windows)):])
		if len(windows) > 1 {
			parts = background.Ahead("looking up pages", parts)
		}
		next, stop := iter.Pull2(parts)
		defer stop()
		turns[i] = next
	}
	for i := range windows {
		for {
			part, err, _ := turns[i%2]()
			if err != nil {
				return err
			}
			if part == nil {
				break
			}
			for _, p := range part {
				list = p.inAreas(list, visit)
			}
		}
	}
	return nil
}

// windows divides the addresses of areas into ranges with s.window bytes of areas.
func (s *scanner) windows(list []area) (windows []Range) {
	w, has := Range{Start: list[0].Start}, uint64(0)
	for i := range list {
		for at := list[i].Start; at < list[i].Limit; {
			step := min(list[i].Limit-at, s.window-has)
			at, has = at+step, has+step
			if w.Limit = at; has == s.window {
				windows, w, has = append(windows, w), Range{Start: at}, 0
			}
		}
	}
	if has > 0 {
		windows = append(windows, w)
	}
	return windows
}

// parts yields what the kernel finds in every second window, in the order of addresses, and nil behind each window. A part is valid until
// the next but one is asked for. The kernel's walk_end is not used: after a walk that filled its inner buffer it may be the end of that.
func (s *scanner) parts(q scanRequest, buffers []scanned, windows []Range) iter.Seq2[[]scanned, error] {
	return func(yield func([]scanned, error) bool) {
		turn := uint64(0)
		for i := 0; i < len(windows); i += 2 {
			for q.start, q.end = windows[i].Start, windows[i].Limit; q.start < q.end; turn ^= 1 {
				found := buffers[turn*q.room:][:q.room]
				q.found = uint64(uintptr(unsafe.Pointer(unsafe.SliceData(found))))
				n, _, errno := unix.Syscall(unix.SYS_IOCTL, s.f.Fd(), pagemapScan, uintptr(unsafe.Pointer(&q)))
				runtime.KeepAlive(s)
				if errno != 0 {
					yield(nil, fmt.Errorf("PAGEMAP_SCAN: %w", errno))
					return
				}
				var bytes uint64
				for _, p := range found[:n] {
					bytes += p.end - p.start
				}
				if uint64(n) == q.room || bytes >= s.most*uint64(os.Getpagesize()) {
					q.start = found[n-1].end
				} else {
					q.start = q.end
				}
				if !yield(found[:n], nil) {
					return
				}
			}
			if !yield(nil, nil) {
				return
			}
		}
	}
}

// inAreas visits the parts of a range of pages that lie in areas, and returns the areas that later ranges may lie in.
func (p scanned) inAreas(list []area, visit func(*area, run)) []area {
	for len(list) > 0 && list[0].Start < p.end {
		a, part := &list[0], p
		if part.start, part.end = max(p.start, a.Start), min(p.end, a.Limit); part.start < part.end {
			if r, ok := part.run(a); ok {
				visit(a, r)
			}
		}
		if a.Limit > p.end {
			break
		}
		list = list[1:]
	}
	return list
}

// run is false for pages that RSS does not count: the zero page, guard pages, and in a shared mapping pages of no file, which are
// a device's.
func (p *scanned) run(a *area) (run, bool) {
	r := run{Range{p.start, p.end}, resident}
	switch {
	case p.categories&(categoryZero|categoryGuard) != 0:
		return r, false
	case p.categories&categoryPresent == 0:
		r.state = swapped
	case p.categories&categoryFile != 0:
		r.state = residentOfFile
	case a.nature() == kernel, a.shared && a.nature().ofFile():
		return r, false
	}
	return r, true
}

// pagemap reads /proc/self/pagemap.
type pagemap struct {
	f       *os.File
	entries []byte
}

const (
	entryPresent = 1 << 63
	entrySwapped = 1 << 62
	entryFile    = 1 << 61
	entryGuard   = 1 << 58 // since Linux 6.15
)

func (m *pagemap) close() { m.f.Close() }

func (m *pagemap) runs(list []area, visit func(*area, run)) error {
	return eachArea(list, visit, m.runsOf)
}

// eachArea looks areas up one by one. If an area fails, the others are looked up all the same.
func eachArea(list []area, visit func(*area, run), runsOf func(*area, func(run)) error) (failed error) {
	for i := range list {
		a := &list[i]
		if err := runsOf(a, func(r run) { visit(a, r) }); err != nil && (failed == nil || gone(failed)) {
			failed = fmt.Errorf("%s at %#x: %w", cmp.Or(string(a.name), "anonymous memory"), a.Start, err)
		}
	}
	return failed
}

func (m *pagemap) runsOf(a *area, visit func(run)) error {
	page := uint64(os.Getpagesize())
	var last run // not yet visited; empty if there is none
	for at := a.Start; at < a.Limit; {
		wanted := min(uint64(len(m.entries)), (a.Limit-at)/page*8)
		n, err := m.f.ReadAt(m.entries[:wanted], int64(at/page*8))
		if n < 8 {
			return fmt.Errorf("reading pagemap: %w", err)
		}
		for i := 0; i+8 <= n; i, at = i+8, at+page {
			s, ok := stateOf(binary.NativeEndian.Uint64(m.entries[i:]), a)
			if ok && at == last.Limit && s == last.state {
				last.Limit += page
				continue
			}
			if last.Limit > 0 {
				visit(last)
			}
			if last = (run{}); ok {
				last = run{Range{at, at + page}, s}
			}
		}
	}
	if last.Limit > 0 {
		visit(last)
	}
	return nil
}

// stateOf returns false for pages that RSS does not count.
func stateOf(entry uint64, a *area) (state, bool) {
	switch {
	case entry&entryGuard != 0:
		return resident, false
	case entry&entrySwapped != 0:
		return swapped, true
	case entry&entryPresent == 0:
		return resident, false
	case entry&entryFile != 0 && a.nature().ofFile():
		return residentOfFile, true
	}
	return resident, !(a.nature() == kernel || a.shared && a.nature().ofFile())
}

// residence uses mincore. For a file, mincore would report which pages are in the page cache, whoever uses them.
type residence struct {
	pages []byte
}

var errFilePages = errors.New("mincore does not report which pages of a file the process has")

func newResidence() pages { return &residence{make([]byte, entriesBytes)} }

func (r *residence) close() {}

func (r *residence) runs(list []area, visit func(*area, run)) error {
	return eachArea(list, visit, r.runsOf)
}

func (r *residence) runsOf(a *area, visit func(run)) error {
	if a.nature().ofFile() {
		return errFilePages
	}
	page := uint64(os.Getpagesize())
	for at := a.Start; at < a.Limit; {
		n := min(uint64(len(r.pages)), (a.Limit-at)/page)
		_, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(at), uintptr(n*page), uintptr(unsafe.Pointer(&r.pages[0])))
		if errno != 0 { // ENOMEM: it was unmapped meanwhile, or a part of it
			return fmt.Errorf("mincore: %w", errno)
		}
		for i := uint64(0); i < n; i++ {
			from := i
			for i < n && r.pages[i]&1 != 0 {
				i++
			}
			if i > from {
				visit(run{Range{at + from*page, at + i*page}, resident})
			}
		}
		at += n * page
	}
	return nil
}
