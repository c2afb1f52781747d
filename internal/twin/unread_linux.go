//go:build (amd64 || arm64) && cgo && !asan && !msan

package twin

import (
	"bufio"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/cgoheap/cgoheap/cgo"
	"github.com/cgoheap/cgoheap/internal/descriptor"
	"github.com/cgoheap/cgoheap/internal/usage"
)

// listed is a mapping, as the kernel lists it.
type listed struct {
	cgo.TwinRange
	mode, name string
	resident   int64    // bytes, in memory or swapped out
	flags      []string // proc_pid_smaps(5)
}

// list reads a list of mappings, maps or smaps: ascending.
func list(path string) (all []listed, err error) {
	f, err := descriptor.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		name, rest, _ := strings.Cut(lines.Text(), " ")
		rest = strings.TrimSpace(rest)
		switch last := len(all) - 1; {
		case !strings.HasSuffix(name, ":"):
			m := listed{}
			if _, err := fmt.Sscanf(name, "%x-%x", &m.Start, &m.Limit); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			if fields := strings.Fields(rest); len(fields) > 0 { // "mode offset device inode name", of which the last may have spaces
				m.mode = fields[0]
				m.name = strings.Join(fields[min(4, len(fields)):], " ")
			}
			all = append(all, m)
		case last < 0:
		case name == "Rss:" || name == "Swap:":
			kB, _ := strconv.ParseInt(strings.TrimSuffix(rest, " kB"), 10, 50)
			all[last].resident += kB << 10
		case name == "VmFlags:":
			all[last].flags = strings.Fields(rest)
		}
	}
	return all, lines.Err()
}

func (m *listed) has(flag string) bool { return slices.Contains(m.flags, flag) }

func (m *listed) size() int64 { return int64(m.Limit - m.Start) }

// isDevice reports whether the mapping is of a device, as is_memory of cgo/twin_areas.c does; of a list smaps, by the kernel's
// word too.
func (m *listed) isDevice() bool {
	begins := func(with string) bool { return strings.HasPrefix(m.name, with) }
	file := begins("/sys/") || begins("/proc/") ||
		begins("/dev/") && !begins("/dev/shm/") && !begins("/dev/zero") && !begins("/dev/hugepages/")
	return file || m.has("io") || m.has("pf")
}

// unreadOf sums up what a copy, by its directory in /proc, cannot read of what the process had before it was made. apart is
// memory that holds nothing.
func unreadOf(k usage.Kernel, dir string, before []listed, apart []cgo.TwinRange) (u Unread, err error) {
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
			u.Devices += m.size()
		case m.has("wf") && !m.has("dp"): // what the kernel may drop at any time holds nothing
			u.Kept += bytesOf(without([]cgo.TwinRange{m.TwinRange}, apart))
		case strings.HasPrefix(m.name, "/secretmem"): // shared, so that the copy's tables need not have its pages
			u.Denied += m.size()
		case m.mode[0] != 'r' && m.mode[3] == 'p':
			u.Denied += m.resident
		}
	}
	left := without(rangesOf(before, false), rangesOf(copied, true))
	left = without(left, without(left, rangesOf(after, true))) // the process itself does not have the others any more
	u.Kept += bytesOf(without(left, apart))
	return u, nil
}

func rangesOf(all []listed, devices bool) (ranges []cgo.TwinRange) {
	for i := range all {
		if devices || !all[i].isDevice() {
			ranges = append(ranges, all[i].TwinRange)
		}
	}
	return ranges
}

// without returns what is left of ranges. Both are ascending.
func without(ranges, others []cgo.TwinRange) (left []cgo.TwinRange) {
	for _, r := range ranges {
		for len(others) > 0 && others[0].Limit <= r.Start {
			others = others[1:]
		}
		for i := 0; i < len(others) && others[i].Start < r.Limit; i++ {
			if r.Start < others[i].Start {
				left = append(left, cgo.TwinRange{Start: r.Start, Limit: others[i].Start})
			}
			r.Start = min(others[i].Limit, r.Limit)
		}
		if r.Start < r.Limit {
			left = append(left, r)
		}
	}
	return left
}

func bytesOf(ranges []cgo.TwinRange) (sum int64) {
	for _, r := range ranges {
		sum += int64(r.Limit - r.Start)
	}
	return sum
}
