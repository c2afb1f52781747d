//go:build (amd64 || arm64) && cgo && !asan && !msan

package twin

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/cgoheap/cgoheap/internal/account"
	"github.com/cgoheap/cgoheap/internal/descriptor"
	"github.com/cgoheap/cgoheap/internal/usage"
)

// listed is a mapping, as the kernel lists it.
type listed struct {
	account.Range
	mode     [4]byte
	offset   uint64 // in the file
	device   uint64 // of the file
	inode    uint64 // 0: of no file
	name     string
	resident int64 // bytes, in memory or swapped out
	flags    flags
}

// flags are some of those in a line VmFlags of proc_pid_smaps(5).
type flags struct {
	device, hugetlb, noCopy, wiped, droppable bool
}

func (f *flags) set(name string) {
	switch name {
	case "io", "pf":
		f.device = true
	case "ht":
		f.hugetlb = true
	case "dc":
		f.noCopy = true
	case "wf":
		f.wiped = true
	case "dp":
		f.droppable = true
	}
}

// list reads a list of mappings, maps or smaps: ascending. It makes no string of a line: the unused end of one has what was there
// before, and a copy that follows would take half an old address and half a text for a pointer.
func list(path string) (all []listed, err error) {
	f, err := descriptor.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		name, rest, _ := bytes.Cut(lines.Bytes(), []byte(" "))
		rest = bytes.TrimSpace(rest)
		switch last := len(all) - 1; {
		case !bytes.HasSuffix(name, []byte(":")):
			m, err := mapping(name, rest)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			all = append(all, m)
		case last < 0:
		case string(name) == "Rss:" || string(name) == "Swap:":
			kB, _ := strconv.ParseInt(string(bytes.TrimSuffix(rest, []byte(" kB"))), 10, 50)
			all[last].resident += kB << 10
		case string(name) == "VmFlags:":
			for flag := range bytes.FieldsSeq(rest) {
				all[last].flags.set(string(flag))
			}
		}
	}
	return all, lines.Err()
}

// mapping parses "start-limit" and "mode offset major:minor inode name", of which the last may have spaces.
func mapping(addresses, rest []byte) (m listed, err error) {
	var fields [4][]byte
	for i := range fields {
		fields[i], rest, _ = bytes.Cut(rest, []byte(" "))
	}
	start, limit, _ := bytes.Cut(addresses, []byte("-"))
	major, minor, _ := bytes.Cut(fields[2], []byte(":"))
	var device [2]uint64
	for _, n := range []struct {
		to   *uint64
		text []byte
		base int
	}{{&m.Start, start, 16}, {&m.Limit, limit, 16}, {&m.offset, fields[1], 16}, {&device[0], major, 16}, {&device[1], minor, 16}, {&m.inode, fields[3], 10}} {
		if *n.to, err = strconv.ParseUint(string(n.text), n.base, 64); err != nil {
			return m, err
		}
	}
	copy(m.mode[:], fields[0])
	m.device, m.name = unix.Mkdev(uint32(device[0]), uint32(device[1])), string(bytes.TrimSpace(rest))
	return m, nil
}

func (m *listed) size() int64 { return int64(m.Limit - m.Start) }

// isDevice reports whether the mapping is of a device, as is_memory of areas.c does; of a list smaps, by the kernel's
// word too.
func (m *listed) isDevice() bool {
	begins := func(with string) bool { return strings.HasPrefix(m.name, with) }
	file := begins("/sys/") || begins("/proc/") ||
		begins("/dev/") && !begins("/dev/shm/") && !begins("/dev/zero") && !begins("/dev/hugepages/")
	return file || m.flags.device
}

// unreadOf sums up what a copy, by its directory in /proc, cannot read of what the process had before it was made. apart is
// memory that holds nothing.
func unreadOf(k usage.Kernel, dir string, before []listed, apart []account.Range) (u Unread, err error) {
	pages, err := descriptor.Open(k.Path("pagemap"))
	if err != nil {
		return u, err
	}
	defer func() { _ = pages.Close() }()
	touched := func(ranges []account.Range) int64 { return touchedIn(pages, ranges) }
	copied, err := list(filepath.Join(dir, "smaps"))
	if err != nil {
		return u, err
	}
	after, err := list(k.Path("maps"))
	if err != nil {
		return u, err
	}
	for i := range copied {
		m := &copied[i]
		switch {
		case strings.HasPrefix(m.name, "[v"): // of the kernel's own
		case m.isDevice():
			u.Devices += m.size() // the kernel does not list its pages
		case m.flags.wiped && !m.flags.droppable: // what the kernel may drop at any time holds nothing
			u.Kept += touched(without([]account.Range{m.Range}, apart))
		case strings.HasPrefix(m.name, "/secretmem"): // shared, so that the copy's tables need not have its pages
			u.Denied += m.size()
		case m.mode[0] != 'r' && m.mode[3] == 'p':
			u.Denied += m.resident
		}
	}
	left := without(rangesOf(before, false), rangesOf(copied, true))
	left = without(left, without(left, rangesOf(after, true))) // the process itself does not have the others any more
	u.Kept += touched(without(left, apart))
	return u, nil
}

func rangesOf(all []listed, devices bool) []account.Range {
	ranges := make([]account.Range, 0, len(all))
	for i := range all {
		if devices || !all[i].isDevice() {
			ranges = append(ranges, all[i].Range)
		}
	}
	return ranges
}

// without returns what is left of ranges. Both are ascending.
func without(ranges, others []account.Range) []account.Range {
	left := make([]account.Range, 0, len(ranges))
	for _, r := range ranges {
		for len(others) > 0 && others[0].Limit <= r.Start {
			others = others[1:]
		}
		for i := 0; i < len(others) && others[i].Start < r.Limit; i++ {
			if r.Start < others[i].Start {
				left = append(left, account.Range{Start: r.Start, Limit: others[i].Start})
			}
			r.Start = min(others[i].Limit, r.Limit)
		}
		if r.Start < r.Limit {
			left = append(left, r)
		}
	}
	return left
}

// touchedIn returns how many bytes of the process's ranges are in memory or swapped out. What cannot be told counts.
func touchedIn(pagemap *os.File, ranges []account.Range) (sum int64) {
	const entry, there, swapped = 8, 1 << 63, 1 << 62
	page := uint64(os.Getpagesize())
	entries := make([]byte, 4096*entry)
	defer clear(entries) // numbers of pages look like addresses
	for _, r := range ranges {
		for at := r.Start / page; at*page < r.Limit; {
			wanted := min(uint64(len(entries)/entry), (r.Limit+page-1)/page-at)
			n, err := pagemap.ReadAt(entries[:wanted*entry], int64(at*entry))
			if err != nil && n == 0 {
				sum += int64(r.Limit - at*page)
				break
			}
			for i := 0; i+entry <= n; i += entry {
				if binary.NativeEndian.Uint64(entries[i:])&(there|swapped) != 0 {
					sum += int64(page)
				}
			}
			at += max(1, uint64(n)/entry)
		}
	}
	return sum
}
