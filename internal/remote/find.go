package remote

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"

	"github.com/cgoheap/cgoheap/internal/descriptor"
	"github.com/cgoheap/cgoheap/internal/layout"
	"github.com/cgoheap/cgoheap/internal/tables"
)

// errNoRecording reports that a process does not record.
var errNoRecording = errors.New("no recording was found in its memory: cgoheap is not linked in, or does not record")

// regionAmong returns the address of the region, which is the start of a mapping: the kernel wipes its first page in children,
// and so does not join it to what lies before.
func regionAmong(starts iter.Seq[uint64], memory io.ReaderAt) (uint64, error) {
	err := errNoRecording
	for start := range starts {
		switch found := regionAt(memory, start); {
		case found == nil:
			return start, nil
		case !errors.Is(found, errNoRecording):
			err = found
		}
	}
	return 0, err
}

// candidates yields the starts of mappings in the text of /proc/PID/maps that may be a region.
func candidates(maps io.Reader) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for lines := bufio.NewScanner(maps); lines.Scan(); {
			if start, ok := candidate(lines.Text()); ok && !yield(start) {
				return
			}
		}
	}
}

// candidate returns the start of a line's mapping, if that can be read and written, and is private memory of no file or the
// beginning of a shared file, as a black box is, or of a segment of shared memory.
func candidate(line string) (start uint64, ok bool) {
	fields := strings.Fields(line)
	if len(fields) < 5 {
		return 0, false
	}
	memory := fields[1] == "rw-p" && fields[4] == "0" && (len(fields) == 5 || len(fields) == 6 && strings.HasPrefix(fields[5], "[anon:"))
	shared := fields[1] == "rw-s" && strings.Trim(fields[2], "0") == ""
	box := shared && (strings.Contains(line, "/cgoheap.") && strings.Contains(line, ".box") || strings.Contains(line, " "+segmentName))
	_, err := fmt.Sscanf(fields[0], "%x-", &start)
	return start, err == nil && (memory || box)
}

// regionAt returns nil if a recording's region begins at an address, otherwise why not.
func regionAt(memory io.ReaderAt, start uint64) error {
	var head [layout.HeaderPid + 4]byte
	if _, err := memory.ReadAt(head[:], int64(start)); err != nil || binary.NativeEndian.Uint64(head[:]) != layout.Magic {
		return errNoRecording
	}
	if version := binary.NativeEndian.Uint32(head[layout.HeaderVersion:]); version != layout.Version {
		return fmt.Errorf("it was built with a version of cgoheap whose tables this one cannot read: theirs are version %d, these %d",
			version, layout.Version)
	}
	if binary.NativeEndian.Uint32(head[layout.HeaderPid:]) == 0 {
		return errNoRecording
	}
	return nil
}

// IsBox reports whether a file begins as a black box does.
func IsBox(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	file, err := descriptor.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	var magic [8]byte
	_, err = file.ReadAt(magic[:], 0)
	return err == nil && binary.NativeEndian.Uint64(magic[:]) == layout.Magic
}

// copyRegion copies what is used of the region at an address.
func copyRegion(memory io.ReaderAt, start uint64, touched func(start, limit uint64) bool) (tables.Region, error) {
	head := make(tables.Region, layout.SizeofHeader)
	if _, err := memory.ReadAt(head, int64(start)); err != nil {
		return nil, fmt.Errorf("reading the region: %w", err)
	}
	bytes, err := usedBytes(head)
	if err != nil {
		return nil, err
	}
	region := make(tables.Region, bytes)
	for at := uint64(0); at < uint64(len(region)); at += chunk {
		part := region[at:min(at+chunk, uint64(len(region)))]
		if !touched(start+at, start+at+uint64(len(part))) {
			continue
		}
		if _, err := memory.ReadAt(part, int64(start+at)); err != nil {
			return nil, fmt.Errorf("reading the region at %#x: %w", start+at, err)
		}
	}
	return region, nil
}

// usedBytes returns how much of a region with this header may have been used.
func usedBytes(head tables.Region) (uint64, error) {
	size, used := head.Load64(layout.HeaderSize), head.Load64(layout.HeaderUsed)
	if size > mostBytes || size < layout.SizeofHeader {
		return 0, fmt.Errorf("the region says that it has %d bytes: it was overwritten", size)
	}
	return min(size, max(used, layout.Filter)), nil
}

const (
	mostBytes = 16 << 32 // that offsets of a region can address
	chunk     = 256 << 10
)

// anywhere says that any page may have been touched.
func anywhere(uint64, uint64) bool { return true }

// pagemap tells which pages of a process have been touched.
type pagemap struct{ io.ReaderAt }

// touched reports whether a page of a range may have been touched.
func (p pagemap) touched(start, limit uint64) bool {
	page := uint64(os.Getpagesize())
	entries := make([]byte, (limit-start+page-1)/page*8)
	if n, err := p.ReadAt(entries, int64(start/page*8)); n != len(entries) || err != nil {
		return true
	}
	const presentOrSwapped = 3 << 62
	for ; len(entries) > 0; entries = entries[8:] {
		if binary.NativeEndian.Uint64(entries)&presentOrSwapped != 0 {
			return true
		}
	}
	return false
}

// touchedMemory reads only pages that have been touched: reading others would touch them. They are zero.
type touchedMemory struct {
	io.ReaderAt
	touched func(start, limit uint64) bool
}

func (m touchedMemory) ReadAt(to []byte, address int64) (n int, err error) {
	page := int64(os.Getpagesize())
	for n < len(to) {
		at := address + int64(n)
		part := to[n:min(int64(len(to)), int64(n)+page-at%page)]
		clear(part)
		if m.touched(uint64(at), uint64(at)+uint64(len(part))) {
			if _, err := m.ReaderAt.ReadAt(part, at); err != nil {
				return n, err
			}
		}
		n += len(part)
	}
	return n, nil
}
